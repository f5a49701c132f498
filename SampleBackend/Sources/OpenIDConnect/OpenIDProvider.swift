import ClientAPI
import Foundation
import HTTPServing
import JSONTree
import TemplateStore

/// Calls a provider: its metadata, its keys, and the exchange of a code for an ID token.
struct OpenIDProvider: Sendable {
    /// Metadata and keys are read again after this time.
    private static let maximumAge: Duration = .seconds(3_600)

    private let options: OpenIDOptions
    private let transport: any ProviderTransport
    private let cachedMetadata: FetchedValue<ProviderMetadata>
    private let cachedKeys: FetchedValue<[UserTokenKey]>

    init(
        options: OpenIDOptions, transport: any ProviderTransport,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.options = options
        self.transport = transport
        let metadata = FetchedValue<ProviderMetadata>(now: now) { () throws(OpenIDError) in
            let answer = try await transport.succeeded(
                ProviderRequest(url: ProviderMetadata.address(ofIssuer: options.issuer)))
            return try ProviderMetadata(jsonData: answer.body, issuer: options.issuer)
        }
        cachedMetadata = metadata
        cachedKeys = FetchedValue(now: now) { () throws(OpenIDError) in
            let url = try await metadata.value(atMostOld: Self.maximumAge).keys
            let answer = try await transport.succeeded(
                ProviderRequest(url: url.text, maximumBytes: UserTokenKey.maximumKeySetBytes))
            do throws(UserTokenKeyError) {
                return try await UserTokenKey.keys(ofSet: answer.body)
            } catch {
                throw OpenIDError(
                    "The provider's key set at \(url.text.quoted) cannot be used: \(error).",
                    isOfProvider: true)
            }
        }
    }

    func metadata() async throws(OpenIDError) -> ProviderMetadata {
        try await cachedMetadata.value(atMostOld: Self.maximumAge)
    }

    /// Exchanges a code, and checks the ID token.
    func person(
        code: String, attempt: SignInAttempt, at date: Date
    ) async throws(OpenIDError) -> SignedInPerson {
        let metadata = try await metadata()
        let tokens = try await tokens(code: code, verifier: attempt.verifier, metadata)
        guard let text = tokens["id_token"]?.stringValue else {
            throw OpenIDError(
                "The provider sent no ID token: its client must allow the scope openid.",
                isOfProvider: true)
        }
        let token = try IDToken(text)
        try await checkSignature(of: token)
        let subject = try token.checkedSubject(
            issuer: options.issuer, clientID: options.clientID, nonce: attempt.nonce, at: date)
        let claims = try await claims(
            of: token, subject: subject, accessToken: tokens["access_token"]?.stringValue, metadata)
        return person(subject: subject, claims: claims)
    }

    /// Checks the signature, by keys that are fetched again when it is of none of the known ones:
    /// providers replace theirs, also under the same name.
    private func checkSignature(of token: IDToken) async throws(OpenIDError) {
        let known = try await cachedKeys.value(atMostOld: Self.maximumAge)
        do throws(OpenIDError) {
            try token.checkSignature(by: known)
        } catch {
            try token.checkSignature(by: try await cachedKeys.value(atMostOld: .zero))
        }
    }

    private func tokens(
        code: String, verifier: String, _ metadata: ProviderMetadata
    ) async throws(OpenIDError) -> JSONNode {
        var parameters: [(name: String, value: String)] = [
            ("grant_type", "authorization_code"), ("code", code),
            ("redirect_uri", options.redirectURI), ("code_verifier", verifier),
        ]
        var request = ProviderRequest(url: metadata.tokenEndpoint.text)
        let secret = options.clientSecret.text
        if metadata.needsSecretInBody {
            parameters += [("client_id", options.clientID), ("client_secret", secret)]
        } else {
            // RFC 6749, 2.3.1: both are encoded as in a form.
            let pair = "\(FormText.encoded(options.clientID)):\(FormText.encoded(secret))"
            request.headerFields = [
                ("Authorization", "Basic \(Data(pair.utf8).base64EncodedString())")
            ]
        }
        request.form = FormText.encoded(parameters)
        let answer = try await transport.answer(to: request)
        let node = try? JSONNode(jsonData: answer.body)
        guard answer.status == 200, let node, node.objectValue != nil else {
            throw ProviderRefusal(
                code: node?["error"]?.stringValue,
                description: node?["error_description"]?.stringValue
            ).error(orStatus: answer.status)
        }
        return node
    }

