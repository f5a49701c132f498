extension ActiveConfig {
    /// Brings the downloaded document that waits in force, with all its sections; see
    /// ``ActivationPolicy``.
    ///
    /// When it returns, the document is stored as the user's own, and what it has to deliver is on the
    /// listener queue. It waits for the store. Must not be called by a store.
    ///
    /// - Returns: The sections that have changed, sorted; empty when nothing waits.
    @available(*, noasync, message: "Await the function of the same name.")
    @discardableResult
    public func activate() -> [SectionChange] { activatePending().1 }

    /// Brings the downloaded document that waits in force, with all its sections; see
    /// ``ActivationPolicy``.
    ///
    /// When it returns, the document is stored as the user's own, and what it has to deliver is on the
    /// listener queue.
    ///
    /// - Returns: The sections that have changed, sorted; empty when nothing waits.
    @discardableResult
    public func activate() async -> [SectionChange] {
        await storeCalls.run { self.activatePending() }.1
    }

    /// Downloads the current user's configuration, and brings in force what waits then.
    ///
    /// - Returns: What was downloaded, and what came in force.
    /// - Throws: As the async `downloadNewConfig()`; then nothing is activated, not even what has
    ///   waited before.
    @discardableResult
    public func fetchAndActivate() async throws -> FetchOutcome {
        let result = try await downloadNewConfig()
        let (isActivated, changes) = await storeCalls.run {
            self.activatePending(of: UserID(result.userID))
        }
        return FetchOutcome(
            userID: result.userID, download: result.outcome,
            isActivated: result.configurationIsCurrent || isActivated,
            changedSectionNames: result.changedSectionNames.union(changes.map(\.sectionName)))
    }

    /// The changes that `activate()` would make, sorted by section; empty when nothing waits.
    ///
    /// With in-app defaults and overrides, as readers will see them.
    public var pendingChanges: [SectionChange] {
        let snapshot = loadedSnapshot()
        return snapshot.pending?.changes(since: snapshot.sections) ?? []
    }

    /// The downloaded document that waits for its activation; nil when none does.
    public var pendingConfiguration: ConfigurationState? {
        loadedSnapshot().known.pending?.configuration
    }
}

/// The outcome of ``ActiveConfig/ActiveConfig/fetchAndActivate()``.
public struct FetchOutcome: Sendable {
    /// The user whose configuration was downloaded; nil is the generic user.
    public let userID: String?

    /// The outcome of the download; never ``DownloadOutcome/failed``.
    public let download: DownloadOutcome

    /// A Boolean value that indicates whether the newest downloaded document is in force.
    ///
    /// False when the user changed in the meantime.
    public let isActivated: Bool

    /// The sections in force that the call has changed, added or removed.
    public let changedSectionNames: Set<String>

    /// Creates an outcome, as for a test.
    ///
    /// - Parameters:
    ///   - userID: The user.
    ///   - download: What became of the download.
    ///   - isActivated: True when the newest downloaded document is in force.
    ///   - changedSectionNames: The sections that changed.
    public init(
        userID: String?, download: DownloadOutcome, isActivated: Bool,
        changedSectionNames: Set<String> = []
    ) {
        self.userID = userID
        self.download = download
        self.isActivated = isActivated
        self.changedSectionNames = changedSectionNames
    }
}
