package import ActiveConfig
import ActiveConfigEventStream

/// Converts a stream's bytes into events, for the one task that reads them.
///
/// Everything that arrives yields an event, even if only a part.
package final class EventReader: Sendable {
    private struct State {
        var parser: EventStreamParser
        /// The number of bytes that belong to no event yet.
        var byteCount = 0

        mutating func next() throws -> ActiveConfigEvent? {
            let element = try parser.next()
            if element == nil, byteCount == 0 { return nil }
            defer { byteCount = 0 }
            return ActiveConfigEvent(element, byteCount: byteCount)
        }
    }

    private let state: Locked<State>

    package init(_ limits: ConfigurationLimits = .default) {
        state = Locked(State(parser: EventStreamParser(maximumBytes: limits.maximumSize)))
    }

    /// The next event, from bytes requested as needed; nil after the last bytes.
    package func next(
        of nextBytes: () async throws -> [UInt8]?
    ) async throws -> ActiveConfigEvent? {
        while true {
            if let event = try state.withLock({ try $0.next() }) { return event }
            guard let bytes = try await nextBytes() else { return nil }
            state.withLock { state in
                state.parser.append(bytes)
                state.byteCount += bytes.count
            }
        }
    }
}
