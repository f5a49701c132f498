import Crypto
package import Foundation

extension Data {
    /// The bytes in URL-safe Base64 without padding (RFC 4648, 5).
    package var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    /// Decodes URL-safe Base64 without padding; nil when the text is malformed.
    package init?(base64URL text: String) {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        self.init(
            base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding)
    }

    /// True when the bytes are equal; the time depends only on their number.
    package func equalsInConstantTime(_ other: Data) -> Bool {
        guard count == other.count else { return false }
        return zip(self, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// The SHA-256 of a text's UTF-8.
    package static func sha256(of text: String) -> Data {
        Data(SHA256.hash(data: Data(text.utf8)))
    }

    /// Random bytes from a cryptographically secure generator.
    package static func random(bytes count: Int) -> Data {
        unsafe SymmetricKey(size: SymmetricKeySize(bitCount: 8 * count)).withUnsafeBytes {
            unsafe Data($0)
        }
    }
}

extension RequestFields {
    /// The token after `Authorization: Bearer`, or nil.
    package var bearerToken: String? {
        guard let parts = first(named: "authorization")?.split(separator: " ", maxSplits: 1),
            parts.count == 2, parts[0].lowercased() == "bearer"
        else { return nil }
        return String(parts[1])
    }
}
