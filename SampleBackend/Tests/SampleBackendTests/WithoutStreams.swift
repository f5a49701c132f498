import ActiveConfig
import ActiveConfigRealtime

/// A backend behind a proxy that blocks streams.
struct WithoutStreams: ActiveConfigEventSource {
    let base: URLSessionEventSource
    /// Receives a value for each response to a long poll.
    let polls: AsyncStream<Void>.Continuation

    func connection(forUserID userID: String?) -> any ActiveConfigEventConnection {
        Connection(base: base.connection(forUserID: userID), polls: polls)
    }

    struct Connection: ActiveConfigEventConnection {
        let base: any ActiveConfigEventConnection
        let polls: AsyncStream<Void>.Continuation

        func document(
            lastKnown: ConfigurationState?, wait: Duration?
        ) async throws -> DocumentAnswer {
            // deadline: only the duration of polls without a change
            let wait = wait.map { _ in Duration.seconds(1) }
            let answer = try await base.document(lastKnown: lastKnown, wait: wait)
            if wait != nil { polls.yield() }
            return answer
        }

        func openEvents(lastEventID: String?) async throws {
            throw NoEventStreamError("a proxy holds it back")
        }

        func nextEvent() async throws -> ActiveConfigEvent? { nil }
        func close() { base.close() }
    }
}
