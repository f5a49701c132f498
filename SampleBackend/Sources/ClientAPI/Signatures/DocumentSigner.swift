import Crypto
import Foundation
import HTTPServing
import JSONTree
import NIOConcurrencyHelpers
import Rendering

/// Signs documents, each once per user and period (PROTOCOL 1).
public final class DocumentSigner: Sendable {
    static let fieldName = "ActiveConfig-Signature"

    /// The allowed lifetimes, in seconds.
    public static let lifetimes = 60...31_536_000

    /// The default lifetime, in seconds.
    public static let defaultLifetime = 86_400

    /// Maximum number of signatures per generation, which fills a hash table of 2^17 slots.
    private static let maximumSignatures = 98_304

    /// The signatures by the hash of their statement.
    fileprivate struct State: Sendable {
        var young: [SHA256Digest: SIMD8<UInt64>] = [:]
        /// Signatures that were used before the last rotation.
        var old: [SHA256Digest: SIMD8<UInt64>] = [:]
    }

    private let state = NIOLockedValueBox(State())
    private let key: SigningKey
    private let sign: Signing
    private let lifetime: Int
    private let now: @Sendable () -> Date

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - key: The signing key.
    ///   - lifetime: The maximum validity of a signature in seconds, within ``lifetimes``.
    public convenience init(key: SigningKey, lifetime: Int = defaultLifetime) {
        self.init(
            key: key, lifetime: lifetime, now: { Date() },
            sign: { try $0.signature(for: $1) })
    }

    /// Signs a message.
    typealias Signing =
        @Sendable (Curve25519.Signing.PrivateKey, _ message: [UInt8]) throws -> Data

    /// Creates a signer; `now` and `sign` are test seams.
    init(
        key: SigningKey, lifetime: Int, now: @escaping @Sendable () -> Date,
        sign: @escaping Signing = { try $0.signature(for: $1) }
    ) {
        self.key = key
        self.sign = sign
        self.lifetime = lifetime
        self.now = now
    }

    /// The value of `ActiveConfig-Signature` for a user's document.
    ///
    /// - Throws: The error of a failed signature.
    func fieldValue(
        for identity: DocumentIdentity, project: String, userID: String?
    ) throws -> String {
        let statement = SignedStatement(
            project: project, userID: userID, identity: identity,
            expiration: SignedStatement.expiration(
                at: Int(now().timeIntervalSince1970), lifetime: lifetime))
        let signature = try signature(of: statement.bytes)
        return "keyid=\"\(key.id)\", expires=\(statement.expiration), "
            + "version=\(identity.version), sig=:\(signature.base64EncodedString()):"
    }

    private func signature(of statement: [UInt8]) throws -> Data {
        let hash = SHA256.hash(data: statement)
        if let known = state.withLockedValue({ $0.signature(of: hash) }) { return Data(known) }
        // Not under the lock, since signing takes as long as answering several requests.
        let signature = try sign(key.privateKey, statement)
        guard let words = SIMD8<UInt64>(signature) else {
            throw SigningKeyError("the signature has \(signature.count) bytes instead of 64")
        }
        state.withLockedValue { $0.keep(words, for: hash, atMost: Self.maximumSignatures) }
        return signature
    }
}

extension DocumentSigner.State {
    fileprivate mutating func signature(of hash: SHA256Digest) -> SIMD8<UInt64>? {
        if let signature = young[hash] { return signature }
        guard let signature = old[hash] else { return nil }
        keep(signature, for: hash, atMost: DocumentSigner.maximumSignatures)
        return signature
    }

    /// Adds a signature; when the young generation is full, the old one is dropped.
    fileprivate mutating func keep(
        _ signature: SIMD8<UInt64>, for hash: SHA256Digest, atMost maximum: Int
    ) {
        if young.count >= maximum {
            old = young
            young = [:]
        }
        young[hash] = signature
    }
}

extension SIMD8<UInt64> {
    /// Creates words from 64 bytes; nil for any other number of bytes.
    fileprivate init?(_ bytes: Data) {
        guard bytes.count == 64 else { return nil }
        self.init()
        for (index, byte) in bytes.enumerated() {
            self[index / 8] |= UInt64(byte) << UInt64(8 * (index % 8))
        }
    }
}

extension Data {
    fileprivate init(_ words: SIMD8<UInt64>) {
        self.init(capacity: 64)
        for index in 0..<64 {
            append(UInt8(truncatingIfNeeded: words[index / 8] >> UInt64(8 * (index % 8))))
        }
    }
}
