package import Foundation
public import HTTPServing
import JSONTree
import JWTKit
public import Logging
import NIOConcurrencyHelpers

/// Verifies user tokens: JWTs whose `sub` is the user's ID (PROTOCOL 1).
public final class UserTokenVerifier: Sendable {
    /// Minimum time between two reloads of the key set file.
    private static let readingInterval: Duration = .seconds(60)

    /// Maximum bytes of a token, which is parsed before its signature is verified.
    private static let maximumTokenBytes = 16_384

    private struct KeySetFile: Sendable {
        let path: String
        let now: @Sendable () -> ContinuousClock.Instant
    }

    private struct State: Sendable {
        var keys: [UserTokenKey]
        /// The time of the last reload; nil before the first.
        var readingTime: ContinuousClock.Instant?
        /// The reload in progress, shared by all tokens that wait for it.
        var reading: Task<Void, Never>?
    }

    private let state: NIOLockedValueBox<State>
    private let rules: UserTokenRules
    private let logger: Logger?
    private let file: KeySetFile?

    /// Verifies tokens signed with a shared secret (HS256).
    ///
    /// - Parameters:
    ///   - secret: The secret; at least 32 bytes.
    ///   - rules: The claims that a token needs in addition to `sub`.
    ///   - logger: Logs at level debug why tokens are refused; nil logs nothing.
    /// - Throws: JWTKit's error when the secret cannot be used.
    public init(
        secret: Secret, rules: UserTokenRules = UserTokenRules(), logger: Logger? = nil
    ) async throws {
        state = NIOLockedValueBox(State(keys: [try await .key(of: secret)]))
        self.rules = rules
        self.logger = logger
        file = nil
    }

    /// Verifies tokens signed with a key of a JWKS file.
    ///
    /// A token with an unknown `kid` triggers a reload of the file, at most once a minute. When a
    /// reload fails, the error is logged and the loaded keys stay in use.
    ///
    /// - Parameters:
    ///   - path: The path of a JWKS file.
    ///   - rules: The claims that a token needs in addition to `sub`.
    ///   - logger: Logs failed reloads, and at level debug why tokens are refused.
    /// - Throws: A ``UserTokenKeyError`` when the file cannot be read or has no usable key.
    public convenience init(
        keySetFile path: String, rules: UserTokenRules = UserTokenRules(), logger: Logger
    ) async throws(UserTokenKeyError) {
        try await self.init(keySetFile: path, rules: rules, logger: logger, now: { .now })
    }

    /// Verifies tokens with the keys of a file; `now` is a test seam.
    init(
        keySetFile path: String, rules: UserTokenRules, logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) async throws(UserTokenKeyError) {
        state = NIOLockedValueBox(State(keys: try await Self.keys(ofFile: path)))
        self.rules = rules
        self.logger = logger
        file = KeySetFile(path: path, now: now)
    }

    /// A valid token; nil when the token is malformed, not signed with a known key, or violates the
    /// rules.
    ///
    /// The reason is logged.
    func token(_ text: String?, at date: Date) async -> VerifiedUserToken? {
        do throws(UserTokenRefusal) {
            return try await checkedToken(text, at: date)
        } catch {
            if text != nil {
                logger?.debug(
                    "The token of a user was refused", metadata: ["reason": "\(error)"])
            }
            return nil
        }
    }

    /// Verifies a token.
    ///
    /// - Parameters:
    ///   - text: The token; nil when none was sent.
    ///   - date: The time at which the token must be valid.
    /// - Returns: The token's user and expiration.
    /// - Throws: The reason why the token is refused.
    package func checkedToken(
        _ text: String?, at date: Date
    ) async throws(UserTokenRefusal) -> VerifiedUserToken {
        guard let text else { throw .absent }
        guard text.utf8.count <= Self.maximumTokenBytes else { throw .unreadable }
        let parsed = try ParsedToken(text)
        if !isKnown(keyID: parsed.keyID) { await readAgain() }
        let keys = state.withLockedValue(\.keys).filter(parsed.fits)
        if keys.isEmpty {
            throw .unknownKey(algorithm: parsed.algorithmName, id: parsed.keyID)
        }
        guard keys.contains(where: parsed.isSigned(with:)) else { throw .wrongSignature }
        return VerifiedUserToken(
            userID: try rules.check(parsed.payload, at: date),
            expirationDate: UserTokenRules.expirationDate(of: parsed.payload, at: date))
    }

