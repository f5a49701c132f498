import NIOConcurrencyHelpers
import Targeting

/// Values by the results of conditions, with bounded memory.
///
/// It has two generations. A hit moves a value to the young one. When the young one fills half of the
/// memory, it replaces the old one, which drops the values that were not used since.
final class ResultsCache<Value: Sendable>: Sendable {
    private typealias Values = [ConditionResults: (value: Value, bytes: Int)]

    private struct State {
        var young: Values = [:]
        var youngBytes = 0
        /// Values that were used before the last rotation.
        var old: Values = [:]
    }

    private let maximumBytes: Int
    private let state = NIOLockedValueBox(State())

    init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

    /// The value for the results; nil when it is not cached.
    subscript(results: ConditionResults) -> Value? {
        state.withLockedValue { state in
            if let known = state.young[results] { return known.value }
            guard let known = state.old[results] else { return nil }
            insert(known.value, of: known.bytes, for: results, into: &state)
            return known.value
        }
    }

    /// Keeps a value of about `bytes` in memory.
    func keep(_ value: Value, of bytes: Int, for results: ConditionResults) {
        // With its slot in the table and the headers of its blocks.
        state.withLockedValue { insert(value, of: bytes + 512, for: results, into: &$0) }
    }

    /// Number of values, of which those in both generations count twice.
    var count: Int { state.withLockedValue { $0.young.count + $0.old.count } }

    private func insert(
        _ value: Value, of bytes: Int, for results: ConditionResults, into state: inout State
    ) {
        guard bytes <= maximumBytes / 2 else { return }
        if state.youngBytes + bytes > maximumBytes / 2 {
            state.old = state.young
            (state.young, state.youngBytes) = ([:], 0)
        }
        if state.young.updateValue((value, bytes), forKey: results) == nil {
            state.youngBytes += bytes
        }
    }
}
