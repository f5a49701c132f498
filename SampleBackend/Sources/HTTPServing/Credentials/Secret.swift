import Crypto
package import Foundation

/// A text that nothing prints: neither its description nor a dump or mirror shows any of it.
///
/// It is not `Codable`, so that it gets into no file by accident either.
public struct Secret: Sendable, Hashable {
    /// The text, for whoever has to send it or sign with it.
    public let text: String

    /// Takes a text.
    public init(_ text: String) {
        self.text = text
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The same for every secret.
    public var description: String { "(secret)" }

    /// The same for every secret.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The SHA-256 of a secret: all that is needed to recognize it.
///
/// It is not printed either: a short secret could be found by its hash.
public struct SecretHash: Sendable {
    /// The bytes of the hash, for deriving other keys.
    package let data: Data

    /// Hashes a secret's text.
    public init(of text: String) {
        data = .sha256(of: text)
    }

    /// Whether a text is the secret; compares in constant time.
    package func matches(_ text: String) -> Bool {
        data.equalsInConstantTime(.sha256(of: text))
    }
}

extension SecretHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The same for every hash.
    public var description: String { "(hash of a secret)" }

    /// The same for every hash.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
