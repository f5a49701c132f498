public import ActiveConfig
import ActiveConfigJSON
package import Crypto
import Foundation
import JSONTree
public import NIOCore
import NIOFoundationEssentialsCompat

/// A configuration ready to send: its bytes and its entity tag.
///
/// Copies share the bytes, so one value can answer any number of users.
public struct RenderedDocument: Sendable, Hashable {
    /// The document in the exchange format (FORMAT), UTF-8.
    public let jsonBytes: ByteBuffer

    /// The tag of the content, which is everything except the version and its time in `meta`.
    ///
    /// It is weak because documents of several versions may share it. It is strong when it covers
    /// all bytes, as ``init(jsonBytes:version:)`` computes it.
    public let entityTag: EntityTag

    /// `meta.template_version`; 0 when the document has none.
    public let version: Int

    /// SHA-256 of the bytes.
    package let bodyHash: SHA256Digest

    /// Renders a configuration.
    ///
    /// - Parameter state: The configuration; its `entityTag` is ignored.
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
    ///   - jsonBytes: A document in the exchange format. It is not parsed, so the tag is the strong
    ///     tag of all bytes.
    ///   - version: Its `meta.template_version`.
    public init(jsonBytes: ByteBuffer, version: Int = 0) {
        self.jsonBytes = jsonBytes
        self.version = version
        bodyHash = SHA256.hash(data: jsonBytes.readableBytesView)
        entityTag = EntityTag(bodyHash, isWeak: false)
    }

    /// Creates a document of a template from its text and the positions of its version members.
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

    /// The identity that covers all bytes of the document, with a strong tag.
    package var exactIdentity: DocumentIdentity {
        DocumentIdentity(
            entityTag: EntityTag(bodyHash, isWeak: false), version: version, bodyHash: bodyHash)
    }
}

/// The identity of a document without its bytes, as a 304 response needs it.
public struct DocumentIdentity: Sendable, Hashable {
    /// The tag of the document.
    public let entityTag: EntityTag

    /// The document's `meta.template_version`.
    public let version: Int

    /// SHA-256 of the whole document; nil when only its content is identified.
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

/// The state of a document source: while the stamp is the same object, equal requests get equal
/// documents.
public final class DocumentStamp: Sendable {
    /// Creates a stamp that differs from all others.
    public init() {}
}

/// A rendered document that many users share: complete, or with gaps for the user's ID.
///
/// A class so that a request takes one reference, whose count all threads share.
final class RenderedPieces: Sendable {
    /// The bytes between the gaps; one piece when the document is the same for all users.
    private let pieces: [ByteBuffer]

    /// The complete document; nil when there are gaps.
    private let whole: RenderedDocument?

    private let version: Int

    /// The positions of the members that entity tags exclude.
    private let members: VersionMembers

    /// The precomputed parts of each user's tag; nil when there are no gaps.
    private let gapHashing: GapHashing?

    private struct GapHashing: Sendable {
        /// Hash of the bytes before the first gap.
        let start: SHA256
        /// The content of the last piece, without the members that entity tags exclude.
        let end: ByteBuffer
    }

    /// Total number of bytes, excluding the user's ID.
    private let byteCount: Int

    /// Approximate heap memory in bytes, including the headers of the allocated blocks.
    var allocatedBytes: Int {
        let list = 48 + pieces.capacity * MemoryLayout<ByteBuffer>.stride
        let tagOrHash = gapHashing == nil ? 80 : 144
        let end = gapHashing?.end
        // All pieces are slices of one buffer.
        return Self.objectBytes + list + tagOrHash
            + Self.allocatedBytes(of: pieces.first, filledTo: byteCount)
            + Self.allocatedBytes(of: end, filledTo: end?.readableBytes ?? 0)
    }

    /// Memory of an instance in bytes, without what its properties reference.
    private static let objectBytes =
        56 + MemoryLayout<RenderedDocument?>.stride + MemoryLayout<VersionMembers>.stride
        + MemoryLayout<GapHashing?>.stride

    /// A buffer's capacity is a power of two; its pages that were never written take no memory.
    private static func allocatedBytes(of buffer: ByteBuffer?, filledTo count: Int) -> Int {
        guard let buffer else { return 0 }
        return 96 + min(buffer.storageCapacity, (count + 4_095) & ~4_095)
    }

    /// Cuts a document at its gaps.
    ///
    /// - Parameters:
    ///   - text: The document, with a gap at each position of the user's ID.
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
        // The results may select no value that contains the ID, even if the template has such
        // values.
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
    /// The bytes after the first gap are hashed again for each user. A tag must depend on the
    /// content of the document alone (PROTOCOL 1), and the same document can result from other
    /// conditions or from pinned values, cut into other pieces. A hash of the pieces and the ID
    /// would differ then.
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

    /// The user's ID escaped for JSON, without the quotation marks.
    private static func jsonText(ofUserID userID: String?) -> Data {
        Data(DocumentText.escaped(userID ?? "").utf8)
    }
}
