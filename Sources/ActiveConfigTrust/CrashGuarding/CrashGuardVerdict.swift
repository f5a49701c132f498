import ActiveConfig

/// A decision of a ``CrashGuard`` in this launch: the document that is no longer used, and its
/// replacement.
public struct CrashGuardVerdict: Sendable, Hashable {
    /// The kind of configuration used instead.
    ///
    /// More may be added: keep a `default` when you switch over it.
    public struct Replacement: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case previous, fallback
        }

        private let kind: Kind

        /// The user's last document that proved good.
        public static let previous = Replacement(kind: .previous)
        /// The generic user's document, the bootstrap configuration, or the defaults alone.
        public static let fallback = Replacement(kind: .fallback)

        /// The name, such as `previous`.
        public var description: String { kind.rawValue }
    }

    /// The user; nil is the generic user.
    public let userID: String?
    /// The entity tag of the refused document.
    public let entityTag: String?
    /// The version of the refused document.
    public let templateVersion: Int?
    /// Number of crashes after it became active.
    public let crashCount: Int
    /// The kind of configuration used instead.
    public let replacement: Replacement
    /// The version of the document used instead; nil when it is a fallback, or has none.
    public let keptTemplateVersion: Int?

    /// Creates a verdict, for tests.
    ///
    /// - Parameters:
    ///   - userID: The user; nil is the generic user.
    ///   - entityTag: The entity tag of the refused document.
    ///   - templateVersion: The version of the refused document.
    ///   - crashCount: Number of crashes after it became active.
    ///   - replacement: The kind of configuration used instead.
    ///   - keptTemplateVersion: The version of the document used instead.
    public init(
        userID: String?, entityTag: String? = nil, templateVersion: Int? = nil, crashCount: Int,
        replacement: Replacement, keptTemplateVersion: Int? = nil
    ) {
        self.userID = userID
        self.entityTag = entityTag
        self.templateVersion = templateVersion
        self.crashCount = crashCount
        self.replacement = replacement
        self.keptTemplateVersion = keptTemplateVersion
    }
}

extension CrashGuardVerdict: CustomStringConvertible {
    /// One sentence for a log.
    public var description: String {
        let version = templateVersion.map { "version \($0)" } ?? entityTag ?? "the last document"
        let kept = keptTemplateVersion.map { " (version \($0))" } ?? ""
        let user = UserID(userID).logName
        return "The app has died \(crashCount) times after \(version) of \(user) became active, "
            + "so it is not used again; the \(replacement)\(kept) is."
    }
}
