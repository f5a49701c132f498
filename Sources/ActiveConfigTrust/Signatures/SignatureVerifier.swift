import ActiveConfig
public import Foundation

/// Verifies document signatures.
///
/// `Ed25519Verifier` does on Apple's platforms. Elsewhere implement it in three lines with
/// swift-crypto; see <doc:Signed-documents>.
public protocol SignatureVerifier: Sendable {
    /// Verifies a signature.
    ///
    /// - Parameters:
    ///   - signature: The signature, 64 bytes for Ed25519.
    ///   - message: The signed text, which contains project, user, version, expiry, content and
    ///     entity tag.
    ///   - keyID: The name of the key in the signature.
    /// - Returns: True when the key is known, and the message's signature was made with it.
    func isValidSignature(_ signature: Data, of message: Data, keyID: String) -> Bool
}
