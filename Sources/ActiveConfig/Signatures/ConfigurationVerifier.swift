public import Foundation

/// Whatever knows the public keys by which documents are signed.
///
/// On Apple's platforms `Ed25519Verifier` is one. Elsewhere the app brings one, in three lines with
/// swift-crypto; see <doc:Signed-configurations>.
public protocol ConfigurationVerifier: Sendable {
    /// Tells whether a signature is right.
    ///
    /// - Parameters:
    ///   - signature: The signature, 64 bytes for Ed25519.
    ///   - message: The signed text: of which project, user, version, expiry, content and entity tag
    ///     the signature is.
    ///   - keyID: The name of the key that the signature says it was made with.
    /// - Returns: True when the key is known, and the signature of the message is that key's.
    func isValidSignature(_ signature: Data, of message: Data, keyID: String) -> Bool
}

/// Which signed configurations are taken; see ``ActiveConfigOptions/signatures``.
public struct SignaturePolicy: Sendable {
    /// Knows the keys.
    public var verifier: any ConfigurationVerifier
    /// The project whose documents the app asks for.
    public var project: String
    /// How long after its expiry an answer is still taken, for a clock that is somewhat wrong.
    public var clockTolerance: Duration

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - verifier: Knows the keys.
    ///   - project: The project; `default` is that of the paths that name none.
    ///   - clockTolerance: How long after its expiry an answer is still taken.
    public init(
        verifier: any ConfigurationVerifier, project: String = "default",
        clockTolerance: Duration = .seconds(300)
    ) {
        self.verifier = verifier
        self.project = project
        self.clockTolerance = clockTolerance
    }

    /// Checks what came with an answer, up to its expiry.
    ///
    /// - Returns: The version that was signed.
    func version(
        of document: SignedDocument, for userID: UserID, at now: Date
    ) throws(SignatureError) -> Int {
        try statement(of: document, for: userID, at: now).version
    }

    /// Checks what came with an answer, up to its expiry.
    ///
    /// - Returns: The version that was signed, and whether only the content was, as in a 304 whose version
    ///   may be later than the document's.
    func statement(
        of document: SignedDocument, for userID: UserID, at now: Date
    ) throws(SignatureError) -> (version: Int, isOfContent: Bool) {
        let (field, isOfContent) = try verifiedField(
            document.signature, of: document, for: userID,
            mayBeOfContent: document.isConfirmation)
        let (seconds, _) = clockTolerance.components
        // A clock may be off by a year: only answers expire, never what is active.
        if Double(field.expires) + Double(seconds) <= now.timeIntervalSince1970 {
            throw SignatureError(.expired, userID: userID, keyID: field.keyID)
        }
        return (field.version, isOfContent)
    }

    /// Checks a stored document, which does not expire.
    ///
    /// - Returns: The version that was signed.
    func version(
        ofStored document: SignedDocument, for userID: UserID
    ) throws(SignatureError) -> Int {
        try verifiedField(document.signature, of: document, for: userID).field.version
    }

    /// The later version that a stored document was confirmed for; nil without a valid confirmation.
    func confirmedVersion(of document: SignedDocument, for userID: UserID) -> Int? {
        guard let confirmation = document.confirmation,
            let (field, isOfContent) = try? verifiedField(
                confirmation, of: document, for: userID, mayBeOfContent: true),
            isOfContent
        else { return nil }
        return field.version
    }

    private func verifiedField(
        _ text: String?, of document: SignedDocument, for userID: UserID,
        mayBeOfContent: Bool = false
    ) throws(SignatureError) -> (field: SignatureField, isOfContent: Bool) {
        guard let text else { throw SignatureError(.unsigned, userID: userID) }
        guard let field = SignatureField(text), let tag = document.entityTag else {
            throw SignatureError(.malformed, userID: userID)
        }
        func isValid(ofContentWith digest: String) -> Bool {
            let message = signedText(
                userID: userID, version: field.version, expires: field.expires,
                contentDigest: digest, entityTag: tag)
            return verifier.isValidSignature(field.signature, of: message, keyID: field.keyID)
        }
        if mayBeOfContent, isValid(ofContentWith: Self.noDigest) { return (field, true) }
        // Also a 304 of an older server.
        if isValid(ofContentWith: document.digest) { return (field, false) }
        throw SignatureError(.invalid, userID: userID, keyID: field.keyID)
    }

    /// In place of a digest: the document is identified by its entity tag.
    private static let noDigest = "-"

    /// The text that the server signs: seven lines, each ended by a line feed.
    private func signedText(
        userID: UserID, version: Int, expires: Int, contentDigest: String, entityTag: String
    ) -> Data {
        let user =
            userID.string.map { "user:\(ActiveConfigBackend.percentEncoded($0))" } ?? "generic"
        let lines = [
            "activeconfig-signature-v1", ActiveConfigBackend.percentEncoded(project), user,
            "\(version)", "\(expires)", contentDigest, EntityTag.strong(entityTag),
        ]
        return Data(lines.map { "\($0)\n" }.joined().utf8)
    }
}

/// Entity tags as header fields have them.
enum EntityTag {
    /// The tag without the mark of a weak one, which a proxy may have put in front.
    static func strong(_ tag: String) -> String {
        tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
    }
}
