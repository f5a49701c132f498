/// A change of a section: its old and its new value, and the reason.
public struct SectionChange: Sendable {
    /// The reason of a change.
    ///
    /// Reasons may be added: keep a `default` when you switch over it.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case restored, downloaded, userChanged, defaultsChanged, overridden, forgotten,
                activated, reloaded
        }

        private let kind: Kind

        /// The configuration at the start: from the store, or the bootstrap.
        public static let restored = Reason(kind: .restored)
        /// A download changed the section.
        public static let downloaded = Reason(kind: .downloaded)
        /// Another user's configuration became active.
        public static let userChanged = Reason(kind: .userChanged)

        /// The app set new in-app defaults.
        public static let defaultsChanged = Reason(kind: .defaultsChanged)
        /// An override of this device was set or removed.
        public static let overridden = Reason(kind: .overridden)

        /// The user was forgotten.
        public static let forgotten = Reason(kind: .forgotten)

        /// A pending document was activated.
        public static let activated = Reason(kind: .activated)

        /// `reload()` read a document stored by another process.
        public static let reloaded = Reason(kind: .reloaded)

        /// The reason's name, such as `downloaded`.
        public var description: String { kind.rawValue }
    }

    /// The section's name.
    public let sectionName: String
    /// The section before; nil when there was none.
    public let old: ActiveConfigSection?
    /// The section now; nil when it was removed.
    public let new: ActiveConfigSection?
    /// The user; nil is the generic user.
    public let userID: String?
    /// The reason of the change.
    ///
    /// Several combined changes have the reason of the newest.
    public let reason: Reason

    /// Creates a change, for tests.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - old: The section before.
    ///   - new: The section now.
    ///   - userID: The user.
    ///   - reason: The reason of the change.
    public init(
        sectionName: String, old: ActiveConfigSection?, new: ActiveConfigSection?,
        userID: String? = nil, reason: Reason
    ) {
        self.sectionName = sectionName
        self.old = old
        self.new = new
        self.userID = userID
        self.reason = reason
    }

    /// The same change for another user.
    func of(_ userID: UserID) -> SectionChange {
        SectionChange(
            sectionName: sectionName, old: old, new: new, userID: userID.string, reason: reason)
    }

    /// The keys of settings that only the new section has, sorted.
    public var addedKeys: [String] { table(new).settings.names(missingIn: table(old).settings) }

    /// The keys of settings that only the old section has, sorted.
    public var removedKeys: [String] { table(old).settings.names(missingIn: table(new).settings) }

    /// The keys of settings that both sections have, with different values, sorted.
    ///
    /// An integer and a double of the same value below 2⁵³, `1` and `1.0`, do not differ.
    public var changedKeys: [String] {
        table(new).settings.names(changedFrom: table(old).settings) { $0.isEquivalent(to: $1) }
    }

    private func table(_ section: ActiveConfigSection?) -> SettingTable {
        section?.table ?? .empty
    }
}

extension SectionChange: Hashable {
    /// Returns a Boolean value that indicates whether all members are equal; user IDs are compared
    /// byte by byte.
    public static func == (left: SectionChange, right: SectionChange) -> Bool {
        left.sectionName == right.sectionName && left.old == right.old && left.new == right.new
            && UserID(left.userID) == UserID(right.userID) && left.reason == right.reason
    }

    /// Hashes all members.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(sectionName)
        hasher.combine(old)
        hasher.combine(new)
        hasher.combine(UserID(userID))
        hasher.combine(reason)
    }
}
