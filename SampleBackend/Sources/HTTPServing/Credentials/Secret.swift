import Crypto
package import Foundation

/// A string that is never printed: its description, dumps and mirrors are redacted.
///
/// It is not `Codable`, so that it cannot end up in a file by accident either.
public struct Secret: Sendable, Hashable {
    /// The plain text, for sending it or signing with it.
    public let text: String

    /// Wraps a plain text.
    public init(_ text: String) {
        self.text = text
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder, the same for every secret.
    public var description: String { "(secret)" }

    /// A placeholder, the same for every secret.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The SHA-256 of a secret, enough to recognize it.
///
/// Its description is redacted too: a short secret could be found from its hash by brute force.
public struct SecretHash: Sendable {
    /// The digest, for deriving other keys.
    package let data: Data

    /// Hashes the plain text of a secret.
    public init(of text: String) {
        data = .sha256(of: text)
    }

    /// True when a text is the secret; compares in constant time.
    package func matches(_ text: String) -> Bool {
        data.equalsInConstantTime(.sha256(of: text))
    }
}

extension SecretHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder, the same for every hash.
    public var description: String { "(hash of a secret)" }

    /// A placeholder, the same for every hash.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
