public import Foundation

/// The answer with a document: the exact bytes, the entity tag, and the framework's header fields.
///
/// A downloader sets ``ConfigurationState/original`` for a ``ConfigurationVetting`` that needs it,
/// such as one that checks a signature. A store must keep every byte.
public struct OriginalDocument: Sendable, Hashable {
    private enum Content: Hashable {
        case body(Data)
        /// SHA-256, 64 lower-case hexadecimal digits.
        case digest(String)
        /// For an answer without a document.
        case unknown
    }

    /// The configuration read from the bytes; nil when unknown.
    ///
    /// Not part of equality: it follows from the bytes.
    private struct Reading: Hashable {
        var meta: [String: SettingValue] = [:]
        /// Nil: unknown.
        var sections: [String: ActiveConfigSection]?

        init() {}

        static func == (left: Reading, right: Reading) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    private struct Fields: Hashable {
        let content: Content
        let headerFields: [String: String]
        let entityTag: String?
        let isConfirmation: Bool
        var confirmation: [String: String]?
        var reading = Reading()
    }

    @Boxed private var fields: Fields

    /// Creates an original, for a downloader.
    ///
    /// - Parameters:
    ///   - body: The answer's body, byte for byte, with its content coding removed.
    ///   - headerFields: The answer's header fields; those whose names do not begin with
    ///     `ActiveConfig-` are ignored.
    ///   - entityTag: The answer's entity tag, with its quotation marks.
    public init(body: Data, headerFields: [String: String], entityTag: String?) {
        self.init(.body(body), headerFields, entityTag)
    }

    private init(
        _ content: Content, _ headerFields: [String: String], _ entityTag: String?,
        isConfirmation: Bool = false
    ) {
        let headerFields = Dictionary(
            headerFields.map { ($0.lowercased(), $1) }.filter { $0.0.hasPrefix("activeconfig-") },
            uniquingKeysWith: { "\($0), \($1)" })
        fields = Fields(
            content: content, headerFields: headerFields, entityTag: entityTag,
            isConfirmation: isConfirmation)
    }

    /// The answer's header fields whose names begin with `ActiveConfig-`, keyed by lower-case name.
    public var headerFields: [String: String] { fields.headerFields }

    /// The answer's entity tag, with its quotation marks.
    public var entityTag: String? { fields.entityTag }

    /// True when the answer confirms the client's document (304).
    package var isConfirmation: Bool { fields.isConfirmation }

    /// The header fields of the answer (304) that confirmed the document as a later version than in
    /// its bytes; nil when there was none.
    package var confirmation: [String: String]? { fields.confirmation }

    /// The value of a header field, by its name in any case; nil when the answer had none.
    public func headerField(_ name: String) -> String? { headerFields[name.lowercased()] }

    /// The bytes; nil once they are stored and only their digest is kept in memory.
    public var body: Data? {
        guard case .body(let body) = fields.content else { return nil }
        return body
    }

    /// The document with the configuration that was read from its bytes, so that a vetting need not
    /// read them again.
    func read(as state: ConfigurationState) -> OriginalDocument {
        var document = self
        document.fields.reading.meta = state.meta
        document.fields.reading.sections = state.sections
        return document
    }

    /// The configuration that was read from the bytes; nil when unknown.
    package var knownConfiguration: ConfigurationState? {
        let reading = fields.reading
        return reading.sections.map { ConfigurationState(meta: reading.meta, sections: $0) }
    }

    /// The confirmation of this document by an answer without a body (304).
    ///
    /// - Parameters:
    ///   - headerFields: That answer's header fields.
    ///   - entityTag: That answer's entity tag.
    /// - Returns: The confirmation, for a downloader to return instead of nil.
    public func confirmed(headerFields: [String: String], entityTag: String?) -> OriginalDocument {
        OriginalDocument(fields.content, headerFields, entityTag, isConfirmation: true)
    }

    /// The confirmation, by an answer without a body (304), of a document whose original is not
    /// kept.
    static func confirmation(
        headerFields: [String: String], entityTag: String?
    ) -> OriginalDocument {
        OriginalDocument(.unknown, headerFields, entityTag, isConfirmation: true)
    }

    /// The document, confirmed as a later version.
    func takingOver(_ confirmation: OriginalDocument) -> OriginalDocument {
        var document = self
        document.fields.confirmation = confirmation.headerFields
        return document
    }

    /// The document with the bytes of a stored one; nil when that is another document, or has no
    /// bytes.
    func withBody(of stored: OriginalDocument) -> OriginalDocument? {
        guard let body = stored.body, stored.digest == digest else { return nil }
        return OriginalDocument.stored(
            body: body, headerFields: headerFields, entityTag: entityTag, confirmation: confirmation
        )
    }

    /// A document as a store keeps it.
    static func stored(
        body: Data, headerFields: [String: String], entityTag: String?,
        confirmation: [String: String]?
    ) -> OriginalDocument {
        var document = OriginalDocument(
            body: body, headerFields: headerFields, entityTag: entityTag)
        document.fields.confirmation = confirmation
        return document
    }

    /// SHA-256 of the bytes, as 64 lower-case hexadecimal digits; nil when they were never known.
    public var digest: String? {
        switch fields.content {
        case .body(let body): SHA256.hexDigest(of: body)
        case .digest(let digest): digest
        case .unknown: nil
        }
    }

    /// The same with the digest instead of the bytes.
    package var withoutBody: OriginalDocument {
        var document = OriginalDocument(
            digest.map { .digest($0) } ?? .unknown, headerFields, entityTag,
            isConfirmation: isConfirmation)
        document.fields.confirmation = confirmation
        return document
    }

    /// A document with a known digest but without bytes.
    package static func known(digest: String, entityTag: String?) -> OriginalDocument {
        OriginalDocument(.digest(digest), [:], entityTag)
    }
}
