package import Foundation
package import HTTPServing
import NIOConcurrencyHelpers
package import TemplateStore

/// The tokens of administrators, the console's sessions, and when each token was last used.
///
/// It answers from memory; whoever follows the store's changes tells it to read them again.
package final class AdministratorAccess: Sendable {
    /// The name that the token of the environment has in the audit trail.
    static let environmentTokenName = "environment"

    /// The fewest characters of a token in the environment.
    package static let minimumEnvironmentTokenLength = 32

    /// The holder of a valid token.
    package struct Holder: Sendable {
        /// Who it is.
        package let administrator: Administrator
        package let tokenID: String
        let tokenHash: Data
        /// When the token ends; nil means never.
        package let expirationDate: Date?
    }

    private struct State: Sendable {
        /// The tokens that are not revoked, as they are stored.
        var tokens: [StoredToken] = []
        /// The sessions that were not signed out.
        var sessions: [StoredToken] = []
        /// When tokens were used that the store does not know of yet, by identifier.
        var uses: [String: Date] = [:]
    }

    private let state = NIOLockedValueBox(State())

    /// Who holds the token of the environment, which publishes and never ends.
    private let environmentHolder: Holder?

    private let now: @Sendable () -> Date

    /// Makes the access; it knows no stored token yet.
    ///
    /// - Parameters:
    ///   - environmentToken: The hash of the token of `ACTIVECONFIG_ADMIN_TOKEN`.
    ///   - now: The clock.
    package init(environmentToken: SecretHash?, now: @escaping @Sendable () -> Date = { Date() }) {
        environmentHolder = environmentToken.map { hash in
            Holder(
                administrator: Administrator(name: Self.environmentTokenName, role: .publisher),
                // Another token in its place ends the sessions that began with this one.
                tokenID: "\(Self.environmentTokenName)-\(hash.data.prefix(4).hexadecimal)",
                tokenHash: hash.data, expirationDate: nil)
        }
        self.now = now
    }

    /// Replaces what is known.
    package func setTokens(_ tokens: [StoredToken]) {
        let date = now()
        let living = tokens.filter { $0.isLiving(at: date) }
        state.withLockedValue { state in
            state.tokens = living.filter { !$0.isSession }
            state.sessions = living.filter(\.isSession)
        }
    }

    /// Who holds a token.
    ///
    /// - Parameter token: The token's text.
    /// - Returns: The holder, or nil when the token is none, unknown, revoked or expired.
    package func holder(ofToken token: String?) -> Holder? {
        let hash = Data.sha256(of: token ?? "")
        let date = now()
        return state.withLockedValue { state in
            var found: Holder?
            // Compares with every token, so that timing leaks nothing.
            for holder in Self.holders(state, environmentHolder, at: date)
            where holder.tokenHash.equalsInConstantTime(hash) {
                found = holder
            }
            if let found { state.uses[found.tokenID] = date }
            return found
        }
    }

    /// Who holds the token that a session began with.
    ///
    /// - Parameter text: The text of the session's cookie.
    /// - Returns: The session and the holder, or nil when the session or its token has ended.
    package func holder(ofSession text: String?) -> (session: StoredToken, holder: Holder)? {
        let hash = AccessToken.sessionHash(of: text ?? "")
        let date = now()
        return state.withLockedValue { state in
            var session: StoredToken?
            for candidate in state.sessions
            where candidate.hash.equalsInConstantTime(hash) && candidate.isLiving(at: date) {
                session = candidate
            }
            guard let session,
                let holder = Self.holders(state, environmentHolder, at: date)
                    .first(where: { session.isSession(ofToken: $0.tokenID) })
            else { return nil }
            state.uses[holder.tokenID] = date
            return (session, holder)
        }
    }

    /// The holders of all valid tokens.
    private static func holders(
        _ state: State, _ environmentHolder: Holder?, at date: Date
    ) -> [Holder] {
        let stored = state.tokens.filter { $0.isLiving(at: date) }.map { token in
            Holder(
                administrator: Administrator(name: token.name, role: token.role),
                tokenID: token.id, tokenHash: token.hash, expirationDate: token.expirationDate)
        }
        return [environmentHolder].compactMap { $0 } + stored
    }

    /// The uses that are not stored yet; they count as stored from here on.
    package func takeUses() -> [String: Date] {
        state.withLockedValue { state in
            defer { state.uses = [:] }
            let ids = Set(state.tokens.map(\.id))
            return state.uses.filter { ids.contains($0.key) }
        }
    }
}

extension StoredToken {
    /// Whether it counts.
    func isLiving(at date: Date) -> Bool {
        revocationDate == nil && expirationDate.map { $0 > date } ?? true
    }
}
