package import HTTPServing
package import TemplateStore

// A stored change must be answered even if the store fails afterwards, because the text of a token
// or cookie is shown only once. Therefore ``AdministratorAccess`` receives the change directly, and
// the store is not read again.
extension Administration {
    /// Stores a new token, which is valid immediately.
    func addToken(_ token: StoredToken, actor: String) async throws(RequestError) {
        let isKnown = try await access.addToken(token) { () throws(RequestError) in
            try await callStore("add_token") { () throws(TemplateStoreError) in
                try await store.addToken(token, actor: actor)
            }
        }
        // A failure is counted and logged; the store follower reads the tokens later.
        if !isKnown {
            try? await access.readTokens { () throws(RequestError) in try await storedTokens() }
        }
    }

    /// Revokes a token with immediate effect; returns false when there is none.
    func revokeToken(id: String, actor: String) async throws(RequestError) -> Bool {
        let isFound = try await callStore("revoke_token") { () throws(TemplateStoreError) in
            try await store.revokeToken(id: id, actor: actor, date: now())
        }
        access.removeToken(id: id)
        return isFound
    }

    /// Stores a new session, which is valid immediately.
    package func addSession(
        _ session: StoredSession, actor: String
    ) async throws(RequestError) {
        try await access.addSession(session) { () throws(RequestError) in
            try await callStore("add_session") { () throws(TemplateStoreError) in
                try await store.addSession(session, actor: actor)
            }
        }
    }

    /// Records a failed attempt to sign in, without the token that was tried.
    package func recordFailedSignIn(from address: ClientAddress?) async {
        access.countFailedSignIn(from: address)
        // A failure of the store is counted and logged; the store follower records it later.
        try? await access.recordFailedSignIns { failed throws(RequestError) in
            try await callStore("record_failed_sign_ins") { () throws(TemplateStoreError) in
                try await store.recordFailedSignIns(failed)
            }
        }
    }

    /// Ends a session with immediate effect.
    package func removeSession(_ session: StoredSession, actor: String) async throws(RequestError) {
        _ = try await callStore("end_session") { () throws(TemplateStoreError) in
            try await store.removeSession(id: session.id, actor: actor, date: now())
        }
        access.removeSession(id: session.id)
    }

    /// Ends the sessions of a person that the provider described differently at a later sign-in, which
    /// would keep the rights of a former group or address.
    ///
    /// - Parameters:
    ///   - person: The person as the provider describes it now.
    ///   - catchUp: Waits until the sessions that other servers began are known; nil when there are
    ///     no other servers.
    /// - Throws: A ``RequestError`` when a session may have been left.
    package func endSessionsWithFormerRights(
        of person: SignedInPerson, after catchUp: (@Sendable () async throws(RequestError) -> Void)?
    ) async throws(RequestError) {
        try await catchUp?()
        for session in access.sessions(ofIdentity: person.identity) where session.person != person {
            try await removeSession(session, actor: person.name)
        }
    }
}
