import ActiveConfigTrust
import Crypto
import Foundation

/// A verifier for platforms without CryptoKit, as an app implements it.
struct CryptoVerifier: SignatureVerifier {
    let keys: [String: Curve25519.Signing.PublicKey]

    func isValidSignature(_ signature: Data, of message: Data, keyID: String) -> Bool {
        keys[keyID]?.isValidSignature(signature, for: message) ?? false
    }
}
