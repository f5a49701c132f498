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

    /// The tag of the content: all but the version and its time in `meta`.
    ///
    /// It is weak, as documents of several versions may have it, unless the content is not known.
    public let entityTag: EntityTag

    /// `meta.template_version`; 0 when the document has none.
    public let version: Int

    /// SHA-256 of the bytes.
    package let bodyHash: SHA256Digest

    /// Renders a configuration.
    ///
    /// - Parameter state: The configuration; its `entityTag` is not part of the document.
    public init(_ state: ConfigurationState) {
        var content = state
        content.meta["creation_time"] = nil
        content.meta["template_version"] = nil
        jsonBytes = ByteBuffer(bytes: state.jsonData())
        version = state.templateVersion ?? 0
        bodyHash = SHA256.hash(data: jsonBytes.readableBytesView)
        entityTag = EntityTag(SHA256.hash(data: content.jsonData()), isWeak: true)
    }

    /// Creates a configuration from rendered bytes, and computes their tag.
    ///
    /// - Parameters:
    ///   - jsonBytes: A document in the exchange format; it is not parsed, so that the tag is the
    ///     strong one of all bytes.
    ///   - version: Its `meta.template_version`.
    public init(jsonBytes: ByteBuffer, version: Int = 0) {
        self.jsonBytes = jsonBytes
        self.version = version
        bodyHash = SHA256.hash(data: jsonBytes.readableBytesView)
        entityTag = EntityTag(bodyHash, isWeak: false)
    }

    /// Creates a document of a template from its text, in which the members are.
    init(_ jsonBytes: ByteBuffer, _ members: VersionMembers, version: Int) {
        self.jsonBytes = jsonBytes
        self.version = version
        let (content, body) = members.hashes(of: jsonBytes)
        bodyHash = body
        entityTag = EntityTag(content, isWeak: true)
    }

    /// The tag and the version, which identify the document.
    public var identity: DocumentIdentity {
        DocumentIdentity(entityTag: entityTag, version: version, bodyHash: bodyHash)
    }

    /// The identity by all bytes of the document, with a strong tag.
    package var exactIdentity: DocumentIdentity {
        DocumentIdentity(
            entityTag: EntityTag(bodyHash, isWeak: false), version: version, bodyHash: bodyHash)
    }
}

/// The identity of a document without its bytes, as an answer with 304 has it.
public struct DocumentIdentity: Sendable, Hashable {
    /// The tag of the document.
    public let entityTag: EntityTag

    /// The document's `meta.template_version`.
    public let version: Int

    /// SHA-256 of the document; nil where only its content is identified.
    package let bodyHash: SHA256Digest?

    /// Creates an identity.
    public init(entityTag: EntityTag, version: Int) {
        self.init(entityTag: entityTag, version: version, bodyHash: nil)
    }

    package init(entityTag: EntityTag, version: Int, bodyHash: SHA256Digest?) {
        self.entityTag = entityTag
        self.version = version
        self.bodyHash = bodyHash
    }
}

/// The state of a source of documents: while it is the same object, the same request has the same
/// document.
public final class DocumentStamp: Sendable {
    /// Creates a stamp that differs from all others.
    public init() {}
}

/// A rendered document that many users share: whole, or with gaps for the user's ID.
struct RenderedPieces: Sendable {
    /// The bytes between the gaps; one piece when the document is the same for all users.
    private let pieces: [ByteBuffer]

    /// The document in the form in which it is sent, when there are no gaps.
    private let whole: RenderedDocument?

    private let version: Int

    /// The places of the members that tags leave out.
    private let members: VersionMembers

    /// The basis of each user's tag; nil when there are no gaps.
    private let gapHashing: GapHashing?

    private struct GapHashing {
        /// Hash of the bytes before the first gap.
        let start: SHA256
        /// The content of the last piece, without the members that tags leave out.
        let end: ByteBuffer
    }

    /// Total of the bytes, without the user's ID.
    private let byteCount: Int

    /// Approximate memory in bytes, beyond the value itself: blocks of the allocator, with their heads.
    var allocatedBytes: Int {
        let list = 48 + pieces.capacity * MemoryLayout<ByteBuffer>.stride
        let tagOrHash = gapHashing == nil ? 80 : 144
        let end = gapHashing?.end
        // All pieces are in one buffer.
        return list + tagOrHash + Self.allocatedBytes(of: pieces.first, filledTo: byteCount)
            + Self.allocatedBytes(of: end, filledTo: end?.readableBytes ?? 0)
    }

    /// A buffer has a power of two of bytes, of which pages that were never written take no memory.
    private static func allocatedBytes(of buffer: ByteBuffer?, filledTo count: Int) -> Int {
        guard let buffer else { return 0 }
        return 96 + min(buffer.storageCapacity, (count + 4_095) & ~4_095)
    }

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
        members = text.versionMembers
        byteCount = bytes.readableBytes
        // The results may select no value with the ID, though the template has some.
        guard let lastGap = text.gaps.last else {
            whole = RenderedDocument(bytes, members, version: version)
            gapHashing = nil
            return
        }
        whole = nil
        var start = SHA256()
        start.update(data: pieces[0].readableBytesView)
        let (sections, between, rest) = members.content(of: bytes)
        var end = ByteBuffer(bytes: sections[lastGap...])
        end.writeBytes(between)
        end.writeBytes(rest)
        gapHashing = GapHashing(start: start, end: end)
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
        // All gaps are in the sections.
        let members = members.shifted(by: text.count * (pieces.count - 1))
        return RenderedDocument(bytes, members, version: version)
    }

    /// The tag of a user's document, computed without assembling the document.
    ///
    /// The bytes after the first gap are hashed for each user: a tag depends on the content of the
    /// document alone (PROTOCOL 1), so a hash of the pieces and the ID would not do. The same document
    /// can also result from other conditions, or from overrides, in other pieces.
    func entityTag(forUserID userID: String?) -> EntityTag {
        guard let gapHashing else {
            return document(forUserID: userID).entityTag
        }
        let text = Self.jsonText(ofUserID: userID)
        var hash = gapHashing.start
        for piece in pieces.dropFirst().dropLast() {
            hash.update(data: text)
            hash.update(data: piece.readableBytesView)
        }
        hash.update(data: text)
        hash.update(data: gapHashing.end.readableBytesView)
        return EntityTag(hash.finalize(), isWeak: true)
    }

    /// The user's ID in a JSON string, without the quotation marks.
    private static func jsonText(ofUserID userID: String?) -> Data {
        Data(DocumentText.escaped(userID ?? "").utf8)
    }
}
