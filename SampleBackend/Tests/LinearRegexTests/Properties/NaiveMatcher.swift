@testable import LinearRegex

/// A search for a regular expression that follows its tree, part by part: slow, and without the
/// automaton that it checks.
struct NaiveMatcher {
    /// The text.
    private let scalars: [UInt32]

    /// Takes a text; a short one, since every place of it is tried.
    init(_ text: String) {
        scalars = text.unicodeScalars.map(\.value)
    }

    /// Whether a part of the text matches.
    func finds(_ pattern: Pattern) -> Bool {
        !ends(of: pattern, from: Set(0...scalars.count)).isEmpty
    }

    /// Where a pattern may end.
    ///
    /// - Parameters:
    ///   - pattern: The pattern; the parser's limit of nesting bounds the recursion.
    ///   - starts: Where it may begin.
    /// - Returns: The places, none when it does not match.
    private func ends(of pattern: Pattern, from starts: Set<Int>) -> Set<Int> {
        guard !starts.isEmpty else { return [] }
        switch pattern {
        case .empty: return starts
        case .scalar(let set):
            return Set(
                starts.filter { $0 < scalars.count && set.contains(scalars[$0]) }.map { $0 + 1 })
        case .anchor(let anchor): return starts.filter { holds(anchor, at: $0) }
        case .sequence(let parts):
            return parts.reduce(starts) { ends(of: $1, from: $0) }
        case .choice(let branches):
            return branches.reduce(into: []) { $0.formUnion(ends(of: $1, from: starts)) }
        case .repetition(let part, let minimum, let maximum):
            var current = starts
            for _ in 0..<minimum {
                let next = ends(of: part, from: current)
                if next == current { break }
                current = next
            }
            var result = current
            var count = minimum
            while !current.isEmpty, count < maximum ?? .max {
                current = ends(of: part, from: current).subtracting(result)
                result.formUnion(current)
                count += 1
            }
            return result
        }
    }

    /// Whether an anchor matches before a place.
    private func holds(_ anchor: Pattern.Anchor, at place: Int) -> Bool {
        let before = place > 0 ? scalars[place - 1] : nil
        let after = place < scalars.count ? scalars[place] : nil
        func isWord(_ scalar: UInt32?) -> Bool { scalar.map(ScalarSet.words.contains) ?? false }
        return switch anchor {
        case .textStart: before == nil
        case .textEnd: after == nil
        case .lineStart: before == nil || before == 0x0A
        case .lineEnd: after == nil || after == 0x0A
        case .wordBoundary: isWord(before) != isWord(after)
        case .noWordBoundary: isWord(before) == isWord(after)
        }
    }
}
