@testable import LinearRegex

/// Reference matcher that interprets the syntax tree: slow, but independent of the automaton under
/// test.
struct NaiveMatcher {
    private let scalars: [UInt32]

    /// Keeps a text, which must be short, since each position is tried.
    init(_ text: String) {
        scalars = text.unicodeScalars.map(\.value)
    }

    /// True if any part of the text matches.
    func finds(_ pattern: Pattern) -> Bool {
        !ends(of: pattern, from: Set(0...scalars.count)).isEmpty
    }

    /// Positions at which a match that begins at one of `starts` may end; the parser's nesting
    /// limit bounds the recursion.
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

    /// True if an anchor matches before the given position.
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
