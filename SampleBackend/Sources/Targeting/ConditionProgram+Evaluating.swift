import Foundation
import JSONTree
import LinearRegex

extension ConditionProgram {
    /// One evaluation, with buffers on the stack when they are small.
    @safe  // The compiler counts the registers and texts whose indexes it emits.
    private struct Evaluation {
        /// Nil for the generic user.
        let id: String?

        /// Replaces the computed percentile for every seed.
        let forcedPercentile: Double?

        /// In seconds since the reference date.
        let time: Double

        /// Remaining bytes that may be hashed, since user IDs have no limit.
        var hashableBytes = ConditionProgram.maximumHashedBytes

        /// The values that rules compare, and the results that several rules share; NaN means
        /// unknown.
        let registers: UnsafeMutableBufferPointer<Double>

        /// The values that rules search; nil when a value is missing or too long.
        let texts: UnsafeMutableBufferPointer<SearchedText?>
    }

    /// Maximum number of bytes that an evaluation hashes; beyond it, `percent` is unknown.
    ///
    /// Only an ID of many kilobytes with a hundred seeds or more reaches the limit.
    private static let maximumHashedBytes = 16 << 20

    /// Number of seeds that the limit always covers, with the longest ID of a request (192 KiB).
    static let seedsOfLongestID = maximumHashedBytes / (192 << 10)

    /// Evaluates all conditions.
    ///
    /// `forcedPercentile` replaces the computed percentile for every seed.
    func evaluate(
        _ context: TargetingContext, forcedPercentile: Int? = nil
    ) -> ConditionResults {
        unsafe withUnsafeTemporaryAllocation(of: Double.self, capacity: registerCount) {
            registers in
            unsafe withUnsafeTemporaryAllocation(of: SearchedText?.self, capacity: textCount) {
                texts in
                unsafe registers.initialize(repeating: .nan)
                unsafe texts.initialize(repeating: nil)
                defer { unsafe texts.deinitialize() }
                var evaluation = unsafe Evaluation(
                    id: context.userID.flatMap { $0.isEmpty ? nil : $0 },
                    forcedPercentile: forcedPercentile.map { Double($0) },
                    time: context.date.timeIntervalSinceReferenceDate,
                    registers: registers, texts: texts)
                for index in slots.indices { read(index, of: context, evaluation) }
                return results(&evaluation)
            }
        }
    }

    private func results(_ evaluation: inout Evaluation) -> ConditionResults {
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

    /// Looks up the value of a slot, and converts it to each form that rules need.
    private func read(_ slot: Int, of context: TargetingContext, _ evaluation: Evaluation) {
        guard var text = slots[slot].key.subject.value(in: context) else { return }
        if slots[slot].key.isTrimmed { text = String(ScriptNumber.trimmed(text)) }
        if let register = slots[slot].literal {
            unsafe evaluation.registers[register] = literals.number(of: text)
        }
        if let register = slots[slot].number {
            unsafe evaluation.registers[register] = ScriptNumber.value(of: text)
        }
        if let register = slots[slot].version, let version = slots[slot].key.subject.version(text) {
            for index in 0..<VersionNumber.maximumSegments {
                unsafe evaluation.registers[register + index] = version[index]
            }
        }
        if let index = slots[slot].text {
            unsafe evaluation.texts[index] = Signals.searchable(text).map { SearchedText($0) }
        }
    }

    /// Evaluates a rule; nil is unknown.
    private func value(of operation: Operation, _ evaluation: inout Evaluation) -> Bool? {
        switch operation {
        case .percent(let register, let start, let end, let above, let upTo):
            guard let id = evaluation.id else { return nil }
            var percentile = unsafe evaluation.registers[register]
            if percentile.isNaN {
                if let forced = evaluation.forcedPercentile {
                    percentile = forced
                } else {
                    evaluation.hashableBytes -= end - start + id.utf8.count
                    guard evaluation.hashableBytes >= 0 else { return nil }
                    percentile = Double(Percentile.micro(prefix: seeds, start, end, id: id))
                }
                unsafe evaluation.registers[register] = percentile
            }
            return percentile > above && percentile <= upTo
        case .equals(let register, let literal):
            let value = unsafe evaluation.registers[register]
            return value.isNaN ? nil : value == literal
        case .isOneOf(let register, let start, let end):
            let value = unsafe evaluation.registers[register]
            return value.isNaN ? nil : contains(value, from: start, to: end)
        case .isInLanguages(let text, let start, let end):
            guard let text = unsafe evaluation.texts[text]?.text else { return nil }
            return languages[start..<end].contains { $0.includes(text) }
        case .contains(let text, let start, let end):
            guard let text = unsafe evaluation.texts[text]?.text else { return nil }
            for part in start..<end where parts.isFound(part, in: text) { return true }
            return false
        case .matches(let register, let text, let expression):
            let known = unsafe evaluation.registers[register]
            guard known.isNaN else { return known != 0 }
            guard let text = unsafe evaluation.texts[text] else { return nil }
            let isFound = expressions[expression].matches(text)
            unsafe evaluation.registers[register] = isFound ? 1 : 0
            return isFound
        case .number(let register, let comparison, let target):
            return comparison.holds(unsafe evaluation.registers[register], target)
        case .version(let register, let comparison, let target):
            let order = VersionNumber.order {
                (unsafe evaluation.registers[register + $0], versionSegments[target + $0])
            }
            guard let order else { return nil }
            return comparison.accepts(order)
        case .date(let comparison, let target):
            return comparison.holds(evaluation.time, target)
        }
    }

    /// True when `literal` is among the numbers in `start..<end`, by binary search.
    private func contains(_ literal: Double, from start: Int, to end: Int) -> Bool {
        var (low, high) = (start, end)
        while low < high {
            let middle = (low + high) / 2
            if lists[middle] < literal { low = middle + 1 } else { high = middle }
        }
        return low < end && lists[low] == literal
    }
}

extension [ExactText] {
    /// The index of a text in sorted ones as a number; -1 when it is none of them.
    func number(of text: String) -> Double {
        let text = ExactText(text)
        let index = firstIndex(whereNot: { $0.precedes(text) })
        return index < count && self[index] == text ? Double(index) : -1
    }
}
