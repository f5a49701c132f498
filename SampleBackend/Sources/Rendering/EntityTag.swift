package import Crypto
import JSONTree
public import NIOCore
import NIOFoundationEssentialsCompat

/// An entity tag, the value of HTTP's `ETag` (RFC 9110, 8.8.3).
///
/// ```swift
/// EntityTag(ofContent: ByteBuffer()).description  // "e3b0c44298fc1c149afbf4c8996fb924" in quotes
/// ```
public struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// The text between the quotation marks.
    public let opaqueTag: String

    /// A Boolean value that indicates whether the tag is weak: different representations may share
    /// it.
    public let isWeak: Bool

    /// Creates the strong tag of some bytes; it depends on nothing else.
    ///
    /// The tag is the first 128 bits of their SHA-256, in hexadecimal digits.
    ///
    /// - Parameters:
    ///   - content: The bytes.
    ///   - prefix: Text to put before the digits, without quotation marks.
    public init(ofContent content: ByteBuffer, prefix: String = "") {
        let hash = SHA256.hash(data: content.readableBytesView)
        opaqueTag = prefix + Array(hash.prefix(16)).hexadecimal
        isWeak = false
    }

    /// Creates a tag from a SHA-256.
    package init(_ hash: SHA256Digest, isWeak: Bool) {
        opaqueTag = Array(hash.prefix(16)).hexadecimal
        self.isWeak = isWeak
    }

    /// The tag as the value of an `ETag` field, in quotation marks.
    public var description: String { isWeak ? "W/\"\(opaqueTag)\"" : "\"\(opaqueTag)\"" }
}

/// The byte ranges, in a document, of the members of `meta` that differ in every version:
/// `creation_time` and `template_version`, each including a comma.
///
/// The rest is the content, which the document's tag covers (PROTOCOL 1).
struct VersionMembers: Sendable {
    let time: Range<Int>
    let version: Range<Int>

    /// The ranges after `count` bytes were inserted before them; a negative count removes bytes.
    func shifted(by count: Int) -> VersionMembers {
        VersionMembers(
            time: time.lowerBound + count..<time.upperBound + count,
            version: version.lowerBound + count..<version.upperBound + count)
    }

    /// The parts of a document around the two ranges.
    func content(
        of text: ByteBuffer
    ) -> (ByteBufferView, between: ByteBufferView, end: ByteBufferView) {
        let bytes = text.readableBytesView
        return (
            bytes[..<time.lowerBound], bytes[time.upperBound..<version.lowerBound],
            bytes[version.upperBound...]
        )
    }

    /// The SHA-256 of a document's content, and of the whole document.
    func hashes(of document: ByteBuffer) -> (content: SHA256Digest, body: SHA256Digest) {
        let (sections, between, end) = content(of: document)
        var content = SHA256()
        content.update(data: sections)
        // Hash the common prefix only once.
        var body = content
        content.update(data: between)
        content.update(data: end)
        body.update(data: document.readableBytesView[sections.endIndex...])
        return (content.finalize(), body.finalize())
    }
}
