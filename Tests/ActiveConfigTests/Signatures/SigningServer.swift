import ActiveConfigTesting
import Foundation

@testable import ActiveConfig
@testable import ActiveConfigTrust

/// Signs documents as a server does, but with a keyed hash instead of a key pair.
struct SigningServer: SignatureVerifier {
    var keys = ["k1": "secret"]

    func isValidSignature(_ signature: Data, of message: Data, keyID: String) -> Bool {
        keys[keyID].map { Self.signature(of: message, by: $0) == signature } ?? false
    }

    private static func signature(of message: Data, by key: String) -> Data {
        Data(SHA256.hexDigest(of: Data(key.utf8) + message).utf8)
    }

    static let now = Date(timeIntervalSince1970: 1_795_000_000)

    static func body(_ version: Int, title: String = "Hello") -> Data {
        Data(
            """
            { "meta": {"template_version": \(version)},
              "config_sections": {"Home": {"settings": {"title": {"value": "\(title)"}}}} }
            """.utf8)
    }

    /// The header field; without a body, the field of a 304 for the content with the tag.
    static func field(
        _ body: Data?, version: Int, user: String = "user:1", tag: String? = nil,
        expires: Int = 1_795_003_600, project: String = "default", keyID: String = "k1",
        secret: String = "secret"
    ) -> String {
        // Spelled out again, so that both sides cannot have the same mistake.
        let text = """
            activeconfig-signature-v1
            \(project)
            \(user)
            \(version)
            \(expires)
            \(body.map { SHA256.hexDigest(of: $0) } ?? "-")
            \(tag ?? "\"\(version)\"")

            """
        let signature = signature(of: Data(text.utf8), by: secret).base64EncodedString()
        return "keyid=\"\(keyID)\", expires=\(expires), version=\(version), sig=:\(signature):"
    }

    /// A signed answer with the given field, or with a valid one if it is nil.
    static func answer(
        _ version: Int, title: String = "Hello", user: String = "user:1", field: String? = nil,
        tag: String? = nil, expires: Int = 1_795_003_600
    ) throws -> ConfigurationState {
        let body = body(version, title: title)
        var state = try ConfigurationState(jsonData: body)
        state.entityTag = tag ?? "\"\(version)\""
        state.original = OriginalDocument(
            body: body,
            signature: field
                ?? Self.field(body, version: version, user: user, expires: expires),
            entityTag: state.entityTag)
        return state
    }

    /// A coordinator of user "1" that accepts only signed documents.
    func config(
        _ downloader: ScriptedDownloader, store: any ActiveConfigStore, now: Date = Self.now,
        activation: ActivationPolicy = .immediate, log: ActiveConfigLog = .disabled
    ) -> ActiveConfig {
        let options = ActiveConfigOptions(
            activationPolicy: activation, overridePolicy: .never,
            vetting: [SignatureVetting(verifier: self)], log: log)
        let config = ActiveConfig(
            configDownloader: downloader, configStore: store,
            notificationCenter: NotificationCenter(),
            listenerQueue: DispatchQueue(label: "listeners"), options: options,
            clock: ManualClock(), now: { now })
        config.currentUserID = "1"
        return config
    }
}