    /// The claims of the token, completed by those of the user-info endpoint.
    private func claims(
        of token: IDToken, subject: String, accessToken: String?, _ metadata: ProviderMetadata
    ) async throws(OpenIDError) -> JSONNode {
        let rules = options.rules.rules
        let isComplete =
            token.claims["email"] != nil
            && (rules.groups.isEmpty || token.claims[rules.groupsClaim] != nil)
        guard !isComplete, let endpoint = metadata.userInfoEndpoint, let accessToken,
            accessToken.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return token.claims }
        let answer = try await transport.succeeded(
            ProviderRequest(
                url: endpoint.text,
                headerFields: [("Authorization", "Bearer \(accessToken)")]))
        guard let found = try? JSONNode(jsonData: answer.body),
            found["sub"]?.stringValue?.hasSameBytes(as: subject) == true
        else {
            throw OpenIDError(
                "The provider's user info is of another subject, or not JSON.", isOfProvider: true)
        }
        var claims = token.claims
        // Together, so that no address is verified by what was said of another.
        if claims["email"] == nil {
            for name in ["email", "email_verified"] {
                claims.removeMember(name)
                claims.setMember(name, found[name])
            }
        }
        if claims[rules.groupsClaim] == nil {
            claims.setMember(rules.groupsClaim, found[rules.groupsClaim])
        }
        return claims
    }

    private func person(subject: String, claims: JSONNode) -> SignedInPerson {
        let rules = options.rules.rules
        // Some providers send a text.
        let isVerified = claims["email_verified"] == true || claims["email_verified"] == "true"
        let address = claims["email"]?.stringValue.flatMap(VerifiedAddress.init)?.text
        let node = claims[rules.groupsClaim]
        let sent = node?.arrayValue?.compactMap(\.stringValue) ?? [node?.stringValue ?? ""]
        let found = Set(
            sent.filter { $0.utf8.count <= Self.maximumGroupBytes }.map { ExactText($0) })
        // Rules that are read later can name others, to refuse people.
        let named = found.intersection(rules.groups).map(\.text)
        let others = found.subtracting(rules.groups).map(\.text).sorted { $0.precedes($1) }
        let kept = (named + others).prefix(max(Self.maximumGroups, named.count))
        return SignedInPerson(
            issuer: options.issuer, subject: subject, address: isVerified ? address : nil,
            unverifiedAddress: isVerified ? nil : address,
            // In an order without the rules: people who are described as before keep their sessions.
            groups: kept.sorted { $0.precedes($1) })
    }

    /// Maximum number of groups of a person that are kept, and of bytes of a name, as in rules.
    private static let (maximumGroups, maximumGroupBytes) = (50, 200)
}

/// An error that a provider reports by a code and a text (RFC 6749, 4.1.2.1 and 5.2).
struct ProviderRefusal: Sendable {
    let code: String?
    let description: String?

    func error(orStatus status: Int? = nil) -> OpenIDError {
        let parts = [code ?? status.map { "status \($0)" }, description].compactMap { $0 }
        let text = parts.map(\.quoted).joined(separator: ": ")
        return OpenIDError("The provider refused the sign-in: \(text).", isOfProvider: true)
    }
}

extension ProviderTransport {
    /// The answer with status 200.
    fileprivate func succeeded(
        _ request: ProviderRequest
    ) async throws(OpenIDError) -> ProviderAnswer {
        let answer = try await answer(to: request)
        guard answer.status == 200 else {
            throw OpenIDError(
                "The provider answers \(request.url.quoted) with status \(answer.status).",
                isOfProvider: true)
        }
        return answer
    }
}
