import ActiveConfig

#if canImport(CryptoKit)
    import CryptoKit
    public import Foundation

    /// Verifies Ed25519 signatures (RFC 8032) with the system's CryptoKit.
    ///
    /// ```swift
    /// let verifier = try Ed25519Verifier(publicKeys: ["2026-11": "base64 of the server's public key"])
    /// options.vetting = [SignatureVetting(verifier: verifier)]
    /// ```
    public struct Ed25519Verifier: SignatureVerifier {
        /// A malformed public key.
        public struct InvalidKeyError: Error, Sendable, CustomStringConvertible {
            /// The key's name.
            public let keyID: String

            /// One sentence with the key's name.
            public var description: String {
                "The public key '\(keyID)' is not 32 bytes in base64, as `keys public` prints them."
            }
        }

        private let keys: [String: Curve25519.Signing.PublicKey]

        /// Creates a verifier.
        ///
        /// To rotate the server's key, ship apps with both keys first, then let the server sign
        /// with the new one.
        ///
        /// - Parameter publicKeys: The keys by name, each 32 bytes in base64.
        /// - Throws: ``InvalidKeyError``.
        public init(publicKeys: [String: String]) throws {
            var keys: [String: Curve25519.Signing.PublicKey] = [:]
            for (name, text) in publicKeys {
                guard let data = Data(base64Encoded: text),
                    let key = try? Curve25519.Signing.PublicKey(rawRepresentation: data)
                else { throw InvalidKeyError(keyID: name) }
                keys[name] = key
            }
            self.keys = keys
        }

        /// True when the key is known, and the message's signature was made with it.
        public func isValidSignature(_ signature: Data, of message: Data, keyID: String) -> Bool {
            keys[keyID]?.isValidSignature(signature, for: message) ?? false
        }
    }
#endif
