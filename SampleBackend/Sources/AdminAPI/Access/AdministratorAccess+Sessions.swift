package import Foundation
import JSONTree
import NIOConcurrencyHelpers
package import TemplateStore

extension AdministratorAccess {
    /// Stores a session and adds it in memory, without reading the store again, which could fail
    /// after the change.
    package func addSession<Failure: Error>(
        _ session: StoredSession, storing store: () async throws(Failure) -> Void
    ) async throws(Failure) {
        try await readSession(id: session.id) { () throws(Failure) in
            try await store()
            return session
        }
    }

    /// The sessions of a person, whatever became of the address.
    func sessions(ofIdentity identity: String) -> [StoredSession] {
        state.withLockedValue { state in
            state.sessions.values.filter {
                $0.person?.identity.hasSameBytes(as: identity) ?? false
            }
        }
    }

    /// Removes a session that was removed from the store.
    package func removeSession(id: String) {
        state.withLockedValue { state in
            let number = state.sessionReads.begin()
            defer { state.sessionReads.end() }
            state.take(nil, id: id, readAs: number)
        }
    }

    /// Reads one session, nil when it has ended, and applies the result.
    ///
    /// A read that is overtaken by a later read of the same session changes nothing.
    package func readSession<Failure: Error>(
        id: String, _ read: () async throws(Failure) -> StoredSession?
    ) async throws(Failure) {
        let number = state.withLockedValue { $0.sessionReads.begin() }
        defer { state.withLockedValue { $0.sessionReads.end() } }
        let session = try await read()
        let date = now()
        state.withLockedValue { state in
            state.sessions = state.sessions.filter { $0.value.expirationDate > date }
            state.take(session, id: id, readAs: number)
        }
    }

    /// Replaces the sessions with the stored ones.
    ///
    /// A read that is overtaken by a later one neither restores an ended session nor loses a new
    /// one. `read` receives the time at which the sessions must still be valid.
    package func readSessions<Failure: Error>(
        _ read: (Date) async throws(Failure) -> [StoredSession]
    ) async throws(Failure) {
        let number = state.withLockedValue { $0.sessionReads.begin() }
        defer { state.withLockedValue { $0.sessionReads.end() } }
        let sessions = try await read(now())
        state.withLockedValue { state in
            guard let readLater = state.sessionReads.takeAll(number).map({ Set($0) })
            else { return }
            let kept = state.sessions.values.filter { readLater.contains($0.id) }
            state.sessions = Dictionary(
                (sessions.filter { !readLater.contains($0.id) } + kept).map { ($0.hash, $0) },
                uniquingKeysWith: { first, _ in first })
        }
    }
}

extension AdministratorAccess.State {
    /// Replaces the session in memory, unless a later read has already replaced it.
    fileprivate mutating func take(
        _ session: StoredSession?, id: String, readAs number: ReadOrder<String>.Number
    ) {
        guard sessionReads.take(number, of: id) else { return }
        if let known = sessions.values.first(where: { $0.id == id }) { sessions[known.hash] = nil }
        if let session { sessions[session.hash] = session }
    }
}
