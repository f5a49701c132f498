import ActiveConfig
public import Foundation

/// Why a document is not trusted.
public struct SignatureError: Error, Sendable, Hashable {
    /// The kind of fault.
    ///
    /// Codes may be added: keep a `default` when you switch over it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case unsigned, malformed, invalid, expired, versionMismatch, contentMismatch, replayed
            case otherDocument
        }

        private let kind: Kind

        /// There is no signature.
        public static let unsigned = Code(kind: .unsigned)
        /// The signature's header field or the entity tag is incomplete or unreadable, or occurs
        /// several times.
        public static let malformed = Code(kind: .malformed)
        /// The key is unknown, or the signature was not made with it for this user, version,
        /// expiry, content and entity tag.
        public static let invalid = Code(kind: .invalid)
        /// The signature is valid but too old for an answer, or the device's clock is wrong.
        public static let expired = Code(kind: .expired)
        /// The document states another version than was signed.
        public static let versionMismatch = Code(kind: .versionMismatch)
        /// The configuration differs from the signed bytes.
        public static let contentMismatch = Code(kind: .contentMismatch)
        /// The document is older than an earlier one of the user.
        public static let replayed = Code(kind: .replayed)
        /// The answer confirms another document than the client's.
        public static let otherDocument = Code(kind: .otherDocument)

        /// The code's name, such as `expired`.
        public var description: String { kind.rawValue }
    }

    /// The kind of fault.
    public let code: Code
    /// The name of the key in the signature.
    public let keyID: String?
    private let userID: UserID

    /// Creates an error, for tests.
    ///
    /// - Parameters:
    ///   - code: The kind of fault.
    ///   - userID: The user whose document it is; nil is the generic user.
    ///   - keyID: The name of the key in the signature.
    public init(_ code: Code, userID: String?, keyID: String? = nil) {
        self.init(code, userID: UserID(userID), keyID: keyID)
    }

    init(_ code: Code, userID: UserID, keyID: String? = nil) {
        self.code = code
        self.userID = userID
        self.keyID = keyID
    }
}

extension SignatureError: CustomStringConvertible, LocalizedError {
    /// One sentence with the reason and the user, by a digest of the ID, so that it can be logged; the
    /// generic user is not named.
    public var description: String {
        let reason =
            switch code {
            case .unsigned: "is not signed"
            case .malformed: "has no signature that can be read"
            case .invalid: "has a signature that is not of a known key for this very document"
            case .expired: "has a signature that has expired; compare the device's clock"
            case .versionMismatch: "has another version than its signature"
            case .contentMismatch: "has values that were not signed"
            case .replayed: "is older than an earlier one"
            default: "was confirmed by an answer about another document"
            }
        // A document without a user need not be a configuration, such as a template for services.
        let subject =
            userID == .generic ? "The document" : "The configuration of \(userID.logName)"
        return "\(subject) \(reason)."
    }

    /// The error's sentence, in English.
    public var errorDescription: String? { description }
}
