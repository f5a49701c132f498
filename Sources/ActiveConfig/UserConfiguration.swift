/// A thread-safe handle to one user's configuration.
///
/// ```swift
/// let user = config.configuration(forUserID: "1")
/// try await user.download()
/// let isOn = user[.isCheckoutOn]
/// ```
///
/// All handles of a user show the same configuration: the user's own, or a fallback as for the
/// current user, with in-app defaults and overrides. Each read sees one whole configuration; for
/// several reads use a ``snapshot``. A download of the user becomes active, or pending, for all
/// handles. After the user is forgotten, they show the fallback.
///
/// The first read of a user reads the store on the calling thread; ``load()`` and ``download()``
/// read it on another thread.
public final class UserConfiguration: Sendable {
    let config: ActiveConfig
    let entry: UserEntry
    /// Created at the first observation.
    private let observedConfiguration = Locked<ObservedConfiguration?>(nil)

    init(_ config: ActiveConfig, _ entry: UserEntry) {
        self.config = config
        self.entry = entry
    }

    /// The user; nil is the generic user.
    public var userID: String? { entry.userID.string }

    /// Loads the configuration from the store, unless it is in memory.
    public func load() async { _ = await loadedSnapshotInTask() }

    /// Downloads the user's configuration, or joins the user's running download.
    ///
    /// As ``ActiveConfig/downloadNewConfig()->_``, which documents the errors, but the result
    /// concerns this user: whether the document is active for the user's handles, or waits for
    /// `activate()`.
    ///
    /// - Returns: The result, with the sections that differ from before the call.
    /// - Throws: The downloader's error, ``ConfigurationFormatError``, the error of a vetting that refuses
    ///   the document, or `CancellationError`; the active configuration then stays.
    @discardableResult
    public func download() async throws -> DownloadResult {
        try await result { try await self.config.downloads.download(of: self.entry.userID) }
    }

    /// Downloads the user's configuration, on request without the interval of the ``FetchPolicy``; see
    /// ``ActiveConfig/downloadNewConfig(ignoringInterval:)``.
    ///
    /// - Parameter ignoringInterval: True to ask the server within the interval as well; false is
    ///   ``download()``.
    /// - Returns: As ``download()``.
    /// - Throws: As ``download()``; ``DownloadError/Code/throttled`` during a wait.
    @discardableResult
    public func download(ignoringInterval: Bool) async throws -> DownloadResult {
        try await result {
            try await self.config.downloads.download(
                of: self.entry.userID, ignoringInterval: ignoringInterval)
        }
    }

    /// Takes a document that the app got without its downloader, as over a socket of its own or in a push
    /// message.
    ///
    /// It counts as a download of the user, and waits for a running one: it is vetted, stored, and
    /// becomes active or waits for `activate()`, unless the user is forgotten first. A document
    /// with a lower `template_version` than the user's newest one has no effect. If a vetting needs
    /// originals, as signatures do, the document must have its ``ConfigurationState/original``.
    ///
    /// - Parameter document: The whole document.
    /// - Returns: The result, with the sections that differ from before the call;
    ///   ``DownloadOutcome/notModified`` when the document is older, or a vetting ignores it.
    /// - Throws: ``ConfigurationFormatError`` when the document cannot be used; the
    ///   ``ConfigurationRefusal`` of a vetting, or its ``ConfigurationRefusal/underlyingError``;
    ///   `CancellationError`. The active configuration then stays.
    @discardableResult
    public func receive(_ document: ConfigurationState) async throws -> DownloadResult {
        let downloader = ReceivedDocument(
            document: document, epoch: entry.documents.epoch)
        return try await result {
            try await self.config.downloads.download(of: self.entry.userID, by: downloader)
        }
    }

