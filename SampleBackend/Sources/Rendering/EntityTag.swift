import Crypto
public import NIOCore
import NIOFoundationEssentialsCompat

/// A type that names one state of a document, as HTTP's `ETag` does (RFC 9110, 8.8.3).
///
/// ```swift
/// EntityTag(ofContent: ByteBuffer()).description  // "e3b0c44298fc1c149afbf4c8996fb924" in quotes
/// ```
public struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// What stands between the quotation marks.
    public let opaqueTag: String

    /// Makes the strong tag of some bytes: it depends on them alone (HTTP 1).
    ///
    /// The tag is the first 128 bits of their SHA-256, in hexadecimal digits.
    ///
    /// - Parameter content: The bytes of a document.
    public init(ofContent content: ByteBuffer) {
        let digits = Array("0123456789abcdef".utf8)
        var tag: [UInt8] = []
        for byte in SHA256.hash(data: content.readableBytesView).prefix(16) {
            tag.append(digits[Int(byte >> 4)])
            tag.append(digits[Int(byte & 15)])
        }
        self.opaqueTag = String(decoding: tag, as: UTF8.self)
    }

    /// The tag as the value of an `ETag` field, in quotation marks.
    public var description: String { "\"\(opaqueTag)\"" }
}
