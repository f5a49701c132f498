package import Crypto
import Foundation

/// An Ed25519 key that signs documents (PROTOCOL 1), with the ID by which clients select its public
/// key.
///
/// Descriptions, dumps and mirrors omit the private key.
public struct SigningKey: Sendable {
    /// 1 to 64 ASCII letters, digits, `.`, `_` and `-`.
    public let id: String

    package let privateKey: Curve25519.Signing.PrivateKey

    /// Reads a key.
    ///
    /// - Parameters:
    ///   - id: The ID.
    ///   - text: The private key as PEM (PKCS 8, `BEGIN PRIVATE KEY`), as 32 bytes in Base64, or as
    ///     the output of `sample-backend keys generate`, with or without the line of the public
    ///     key.
    /// - Throws: A ``SigningKeyError`` when the ID or the key is malformed.
    public init(id: String, text: String) throws(SigningKeyError) {
        guard Self.isID(id) else {
            throw SigningKeyError(
                "the ID \"\(id.prefix(64))\" is not 1 to 64 letters, digits, \".\", \"_\" and \"-\""
            )
        }
        guard let seed = Self.seed(of: text),
            let privateKey = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        else {
            throw SigningKeyError(
                "the key \"\(id)\" is neither PEM (PKCS 8) of Ed25519 nor 32 bytes in Base64")
        }
        self.id = id
        self.privateKey = privateKey
    }

    /// Generates a key.
    ///
    /// - Parameter id: The ID.
    /// - Returns: The key.
    /// - Throws: A ``SigningKeyError`` when the ID is malformed.
    public static func generate(id: String) throws(SigningKeyError) -> SigningKey {
        let key = Curve25519.Signing.PrivateKey()
        return try SigningKey(id: id, text: key.rawRepresentation.base64EncodedString())
    }

    /// The 32 bytes of the private key in Base64.
    ///
    /// Keep it secret.
    public var privateText: String { privateKey.rawRepresentation.base64EncodedString() }

    /// The public key in the form that apps configure: `ID:` and the 32 bytes of the public key in
    /// Base64.
    public var publicText: String {
        "\(id):\(privateKey.publicKey.rawRepresentation.base64EncodedString())"
    }

    private static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// The bytes in PKCS 8 between the version and the 32 bytes of the key (RFC 8410, 7).
    private static let prefix: [UInt8] = [
        0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]

    private static let pemBegin = ["-----BEGIN", "PRIVATE", "KEY-----"]
    private static let pemEnd = ["-----END", "PRIVATE", "KEY-----"]

    private static func seed(of text: String) -> Data? {
        var words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        if words.first == "private" {
            words.removeFirst()
            if words.count == 3, words[1] == "public" { words.removeLast(2) }
        }
        guard words.first == "-----BEGIN" else {
            let seed = words.count == 1 ? Data(base64Encoded: words[0]) : nil
            return seed?.count == 32 ? seed : nil
        }
        guard words.count > 6, words.prefix(3).elementsEqual(pemBegin),
            words.suffix(3).elementsEqual(pemEnd),
            let data = Data(base64Encoded: words.dropFirst(3).dropLast(3).joined())
        else { return nil }
        let bytes = [UInt8](data)
        // A sequence of matching length with version 0, or 1 if a public key follows.
        guard bytes.count >= 48, bytes[0] == 0x30, Int(bytes[1]) == bytes.count - 2,
            bytes[2] == 0x02, bytes[3] == 0x01, bytes[4] <= 1, bytes[5..<16].elementsEqual(prefix)
        else { return nil }
        return Data(bytes[16..<48])
    }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    /// The ID.
    public var description: String { "key \(id)" }

    /// A mirror without the key.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// A failure to read a signing key.
public struct SigningKeyError: Error, Sendable, CustomStringConvertible {
    /// The problem, phrased as the end of a sentence; it never contains the key.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
