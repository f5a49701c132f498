/// A change of a section: what it was, what it is, and why.
public struct SectionChange: Sendable {
    /// Why a section is another than before.
    ///
    /// Reasons may be added: keep a `default` when you switch over it.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case restored, downloaded, userChanged
        }

        private let kind: Kind

        /// It is the configuration that the app starts with: from the store, or the bootstrap.
        public static let restored = Reason(kind: .restored)
        /// A download brought it.
        public static let downloaded = Reason(kind: .downloaded)
        /// Another user's configuration came in force.
        public static let userChanged = Reason(kind: .userChanged)

        /// The reason's name, such as `downloaded`.
        public var description: String { kind.rawValue }
    }

    /// The section's name.
    public let sectionName: String
    /// The section before; nil when there was none.
    public let old: ActiveConfigSection?
    /// The section now; nil when it is gone.
    public let new: ActiveConfigSection?
    /// The user whose configuration is in force; nil is the generic user.
    public let userID: String?
    /// Why it changed.
    ///
    /// A change that sums up several has the newest one's reason.
    public let reason: Reason

    /// Creates a change, as for a test.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - old: The section before.
    ///   - new: The section now.
    ///   - userID: The user.
    ///   - reason: Why it changed.
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

    /// The keys of settings that are there now and were not before, sorted.
    public var addedKeys: [String] { settings(new).names(missingIn: settings(old)) }

    /// The keys of settings that were there before and are not now, sorted.
    public var removedKeys: [String] { settings(old).names(missingIn: settings(new)) }

    /// The keys of settings that are there before and now, with another value, sorted.
    public var changedKeys: [String] { settings(new).names(changedFrom: settings(old)) }

    private func settings(_ section: ActiveConfigSection?) -> NameTable<SettingValue> {
        (section?.table ?? .empty).settings
    }
}

extension SectionChange: Hashable {
    /// Whether all members are equal; user IDs byte by byte.
    public static func == (left: SectionChange, right: SectionChange) -> Bool {
        left.sectionName == right.sectionName && left.old == right.old && left.new == right.new
            && UserID(left.userID) == UserID(right.userID) && left.reason == right.reason
    }

    /// Feeds all members.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(sectionName)
        hasher.combine(old)
        hasher.combine(new)
        hasher.combine(UserID(userID))
        hasher.combine(reason)
    }
}
