public import ActiveConfig
import ActiveConfigJSON
package import Crypto
import Foundation
import JSONTree
public import NIOCore
import NIOFoundationEssentialsCompat

/// A configuration in the form in which it is sent: its bytes and entity tag.
///
/// Copies share the bytes, so one value can answer any number of users.
public struct RenderedDocument: Sendable, Hashable {
    /// The document in the exchange format (FORMAT), UTF-8.
    public let jsonBytes: ByteBuffer

    /// The strong tag of exactly these bytes.
    public let entityTag: EntityTag

    /// `meta.template_version`; 0 when the document has none.
    public let version: Int

    /// Renders a configuration.
    ///
    /// - Parameter state: The configuration; its `entityTag` is not part of the document.
    public init(_ state: ConfigurationState) {
        self.init(jsonBytes: ByteBuffer(bytes: state.jsonData()), version: state.templateVersion)
    }

    /// Creates a configuration from rendered bytes, and computes their tag.
    ///
    /// - Parameters:
    ///   - jsonBytes: A document in the exchange format; it is not parsed.
    ///   - version: Its `meta.template_version`.
    public init(jsonBytes: ByteBuffer, version: Int = 0) {
        self.jsonBytes = jsonBytes
        self.version = version
        self.entityTag = EntityTag(ofContent: jsonBytes)
    }

    /// What identifies the document.
    public var identity: DocumentIdentity {
        DocumentIdentity(entityTag: entityTag, version: version)
    }
}

/// What identifies a document without its bytes: what an answer with 304 says.
public struct DocumentIdentity: Sendable, Hashable {
    /// The strong tag of the document.
    public let entityTag: EntityTag

    /// The document's `meta.template_version`.
    public let version: Int

    /// Creates an identity.
    public init(entityTag: EntityTag, version: Int) {
        self.entityTag = entityTag
        self.version = version
    }
}

/// The state of a source of documents: while it is the same object, the same request has the same
/// document.
public final class DocumentStamp: Sendable {
    /// Creates a stamp that differs from all others.
    public init() {}
}

extension ConfigurationState {
    /// `meta.template_version`; 0 when there is none.
    fileprivate var templateVersion: Int {
        if case .integer(let version) = meta["template_version"] { version } else { 0 }
    }
}

/// The entity tag of a document, the value of HTTP's `ETag` (RFC 9110, 8.8.3).
///
/// ```swift
/// EntityTag(ofContent: ByteBuffer()).description  // "e3b0c44298fc1c149afbf4c8996fb924" in quotes
/// ```
public struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// The text between the quotation marks.
    public let opaqueTag: String

    /// SHA-256 of the bytes.
    package let contentHash: SHA256Digest

    /// Creates the strong tag of some bytes, which depends on them alone (HTTP 1).
    ///
    /// The tag is the first 128 bits of their SHA-256, in hexadecimal digits.
    ///
    /// - Parameter content: The bytes of a document.
    public init(ofContent content: ByteBuffer) {
        var hash = SHA256()
        hash.update(data: content.readableBytesView)
        self.init(hash)
    }

    fileprivate init(_ hash: SHA256) {
        contentHash = hash.finalize()
        opaqueTag = Array(contentHash.prefix(16)).hexadecimal
    }

    /// The tag as the value of an `ETag` field, in quotation marks.
    public var description: String { "\"\(opaqueTag)\"" }
}

/// A rendered document that many users share: whole, or with gaps for the user's ID.
struct RenderedPieces: Sendable {
    /// The bytes between the gaps; one piece when the document is the same for all users.
    private let pieces: [ByteBuffer]

    /// The document in the form in which it is sent, when there are no gaps.
    private let whole: RenderedDocument?

    private let version: Int

    /// Hash of the bytes before the first gap, from which each user's tag is continued.
    private let hashBeforeGaps: SHA256

    /// Total of the bytes, without the user's ID.
    let byteCount: Int

    /// Cuts a document at its gaps.
    ///
    /// - Parameters:
    ///   - text: The document, with a gap in each place of the user's ID.
    ///   - version: The document's `meta.template_version`.
    init(_ text: DocumentText, version: Int) {
        let bytes = ByteBuffer(bytes: text.json.bytes)
        let ends = text.gaps + [bytes.writerIndex]
        pieces = zip([0] + text.gaps, ends).compactMap { start, end in
            bytes.getSlice(at: start, length: end - start)
        }
        self.version = version
        // The results may select no value with the ID, though the template has some.
        whole = text.gaps.isEmpty ? RenderedDocument(jsonBytes: bytes, version: version) : nil
        var hash = SHA256()
        if whole == nil { hash.update(data: pieces[0].readableBytesView) }
        hashBeforeGaps = hash
        byteCount = bytes.readableBytes
    }

    func document(forUserID userID: String?) -> RenderedDocument {
        if let whole { return whole }
        let text = Self.jsonText(ofUserID: userID)
        var bytes = ByteBuffer()
        bytes.reserveCapacity(byteCount + text.count * (pieces.count - 1))
        for (index, piece) in pieces.enumerated() {
            if index > 0 { bytes.writeBytes(text) }
            bytes.writeImmutableBuffer(piece)
        }
        return RenderedDocument(jsonBytes: bytes, version: version)
    }

    /// The tag of a user's document, computed without assembling the document.
    ///
    /// The bytes after the first gap are hashed for each user: a tag depends on the bytes of the
    /// document alone (HTTP 1), so a hash of the pieces and the ID would not do. The same document
    /// can also result from other conditions, or from overrides, in other pieces.
    func entityTag(forUserID userID: String?) -> EntityTag {
        if let whole { return whole.entityTag }
        let text = Self.jsonText(ofUserID: userID)
        var hash = hashBeforeGaps
        for piece in pieces.dropFirst() {
            hash.update(data: text)
            hash.update(data: piece.readableBytesView)
        }
        return EntityTag(hash)
    }

    /// The user's ID in a JSON string, without the quotation marks.
    private static func jsonText(ofUserID userID: String?) -> Data {
        Data(DocumentText.escaped(userID ?? "").utf8)
    }
}