    /// True when a loaded key matches this `kid`, or when `kid` is nil.
    private func isKnown(keyID: String?) -> Bool {
        guard let keyID else { return true }
        return state.withLockedValue { state in
            state.keys.contains { $0.id.map { $0.hasSameBytes(as: keyID) } ?? true }
        }
    }

    /// Reloads the key set file, at most once a minute; concurrent callers share one reload.
    private func readAgain() async {
        guard let file else { return }
        let reading: Task<Void, Never>? = state.withLockedValue { state in
            if let reading = state.reading { return reading }
            let now = file.now()
            if let time = state.readingTime, time.duration(to: now) < Self.readingInterval {
                return nil
            }
            state.readingTime = now
            let reading = Task { await self.replaceKeys(from: file) }
            state.reading = reading
            return reading
        }
        await reading?.value
    }

    /// The path of the key set file; nil with a secret.
    package var path: String? { file?.path }

    /// Reads the key set file.
    ///
    /// - Throws: A ``UserTokenKeyError`` when the file cannot be read or has no usable key; the
    ///   loaded keys stay in use.
    package func readKeys() async throws(UserTokenKeyError) {
        guard let file else { return }
        // A reload that began with an older file must not end last.
        await state.withLockedValue(\.reading)?.value
        try await replaceKeys(byFile: file.path)
    }

    private func replaceKeys(byFile path: String) async throws(UserTokenKeyError) {
        let keys = try await Self.keys(ofFile: path)
        state.withLockedValue { $0.keys = keys }
    }

    private func replaceKeys(from file: KeySetFile) async {
        do throws(UserTokenKeyError) {
            try await replaceKeys(byFile: file.path)
        } catch {
            logger?.warning(
                "The keys for user tokens could not be reloaded: the loaded keys stay in use",
                metadata: ["file": "\(file.path)", "error": "\(error)"])
        }
        state.withLockedValue { $0.reading = nil }
    }

    /// Reads a key set file.
    private static func keys(
        ofFile path: String
    ) async throws(UserTokenKeyError) -> [UserTokenKey] {
        let data: Data
        do {
            data = try await onBlockingThread {
                let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
                defer { try? file.close() }
                return try file.read(upToCount: UserTokenKey.maximumKeySetBytes + 1) ?? Data()
            }
        } catch {
            throw UserTokenKeyError("it cannot be read")
        }
        return try await UserTokenKey.keys(ofSet: data)
    }
}

extension UserTokenVerifier: CustomReflectable {
    /// A mirror without children: the keys may be secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A valid user token.
package struct VerifiedUserToken: Sendable, Hashable {
    /// The user's ID.
    package let userID: String

    /// Nil means never.
    package let expirationDate: Date?
}

/// A parsed token whose signature is not verified yet.
private struct ParsedToken {
    let keyID: String?
    let payload: UserTokenPayload
    let algorithmName: String
    private let signature: Data
    private let signedBytes: ArraySlice<UInt8>

    /// Parses a well-formed token that requires no extensions (`crit`).
    init(_ token: String) throws(UserTokenRefusal) {
        let bytes = Array(token.utf8)
        guard let end = bytes.lastIndex(of: UInt8(ascii: ".")),
            let parsed = try? DefaultJWTParser().parse(bytes, as: UserTokenPayload.self),
            let algorithm = parsed.header.alg
        else { throw .unreadable }
        guard parsed.header.fields["crit"] == nil else { throw .extended }
        keyID = parsed.header.kid
        payload = parsed.payload
        algorithmName = algorithm
        signature = parsed.signature
        signedBytes = bytes[..<end]
    }

    /// True when the key may have signed the token.
    func fits(_ key: UserTokenKey) -> Bool { key.fits(algorithm: algorithmName, id: keyID) }

    /// True when the key, which must fit, has signed the token.
    func isSigned(with key: UserTokenKey) -> Bool {
        key.hasSigned(signedBytes, as: signature)
    }
}
