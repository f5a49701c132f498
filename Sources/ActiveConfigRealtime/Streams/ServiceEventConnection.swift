import ActiveConfig

/// A user's connection of a ``ServiceEventSource``: documents over connections that all users
/// share, and a part of a stream of many users.
///
/// If there is no such stream, or not for this user, it uses a connection of the user's own.
final class ServiceEventConnection: ActiveConfigEventConnection {
    private struct State {
        /// The user's own connection.
        var own: (any ActiveConfigEventConnection)?
        var part: UserStreamPart?
        /// Events taken from the part but not returned yet.
        var events: ArraySlice<ActiveConfigEvent> = []
        var isClosed = false
        /// Of the newest document that was sent or confirmed.
        var entityTag: String?
    }

    private let source: ServiceEventSource
    private let userID: String?
    private let state = Locked(State())

    init(_ source: ServiceEventSource, userID: String?) {
        self.source = source
        self.userID = userID
    }

    deinit { close() }

    func document(
        lastKnown: ConfigurationState?, wait: Duration?
    ) async throws -> DocumentAnswer {
        let answer: DocumentAnswer
        if wait != nil {
            answer = try await own().document(lastKnown: lastKnown, wait: wait)
        } else {
            answer = try await source.documentTurns.run {
                guard source.streams.isAvailable else {
                    return try await own().document(lastKnown: lastKnown, wait: nil)
                }
                // Returned at once, so that few connections serve all users.
                let connection = source.documents.connection(forUserID: userID)
                defer { connection.close() }
                var answer = try await connection.document(lastKnown: lastKnown, wait: nil)
                // The stream does not need the connection.
                answer.allowsStream = true
                return answer
            }
        }
        let tag = (answer.configuration ?? lastKnown)?.entityTag
        state.withLock { $0.entityTag = tag }
        return answer
    }

    func openEvents(lastEventID: String?) async throws {
        if let own = state.withLock({ $0.own }) {
            return try await own.openEvents(lastEventID: lastEventID)
        }
        do {
            let part = UserStreamPart(
                UserID(userID), signals: try await source.signals(userID),
                lastEventID: lastEventID, entityTag: state.withLock { $0.entityTag },
                limits: source.documents.limits)
            let isClosed = state.withLock { state in
                state.part = part
                return state.isClosed
            }
            if isClosed { throw CancellationError() }
            try await source.streams.join(part)
        } catch let error as NoEventStreamError where error.status != nil {
            // The server has answered: with a stream of the user's own it may be better.
            let own = try own()
            var known = ConfigurationState()
            known.entityTag = state.withLock { $0.entityTag }
            let tagged = known
            try await source.documentTurns.run {
                // The stream follows a document on its connection.
                _ = try await own.document(lastKnown: tagged, wait: nil)
                try await own.openEvents(lastEventID: lastEventID)
            }
        }
    }

    func nextEvent() async throws -> ActiveConfigEvent? {
        let (own, part, event) = state.withLock { state in
            (state.own, state.part, state.isClosed ? nil : state.events.popFirst())
        }
        if let own { return try await own.nextEvent() }
        if let event { return event }
        guard let part else { throw CancellationError() }
        guard let events = try await part.events.next() else { return nil }
        state.withLock { $0.events = events.dropFirst() }
        return events.first
    }

    func close() {
        let (own, part) = state.withLock { state in
            state.isClosed = true
            return (state.own, state.part)
        }
        own?.close()
        guard let part else { return }
        part.events.end(.failure(CancellationError()))
        source.streams.leave(part)
    }

    /// The user's own connection, created at first use.
    private func own() throws -> any ActiveConfigEventConnection {
        let own = state.withLock { state -> (any ActiveConfigEventConnection)? in
            if state.isClosed { return nil }
            let own = state.own ?? source.documents.connection(forUserID: userID)
            state.own = own
            return own
        }
        guard let own else { throw CancellationError() }
        return own
    }
}