    private func result(
        of download: () async throws -> DownloadResult
    ) async throws -> DownloadResult {
        // A slow load does not delay the download.
        let before = await config.users.loadedSnapshotInTask(of: entry, in: entry.downloads)
        let result = try await download()
        let after = await loadedSnapshotInTask()
        let isActive = after.known.pending == nil
        return result.with(
            configurationIsCurrent: isActive && config.front.entry === entry,
            isActive: isActive,
            changedSectionNames: Set(after.changes(since: before.sections).map(\.sectionName)))
    }

    /// Downloads the user's configuration and activates it; see ``ActiveConfig/fetchAndActivate()``.
    ///
    /// - Returns: The result.
    /// - Throws: As ``download()``; then nothing is activated.
    @discardableResult
    public func fetchAndActivate() async throws -> DownloadResult {
        await config.users.activatedResult(try await download(), of: entry)
    }

    /// Activates the user's pending document, with all its sections; see ``ActivationPolicy``.
    ///
    /// When it returns, the document is stored as the user's own, and its deliveries are queued on the
    /// listener queue. If it cannot be stored, it is active all the same: see ``ActiveConfigStore``.
    /// Blocks for the store. From within a store it returns at once, and activates later.
    ///
    /// - Returns: The changed sections, sorted; empty when no document is pending.
    @available(
        *, noasync,
        message: "Await the function of the same name, in a type with @main if in main.swift."
    )
    @discardableResult
    public func activate() -> [SectionChange] { config.users.activatePending(of: entry) }

    /// Activates the user's pending document, with all its sections; see ``ActivationPolicy``.
    ///
    /// When it returns, the document is stored as the user's own, and its deliveries are queued on the
    /// listener queue. If it cannot be stored, it is active all the same: see ``ActiveConfigStore``.
    ///
    /// - Returns: The changed sections, sorted; empty when no document is pending.
    @discardableResult
    public func activate() async -> [SectionChange] {
        await config.users.activateInTask(of: entry)
    }

    /// The active document, without in-app defaults and overrides.
    public var currentConfiguration: ConfigurationState { loadedSnapshot().configuration }

    /// The changes that `activate()` would make, sorted by section; empty when no document is
    /// pending.
    public var pendingChanges: [SectionChange] { loadedSnapshot().pendingChanges }

    /// The last download, and how fresh the active document is.
    ///
    /// The first use of a user reads the store on the calling thread; ``load()`` reads it on another.
    public var status: ConfigurationStatus { config.downloads.status(of: entry) }
}

extension UserConfiguration: SettingsReading {
    /// The user's active configuration.
    ///
    /// The first read of a user reads the store on the calling thread; ``load()`` reads it on
    /// another thread.
    public var snapshot: ConfigurationSnapshot {
        ConfigurationSnapshot(config: config, contents: loadedSnapshot())
    }
}

extension UserConfiguration: SectionObserving {
    /// The observations of a user.
    ///
    /// - Parameter settings: The user's configuration.
    /// - Returns: The observations.
    public static func observations(of settings: UserConfiguration) -> SectionObservations {
        SectionObservations(source: settings)
    }
}

extension UserConfiguration: ObservedSource {
    @discardableResult
    func add(
        _ registration: ListenerRegistration, queuesCurrentSection: Bool
    ) -> SnapshotContents? {
        loadedSnapshot()
        return entry.register(registration, queuesCurrentSection: queuesCurrentSection)
    }

    /// Keeps the user in memory.
    var remover: @Sendable (ListenerRegistration) -> Void {
        { [entry] registration in entry.remove(registration) }
    }

    @discardableResult
    func loadedSnapshot() -> SnapshotContents { config.users.loadedSnapshot(of: entry) }

    func loadedSnapshotInTask() async -> SnapshotContents {
        await config.users.loadedSnapshotInTask(of: entry)
    }

    func makeSignals() -> AsyncStream<Void> { entry.makeSignals() }

    @MainActor
    var observed: ObservedConfiguration { observedConfiguration.observed(self) }
}
