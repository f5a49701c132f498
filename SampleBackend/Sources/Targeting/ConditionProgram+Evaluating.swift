import Foundation
import LinearRegex

extension ConditionProgram {
    private struct Evaluation {
        let values: [Slot.Value]

        /// Nil for the generic user.
        let id: String?

        /// In seconds since the reference date.
        let time: Double

        /// The user's percentile by seed; -1 until it is computed.
        var places: [Int]

        /// Buffer for hash inputs.
        var message: [UInt8] = []

        /// Remaining bytes that may be hashed; user IDs have no limit.
        var hashableBytes = ConditionProgram.maximumHashedBytes

        /// Results of the searches for regular expressions; nil until they are done.
        var findings: [Bool?]
    }

    /// The most bytes that an evaluation hashes; beyond them, `percent` is unknown.
    ///
    /// Only an ID of many kilobytes with a hundred seeds or more reaches it.
    private static let maximumHashedBytes = 16 << 20

    /// The seeds that are certain to be hashed with the ID of any request, of 192 KiB at most.
    static let seedsOfLongestID = maximumHashedBytes / (192 << 10)

    /// Evaluates all conditions.
    ///
    /// `forcedPercentile` replaces the computed percentile for every seed.
    func evaluate(
        _ context: TargetingContext, forcedPercentile: Int? = nil
    ) -> ConditionResults {
        var evaluation = Evaluation(
            values: slots.map { $0.value(in: context) },
            id: context.userID.flatMap { $0.isEmpty ? nil : $0 },
            time: context.date.timeIntervalSinceReferenceDate,
            places: Array(repeating: forcedPercentile ?? -1, count: seeds.count),
            findings: Array(repeating: nil, count: expressions.count))
        var results = ConditionResults(count: entries.count)
        var word: UInt64 = 0
        for index in entries.indices {
            var place = entries[index]
            while place >= 0 {
                let instruction = instructions[place]
                let value = value(of: instruction.operation, &evaluation)
                let isTrue = value.map { $0 != instruction.isNegated } ?? false
                place = isTrue ? instruction.onTrue : instruction.onFalse
            }
            if place == Self.accept { word |= 1 << UInt64(index % 64) }
            if index % 64 == 63 || index == entries.count - 1 {
                results.setWord(index / 64, to: word)
                word = 0
            }
        }
        return results
    }

    /// Evaluates a rule; nil is unknown.
    private func value(of operation: Operation, _ evaluation: inout Evaluation) -> Bool? {
        switch operation {
        case .percent(let seed, let above, let upTo):
            guard let id = evaluation.id else { return nil }
            var place = evaluation.places[seed]
            if place < 0 {
                evaluation.message.removeAll(keepingCapacity: true)
                evaluation.message.append(contentsOf: seeds[seed])
                evaluation.message.append(contentsOf: id.utf8)
                evaluation.hashableBytes -= evaluation.message.count
                guard evaluation.hashableBytes >= 0 else { return nil }
                place = Percentile.micro(of: evaluation.message)
                evaluation.places[seed] = place
            }
            return place > above && place <= upTo
        case .equals(let slot, let literal):
            return evaluation.values[slot].literal.map { $0 == literal }
        case .isOneOf(let slot, let start, let end):
            return evaluation.values[slot].literal.map { contains($0, from: start, to: end) }
        case .contains(let slot, let list):
            guard let text = evaluation.values[slot].text else { return nil }
            return parts[list].contains { $0.isFound(in: text) }
        case .matches(let slot, let search):
            if let known = evaluation.findings[search] { return known }
            guard let text = evaluation.values[slot].searchedText else { return nil }
            let isFound = expressions[search].matches(text)
            evaluation.findings[search] = isFound
            return isFound
        case .number(let slot, let comparison, let target):
            return comparison.holds(evaluation.values[slot].number, target)
        case .version(let slot, let comparison, let target):
            return evaluation.values[slot].version?.order(to: versions[target])
                .map(comparison.accepts)
        case .date(let comparison, let target):
            return comparison.holds(evaluation.time, target)
        }
    }

    /// True when `literal` is among the numbers in `start..<end`, by binary search.
    private func contains(_ literal: Int, from start: Int, to end: Int) -> Bool {
        var (low, high) = (start, end)
        while low < high {
            let middle = (low + high) / 2
            if literals[middle] < literal { low = middle + 1 } else { high = middle }
        }
        return low < end && literals[low] == literal
    }
}

extension ConditionProgram {
    /// A value of the context, read once per evaluation in each way that rules need.
    struct Slot: Sendable {
        struct Key: Sendable, Hashable {
            let subject: Subject
            /// True when white space around it is ignored.
            let isTrimmed: Bool
        }

        struct Value {
            /// The text to search in; nil when there is none, or it is too long.
            var text: String?
            /// The number of the text; -1 when no rule has it, nil when there is no text.
            var literal: Int?
            /// The text as a number; NaN when it is not a number.
            var number = Double.nan
            /// The text as a version; nil when it is not a version.
            var version: VersionNumber?
            /// The text decoded for regular expressions; nil when no rule needs it.
            var searchedText: SearchedText?
        }

        private let key: Key

        /// Numbers of the texts that rules compare the value with.
        private var numbers: [ExactText: Int] = [:]

        /// True when a rule reads it as a number.
        var isNumber = false

        /// True when a rule reads it as a version.
        var isVersion = false

        /// True when a rule searches it for regular expressions.
        var isSearched = false

        init(_ key: Key) {
            self.key = key
        }

        /// The number of a rule's text, from 0; a new one for a new text.
        mutating func number(of text: String) -> Int {
            let text = ExactText(text)
            if let number = numbers[text] { return number }
            numbers[text] = numbers.count
            return numbers.count - 1
        }

        /// Looks the value up and converts it.
        func value(in context: TargetingContext) -> Value {
            guard var text = key.subject.value(in: context) else { return Value() }
            if key.isTrimmed { text = String(ScriptNumber.trimmed(text)) }
            var value = Value(text: Signals.searchable(text))
            if !numbers.isEmpty { value.literal = numbers[ExactText(text), default: -1] }
            if isNumber { value.number = ScriptNumber.value(of: text) }
            if isVersion { value.version = key.subject.version(text) }
            if isSearched { value.searchedText = value.text.map(SearchedText.init) }
            return value
        }
    }
}
