import ActiveConfig
import ActiveConfigRealtime

/// Follows templates by long polls: the server has no streams of them.
struct LongPollSource: ActiveConfigEventSource {
    let base: URLSessionEventSource

    func connection(forUserID userID: String?) -> any ActiveConfigEventConnection {
        LongPollConnection(base: base.connection(forUserID: userID))
    }

    func changes() -> AsyncStream<Void> { base.changes() }
}

private struct LongPollConnection: ActiveConfigEventConnection {
    let base: any ActiveConfigEventConnection

    func document(
        lastKnown: ConfigurationState?, wait: Duration?
    ) async throws -> DocumentAnswer {
        try await base.document(lastKnown: lastKnown, wait: wait)
    }

    func openEvents(lastEventID: String?) async throws {
        throw NoEventStreamError("templates are followed by long polls")
    }

    func nextEvent() async throws -> ActiveConfigEvent? { nil }

    func close() { base.close() }
}
