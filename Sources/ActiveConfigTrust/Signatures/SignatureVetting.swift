public import ActiveConfig
import Foundation

/// Accepts only documents signed with a known key; see <doc:Signed-documents>.
///
/// ```swift
/// options.vetting = [SignatureVetting(verifier: verifier)]
/// ```
public struct SignatureVetting: Sendable {
    /// Verifies signatures with the known keys.
    public var verifier: any SignatureVerifier
    /// The project of the app's documents.
    public var project: String
    /// How long after its expiry an answer is still accepted, for inaccurate clocks.
    public var clockTolerance: Duration

    /// Creates a vetting.
    ///
    /// - Parameters:
    ///   - verifier: Verifies signatures with the known keys.
    ///   - project: The project; `default` for URLs that name none.
    ///   - clockTolerance: How long after its expiry an answer is still accepted.
    public init(
        verifier: any SignatureVerifier, project: String = "default",
        clockTolerance: Duration = .seconds(300)
    ) {
        self.verifier = verifier
        self.project = project
        self.clockTolerance = clockTolerance
    }
}

extension SignatureVetting: ConfigurationVetting {
    /// True: signatures cover the bytes.
    public var needsOriginal: Bool { true }

    /// Accepts a document, as read from its bytes, whose signature is valid for its user.
    ///
    /// - Returns: Otherwise a refusal, whose error is a ``SignatureError``.
    public func vet(_ candidate: ConfigurationCandidate) -> VettingVerdict {
        do throws(SignatureError) {
            return .accept(try verified(candidate))
        } catch {
            return .refuse(
                ConfigurationRefusal(
                    "The document cannot be trusted: \(error.code)", underlyingError: error))
        }
    }

    private func verified(
        _ candidate: ConfigurationCandidate
    ) throws(SignatureError) -> ConfigurationState {
        let userID = UserID(candidate.userID)
        let unsigned = SignatureError(.unsigned, userID: userID)
        guard let original = candidate.document.original else { throw unsigned }
        switch candidate.origin {
        case .stored:
            if original.body == nil { throw unsigned }
            let kept = original.withoutBody
            var content = try content(
                of: original, is: candidate.document,
                version: try version(ofStored: kept, for: userID), for: userID)
            content.original = kept
            return content
        case .superseded:
            _ = try statement(of: original, for: userID, at: candidate.time)
            return candidate.document
        default: break
        }
        if original.isConfirmation {
            if original.digest == nil { throw unsigned }
            let asked = candidate.requestBase
            guard asked?.original != nil,
                original.entityTag.map(EntityTag.strong) == asked?.entityTag.map(EntityTag.strong)
            else { throw SignatureError(.otherDocument, userID: userID) }
        }
        let (version, isOfContent) = try statement(
            of: original, for: userID, at: candidate.time)
        if original.isConfirmation {
            var confirmation = candidate.document
            confirmation.confirmedVersion = isOfContent ? version : nil
            return confirmation
        }
        if let newest = candidate.newestKnownVersion, version < newest {
            throw SignatureError(.replayed, userID: userID)
        }
        var content = try content(
            of: original, is: candidate.document, version: version, for: userID)
        content.original = original
        return content
    }

    /// Reads the signed bytes, and nothing else.
    private func content(
        of original: OriginalDocument, is state: ConfigurationState, version: Int,
        for userID: UserID
    ) throws(SignatureError) -> ConfigurationState {
        // Another configuration from a downloader or store is not what was signed.
        guard let body = original.body,
            var content = original.knownConfiguration
                ?? (try? ConfigurationState(jsonData: body, limits: StoredRecord.limits))
        else { throw SignatureError(.contentMismatch, userID: userID) }
        let versionKey = ConfigurationState.MetaKey.templateVersion
        var signed = state
        // A later confirmed version is not in the bytes.
        if original.confirmation != nil { signed.meta[versionKey] = content.meta[versionKey] }
        guard content == signed else {
            throw SignatureError(.contentMismatch, userID: userID)
        }
        guard content.templateVersion == version else {
            throw SignatureError(.versionMismatch, userID: userID)
        }
        if let later = confirmedVersion(of: original, for: userID), later > version {
            content.meta[versionKey] = .integer(later)
        }
        content.entityTag = original.entityTag
        return content
    }
}

extension SignatureVetting {
    /// Verifies what came with an answer, including its expiry.
    ///
    /// - Returns: The signed version, and whether the signature covers only the content, as in a
    ///   304 whose version can be later than the document's.
    func statement(
        of document: OriginalDocument, for userID: UserID, at now: Date
    ) throws(SignatureError) -> (version: Int, isOfContent: Bool) {
        let (field, isOfContent) = try verifiedField(
            document.signature, of: document, for: userID,
            mayBeOfContent: document.isConfirmation)
        let (seconds, _) = clockTolerance.components
        // A clock can be off by a year: only answers expire, never an active document.
        if Double(field.expires) + Double(seconds) <= now.timeIntervalSince1970 {
            throw SignatureError(.expired, userID: userID, keyID: field.keyID)
        }
        return (field.version, isOfContent)
    }

    /// Verifies a stored document, which does not expire.
    ///
    /// - Returns: The signed version.
    func version(
        ofStored document: OriginalDocument, for userID: UserID
    ) throws(SignatureError) -> Int {
        try verifiedField(document.signature, of: document, for: userID).field.version
    }

    /// The later version that a stored document was confirmed for; nil without a valid
    /// confirmation.
    func confirmedVersion(of document: OriginalDocument, for userID: UserID) -> Int? {
        guard let confirmation = document.confirmation?[OriginalDocument.signatureField],
            let (field, isOfContent) = try? verifiedField(
                confirmation, of: document, for: userID, mayBeOfContent: true),
            isOfContent
        else { return nil }
        return field.version
    }

    private func verifiedField(
        _ text: String?, of document: OriginalDocument, for userID: UserID,
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
        // Also accepts a 304 of an older server.
        if let digest = document.digest, isValid(ofContentWith: digest) { return (field, false) }
        throw SignatureError(.invalid, userID: userID, keyID: field.keyID)
    }

    /// Replaces a digest: the document is identified by its entity tag.
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

extension OriginalDocument {
    fileprivate static let signatureField = "activeconfig-signature"

    /// The header field `ActiveConfig-Signature`; nil when the answer had none.
    var signature: String? { headerFields[Self.signatureField] }
}

/// Entity tags as header fields have them.
enum EntityTag {
    /// The tag without the prefix of a weak one, which a proxy may have added.
    static func strong(_ tag: String) -> String {
        tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
    }
}
