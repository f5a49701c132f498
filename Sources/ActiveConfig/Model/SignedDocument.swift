public import Foundation

/// A document as the server signed it: the exact bytes, and the signature that came with them.
///
/// A downloader puts it into ``ConfigurationState/signedDocument``, and a store that keeps it has to
/// keep every byte. See <doc:Signed-configurations>.
public struct SignedDocument: Sendable, Hashable {
    private enum Content: Hashable {
        case body(Data)
        /// SHA-256, 64 lower-case hexadecimal digits.
        case digest(String)
    }

    private let content: Content
    /// The answer's header field `ActiveConfig-Signature`; nil when it had none.
    public let signature: String?
    /// The answer's entity tag, with its quotation marks.
    public let entityTag: String?
    /// True when the answer says that a document which the client has is still the user's (304).
    let isConfirmation: Bool
    /// The signature of the answer (304) by which the document is of a later version than its bytes say;
    /// nil when there was none.
    private(set) var confirmation: String?

    /// What the bytes say, read by the framework; nil when that is not known.
    private var reading = Reading()

    /// No part of equality: it follows from the bytes.
    private struct Reading: Hashable {
        var meta: [String: SettingValue] = [:]
        /// Nil: not known.
        var sections: [String: ActiveConfigSection]?

        init() {}

        static func == (left: Reading, right: Reading) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    /// Creates a signed document, as a downloader does.
    ///
    /// - Parameters:
    ///   - body: The answer's body, byte for byte, without a content coding.
    ///   - signature: The answer's header field `ActiveConfig-Signature`.
    ///   - entityTag: The answer's entity tag, with its quotation marks.
    public init(body: Data, signature: String?, entityTag: String?) {
        self.init(.body(body), signature, entityTag)
    }

    private init(
        _ content: Content, _ signature: String?, _ entityTag: String?, isConfirmation: Bool = false
    ) {
        self.content = content
        self.signature = signature
        self.entityTag = entityTag
        self.isConfirmation = isConfirmation
    }

    /// The bytes; nil once they are stored and only their digest is kept in memory.
    public var body: Data? {
        guard case .body(let body) = content else { return nil }
        return body
    }

    /// The document with the configuration that was read from its bytes, so that verifying it does not
    /// read them again.
    func read(as state: ConfigurationState) -> SignedDocument {
        var document = self
        (document.reading.meta, document.reading.sections) = (state.meta, state.sections)
        return document
    }

    /// The configuration that was read from the bytes; nil when that is not known.
    var knownConfiguration: ConfigurationState? {
        reading.sections.map { ConfigurationState(meta: reading.meta, sections: $0) }
    }

    /// What an answer without a body (304) says of this document.
    ///
    /// - Parameters:
    ///   - signature: That answer's header field `ActiveConfig-Signature`.
    ///   - entityTag: That answer's entity tag.
    /// - Returns: The confirmation, for a downloader to return instead of nil.
    public func confirmed(signature: String?, entityTag: String?) -> SignedDocument {
        SignedDocument(content, signature, entityTag, isConfirmation: true)
    }

    /// The document with a confirmation as a later version.
    func takingOver(_ confirmation: SignedDocument) -> SignedDocument {
        var document = self
        document.confirmation = confirmation.signature
        return document
    }

    /// The document with the bytes of a stored one; nil when that is another one, or has none.
    func withBody(of stored: SignedDocument) -> SignedDocument? {
        guard let body = stored.body, stored.digest == digest else { return nil }
        return SignedDocument.stored(
            body: body, signature: signature, entityTag: entityTag, confirmation: confirmation)
    }

    /// A document as a store keeps it.
    static func stored(
        body: Data, signature: String?, entityTag: String?, confirmation: String?
    ) -> SignedDocument {
        var document = SignedDocument(body: body, signature: signature, entityTag: entityTag)
        document.confirmation = confirmation
        return document
    }

    /// SHA-256 of the bytes, as 64 lower-case hexadecimal digits.
    var digest: String {
        switch content {
        case .body(let body): SHA256.hexDigest(of: body)
        case .digest(let digest): digest
        }
    }

    /// The same with the digest instead of the bytes.
    var withoutBody: SignedDocument {
        var document = SignedDocument(
            .digest(digest), signature, entityTag, isConfirmation: isConfirmation)
        document.confirmation = confirmation
        return document
    }

    /// A document of which only the digest is known.
    static func known(digest: String, entityTag: String?) -> SignedDocument {
        SignedDocument(.digest(digest), nil, entityTag)
    }
}
