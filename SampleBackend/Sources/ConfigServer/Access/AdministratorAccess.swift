import Foundation
import NIOConcurrencyHelpers
import TemplateStore

/// A type that knows the tokens of administrators, and when each was last used.
///
/// It answers from memory; whoever follows the store's changes tells it to read them again.
final class AdministratorAccess: Sendable {
    /// The name that the token of the environment has in the audit trail.
    static let environmentTokenName = "environment"

    /// The fewest characters of a token in the environment.
    static let minimumEnvironmentTokenLength = 32

    /// What is known.
    private struct State: Sendable {
        /// The tokens as they are stored.
        var tokens: [StoredToken] = []
        /// When tokens were used that the store does not know of yet, by identifier.
        var uses: [String: Date] = [:]
    }

    private let state = NIOLockedValueBox(State())

    /// The hash of the token in the environment; it publishes, and never ends.
    private let environmentTokenHash: Data?

    /// The clock.
    private let now: @Sendable () -> Date

    /// Makes the access; it knows no stored token yet.
    ///
    /// - Parameters:
    ///   - environmentToken: The token of `ACTIVECONFIG_ADMIN_TOKEN`, of a sufficient length.
    ///   - now: The clock.
    init(environmentToken: String?, now: @escaping @Sendable () -> Date = { Date() }) {
        environmentTokenHash = environmentToken.map(AccessToken.hash)
        self.now = now
    }

    /// Replaces what is known.
    func setTokens(_ tokens: [StoredToken]) {
        state.withLockedValue { $0.tokens = tokens }
    }

    /// Who holds a token.
    ///
    /// Every token is compared, whichever fits, so that the time tells nothing.
    ///
    /// - Parameter token: The token's text.
    /// - Returns: The administrator, or nil when the token is none, unknown, revoked or expired.
    func administrator(token: String?) -> Administrator? {
        let hash = AccessToken.hash(of: token ?? "")
        let date = now()
        return state.withLockedValue { state in
            var found: Administrator?
            if let environmentTokenHash, environmentTokenHash.equalsInConstantTime(hash) {
                found = Administrator(name: Self.environmentTokenName, role: .publisher)
            }
            for token in state.tokens where token.hash.equalsInConstantTime(hash) {
                guard token.revocationDate == nil, token.expirationDate.map({ $0 > date }) ?? true
                else { continue }
                state.uses[token.id] = date
                found = Administrator(name: token.name, role: token.role)
            }
            return found
        }
    }

    /// The uses that are not stored yet; they count as stored from here on.
    func takeUses() -> [String: Date] {
        state.withLockedValue { state in
            defer { state.uses = [:] }
            return state.uses
        }
    }

    /// The token behind `Bearer`, or nil.
    static func bearerToken(in authorization: String?) -> String? {
        guard let authorization else { return nil }
        let parts = authorization.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }
}
