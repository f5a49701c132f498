import ActiveConfig
public import Foundation

/// Whatever knows the public keys by which documents are signed.
///
/// On Apple's platforms `Ed25519Verifier` is one. Elsewhere the app brings one, in three lines with
/// swift-crypto; see <doc:Signed-configurations>.
public protocol SignatureVerifier: Sendable {
    /// Tells whether a signature is right.
    ///
    /// - Parameters:
    ///   - signature: The signature, 64 bytes for Ed25519.
    ///   - message: The signed text: of which project, user, version, expiry, content and entity tag
    ///     the signature is.
    ///   - keyID: The name of the key that the signature says it was made with.
    /// - Returns: True when the key is known, and the signature of the message is that key's.
    func isValidSignature(_ signature: Data, of message: Data, keyID: String) -> Bool
}
