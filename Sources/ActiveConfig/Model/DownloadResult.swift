/// The result of a successful download.
public struct DownloadResult: Sendable {
    /// The user whose configuration was downloaded.
    public let userID: String?

    /// A Boolean value that indicates whether the downloaded or confirmed configuration is active
    /// for the current user.
    ///
    /// False when the user changed during the download, so that the configuration was only stored for its
    /// owner, or when the document is pending; see ``ActivationPolicy``.
    public let configurationIsCurrent: Bool

    /// A Boolean value that indicates whether the newest document of the download's user is active
    /// for that user, current or not.
    ///
    /// False when a document is pending; see ``ActivationPolicy``.
    public let isActive: Bool

    /// The active sections that the download changed, added or removed.
    ///
    /// Empty when nothing changed, when the user changed during the download, and when all changes are
    /// pending: then ``ActiveConfig/ActiveConfig/pendingChanges`` has them.
    public let changedSectionNames: Set<String>

    /// The version that was replaced by a document of a lower version, because the server has
    /// verified that it never made this one, as after a restore of its store from a backup; nil
    /// otherwise.
    ///
    /// <doc:Client-protocol>, section 1, has the rule.
    public internal(set) var replacedVersion: Int?

    /// The active sections of the download's user that changed, current or not.
    package var userChanges: Set<String> = []
    /// The user's pending sections, if the download brought a document.
    package var pendingSectionNames: Set<String> = []
    /// False within the policy's interval, and for a document that was received without a request.
    var hasAskedServer = true

    /// The outcome of the download; never ``DownloadOutcome/failed``.
    public let outcome: DownloadOutcome

    /// Creates a result, for tests.
    ///
    /// - Parameters:
    ///   - userID: The user.
    ///   - configurationIsCurrent: True when the configuration is active, and the user the current one.
    ///   - isActive: True when the newest document is active for the user; nil means the value of
    ///     `configurationIsCurrent`.
    ///   - changedSectionNames: The sections that changed.
    ///   - outcome: The outcome of the download.
    public init(
        userID: String?, configurationIsCurrent: Bool, isActive: Bool? = nil,
        changedSectionNames: Set<String> = [], outcome: DownloadOutcome = .downloaded
    ) {
        self.userID = userID
        self.configurationIsCurrent = configurationIsCurrent
        self.isActive = isActive ?? configurationIsCurrent
        self.changedSectionNames = changedSectionNames
        self.outcome = outcome
    }

    /// The same download, as it is seen by a caller with a baseline of its own.
    func with(
        configurationIsCurrent: Bool, isActive: Bool, changedSectionNames: Set<String>
    ) -> DownloadResult {
        var result = DownloadResult(
            userID: userID, configurationIsCurrent: configurationIsCurrent, isActive: isActive,
            changedSectionNames: changedSectionNames, outcome: outcome)
        result.replacedVersion = replacedVersion
        return result
    }
}

extension DownloadResult {
    /// For the log, as in "3 sections changed".
    var counts: String {
        func sections(_ count: Int) -> String { "\(count) section\(count == 1 ? "" : "s")" }
        let changed = "\(sections(userChanges.count)) changed"
        let pendingCount = pendingSectionNames.count
        if pendingCount == 0 { return changed }
        let wait = pendingCount == 1 ? "waits for its activation" : "wait for their activation"
        let waiting = "\(sections(pendingCount)) \(wait)"
        return userChanges.isEmpty ? waiting : "\(changed), \(waiting)"
    }
}

extension DownloadResult: Hashable {
    /// Returns a Boolean value that indicates whether all members are equal; user IDs are compared byte by
    /// byte.
    public static func == (left: DownloadResult, right: DownloadResult) -> Bool {
        UserID(left.userID) == UserID(right.userID)
            && left.configurationIsCurrent == right.configurationIsCurrent
            && left.isActive == right.isActive
            && left.changedSectionNames == right.changedSectionNames
            && left.outcome == right.outcome && left.replacedVersion == right.replacedVersion
    }

    /// Hashes user and changed sections.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(UserID(userID))
        hasher.combine(changedSectionNames)
    }
}
