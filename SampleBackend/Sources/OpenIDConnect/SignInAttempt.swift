import Crypto
package import Foundation
import HTTPServing

/// A sign-in that a browser has begun: what its cookie keeps until the provider sends it back.
package struct SignInAttempt: Sendable, Hashable, Codable {
    /// In seconds.
    package static let lifetime: TimeInterval = 600

    /// Returned by the provider; separates the sign-ins that this browser has begun from others.
    package let state: String

    /// Returned in the ID token, which so cannot be of another sign-in.
    package let nonce: String

    /// The secret with which the code can be exchanged (RFC 7636).
    package let verifier: String

    package let expirationDate: Date

    /// Begins a sign-in with random values.
    package init(at date: Date) {
        state = Data.random(bytes: 32).base64URL
        nonce = Data.random(bytes: 32).base64URL
        verifier = Data.random(bytes: 32).base64URL
        expirationDate = date + Self.lifetime
    }

    /// The hash of the verifier that the provider receives first (S256).
    package var challenge: String { Data.sha256(of: verifier).base64URL }
}

/// The content of the short-lived cookie, encrypted, so that no replica has to remember it and no
/// other site can write it.
package enum SignInNote: Sendable, Hashable, Codable {
    case attempt(SignInAttempt)
    /// The reason for which the last sign-in failed; the page shows it once.
    case failure(String)
}

/// Encrypts and decrypts notes with a key that all replicas derive from the client secret.
struct NoteSeal: Sendable {
    private let key: SymmetricKey

    init(secret: Secret) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Data(secret.text.utf8)),
            info: Data("activeconfig openid sign-in".utf8), outputByteCount: 32)
    }

    func sealed(_ note: SignInNote) -> String? {
        guard let data = try? JSONEncoder().encode(note) else { return nil }
        return try? AES.GCM.seal(data, using: key).combined?.base64URL
    }

    /// Nil for a text that this server has not sealed.
    func opened(_ text: String) -> SignInNote? {
        guard text.utf8.count <= 4_096, let data = Data(base64URL: text),
            let box = try? AES.GCM.SealedBox(combined: data),
            let content = try? AES.GCM.open(box, using: key)
        else { return nil }
        return try? JSONDecoder().decode(SignInNote.self, from: content)
    }
}
