import Crypto
package import Foundation
package import HTTPServing
import NIOConcurrencyHelpers
package import TemplateStore

/// Signs people in at an OpenID provider, by authorization code with PKCE, and knows their rights.
package final class OpenIDSignIn: Sendable {
    package let options: OpenIDOptions
    private let provider: OpenIDProvider
    private let seal: NoteSeal
    private let now: @Sendable () -> Date

    /// The states of sign-ins that have ended, with the time at which their cookie expires.
    private struct UsedStates {
        var dates: [Data: Date] = [:]
        var nextCleaning = Date.distantPast
    }

    private let used = NIOLockedValueBox(UsedStates())

    /// Maximum numbers of exchanges with the provider at a time, which anybody can begin: of all
    /// addresses, and of one.
    private static let (maximumExchanges, maximumExchangesOfAddress) = (16, 4)

    /// The error while as many exchanges run as may.
    package static let isBusy = OpenIDError(
        "Too many people are signing in at this moment: this page tries it again by itself.")

    /// The numbers of running exchanges.
    private let exchanges = NIOLockedValueBox<[ClientAddress?: Int]>([:])

    package convenience init(options: OpenIDOptions) {
        self.init(
            options: options, transport: HTTPProviderTransport(authorities: options.authorities))
    }

    /// Creates a sign-in; transport and clocks are test seams.
    package init(
        options: OpenIDOptions, transport: any ProviderTransport,
        now: @escaping @Sendable () -> Date = { Date() },
        instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.options = options
        provider = OpenIDProvider(options: options, transport: transport, now: instant)
        seal = NoteSeal(secret: options.clientSecret)
        self.now = now
    }

    /// What a person may do now; nil for nothing, and for people of another issuer.
    package func rights(of person: SignedInPerson) -> OpenIDRules.Rights? {
        guard person.issuer.utf8.elementsEqual(options.issuer.utf8) else { return nil }
        return options.rules.rules.rights(of: person)
    }

    /// A secret of this server about a person, the same in each session and at each replica.
    package func secret(of person: SignedInPerson) -> Data {
        Data(
            HMAC<SHA256>.authenticationCode(
                for: Data("activeconfig person \(person.issuer)\n\(person.subject)".utf8),
                using: SymmetricKey(data: Data(options.clientSecret.text.utf8))))
    }

    /// Begins a sign-in.
    ///
    /// - Returns: The address of the provider to open, and the text of the cookie.
    /// - Throws: An ``OpenIDError`` when the provider does not answer.
    package func begin() async throws(OpenIDError) -> (address: String, note: String) {
        let metadata = try await provider.metadata()
        let attempt = SignInAttempt(at: now())
        let scopes = ["openid", "email", "profile"] + options.rules.rules.scopes
        let address = metadata.authorizationEndpoint.adding([
            ("response_type", "code"), ("client_id", options.clientID),
            ("redirect_uri", options.redirectURI), ("scope", scopes.joined(separator: " ")),
            ("state", attempt.state), ("nonce", attempt.nonce),
            ("code_challenge", attempt.challenge), ("code_challenge_method", "S256"),
        ])
        guard let note = seal.sealed(.attempt(attempt)) else {
            throw OpenIDError("The sign-in could not be begun.")
        }
        return (address, note)
    }

    /// What the provider sent back by the browser.
    package struct Callback: Sendable {
        package var state: String?
        package var code: String?
        package var issuer: String?
        package var error: String?
        package var errorDescription: String?

        package init() {}
    }

    /// Ends a sign-in that the browser has begun.
    ///
    /// - Parameters:
    ///   - callback: The parameters of the redirect.
    ///   - note: The text of the cookie; nil without one.
    ///   - address: The address of the browser.
    /// - Returns: The person, who may have no rights.
    /// - Throws: An ``OpenIDError``; ``isBusy`` leaves the attempt unused.
    package func finish(
        _ callback: Callback, note: String?, from address: ClientAddress? = nil
    ) async throws(OpenIDError) -> SignedInPerson {
        guard let note, case .attempt(let attempt)? = seal.opened(note),
            attempt.expirationDate > now()
        else {
            throw OpenIDError(
                "This browser has not begun the sign-in, or more than 10 minutes ago: begin again.")
        }
        guard let state = callback.state,
            Data(state.utf8).equalsInConstantTime(Data(attempt.state.utf8))
        else {
            throw OpenIDError(
                "The answer of the provider belongs to another sign-in (state): begin again.")
        }
        guard beginExchange(from: address) else { throw Self.isBusy }
        defer { endExchange(from: address) }
        guard isFirstUse(of: attempt) else {
            throw OpenIDError("This sign-in has been used before: begin again.")
        }
        let namesIssuer = try await provider.metadata().namesIssuer
        if callback.issuer != nil || namesIssuer {
            guard callback.issuer?.utf8.elementsEqual(options.issuer.utf8) == true else {
                throw OpenIDError(
                    "The answer is of another provider (iss): begin again.", isOfProvider: true)
            }
        }
        if let error = callback.error {
            throw ProviderRefusal(code: error, description: callback.errorDescription).error()
        }
        guard let code = callback.code, !code.isEmpty else {
            throw OpenIDError("The provider sent no code: begin again.", isOfProvider: true)
        }
        return try await provider.person(code: code, attempt: attempt, at: now())
    }

    /// False when as many exchanges run as may.
    private func beginExchange(from address: ClientAddress?) -> Bool {
        exchanges.withLockedValue { counts in
            let count = counts[address] ?? 0
            guard count < Self.maximumExchangesOfAddress,
                counts.values.reduce(0, +) < Self.maximumExchanges
            else { return false }
            counts[address] = count + 1
            return true
        }
    }

    private func endExchange(from address: ClientAddress?) {
        exchanges.withLockedValue { counts in
            counts[address] = counts[address].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }

    private func isFirstUse(of attempt: SignInAttempt) -> Bool {
        let date = now()
        let hash = Data.sha256(of: attempt.state)
        return used.withLockedValue { used in
            if used.nextCleaning <= date {
                used.dates = used.dates.filter { $0.value > date }
                used.nextCleaning = date + 60
            }
            return used.dates.updateValue(attempt.expirationDate, forKey: hash) == nil
        }
    }

    /// The text of the cookie that keeps a failure until the page has shown it.
    package func note(ofFailure text: String) -> String? {
        seal.sealed(.failure(String(text.prefix(1_000))))
    }

    /// The failure that a cookie keeps.
    package func failure(inNote text: String?) -> String? {
        guard let text, case .failure(let failure)? = seal.opened(text) else { return nil }
        return failure
    }

    /// Where a browser ends the session at the provider; nil when the provider offers no such address,
    /// or does not answer.
    package func endSessionAddress() async -> String? {
        let endpoint = await result(within: .seconds(3)) { [provider] () async -> ProviderURL? in
            try? await provider.metadata().endSessionEndpoint
        }
        return endpoint??.adding([
            ("client_id", options.clientID),
            ("post_logout_redirect_uri", options.publicOrigin + "/console/"),
        ])
    }
}
