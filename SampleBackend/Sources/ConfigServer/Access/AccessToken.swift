import Crypto
public import Foundation
public import TemplateStore

/// A new access token: its text, which is shown once, and what is stored of it.
///
/// Descriptions, dumps and mirrors leave the text out.
public struct AccessToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// The text that goes behind `Authorization: Bearer`: `acfg_` and 256 random bits.
    public let text: String

    /// What a store keeps: the hash, and never the text.
    public let stored: StoredToken

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - name: What people call it.
    ///   - role: What it may do.
    ///   - date: The time of its making.
    ///   - expirationDate: When it ends; nil means never.
    public init(
        name: String, role: StoredToken.Role, date: Date, expirationDate: Date?
    ) {
        text = "acfg_" + Self.random(bytes: 32).base64URL
        stored = StoredToken(
            id: Self.random(bytes: 6).hexadecimal, name: name, role: role,
            hash: Self.hash(of: text), creationDate: date, expirationDate: expirationDate)
    }

    /// Puts a token together.
    init(text: String, stored: StoredToken) {
        self.text = text
        self.stored = stored
    }

    /// The name and the role.
    public var description: String { "\(stored.name) (\(stored.role.rawValue))" }

    /// A mirror without the text.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    /// The SHA-256 of a token's text.
    static func hash(of text: String) -> Data {
        Data(SHA256.hash(data: Data(text.utf8)))
    }

    /// Random bytes of the system's generator for secrets.
    static func random(bytes count: Int) -> Data {
        unsafe SymmetricKey(size: SymmetricKeySize(bitCount: 8 * count)).withUnsafeBytes {
            unsafe Data($0)
        }
    }
}

extension Data {
    /// The bytes as lowercase digits.
    var hexadecimal: String {
        map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// Whether the bytes are the same; the time depends on their number alone.
    func equalsInConstantTime(_ other: Data) -> Bool {
        guard count == other.count else { return false }
        return zip(self, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
