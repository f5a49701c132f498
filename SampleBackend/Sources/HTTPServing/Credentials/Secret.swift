import Crypto
package import Foundation

/// A string that is redacted in descriptions, dumps and mirrors.
///
/// It is not `Codable`, so it cannot be written to a file by accident.
public struct Secret: Sendable, Hashable {
    /// The plain text, for sending or signing.
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

/// The SHA-256 of a secret, for comparing it without storing it.
///
/// Its description is redacted too, since brute force can find a short secret from its hash.
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
