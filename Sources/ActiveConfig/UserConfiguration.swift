import Dispatch

/// The configuration of one user beside the current one: a handle of it, which any number of tasks may
/// share.
///
/// ```swift
/// let user = config.configuration(forUserID: "1")
/// try await user.download()
/// let isOn = user[.isCheckoutOn]
/// ```
///
/// All handles of a user show the same. It is the user's own configuration, or a fallback as for the
/// current user, with the in-app defaults and overrides. Each read sees one whole configuration; for
/// several reads of one, use a ``snapshot``. A download of the user, also one that was
/// started elsewhere, becomes active for its handles, and forgetting the user empties them.
///
/// The first read of a user reads the store on the calling thread; ``load()`` and ``download()`` do it
/// on another one.
public final class UserConfiguration: Sendable {
    let config: ActiveConfig
    private let entry: UserEntry
    /// Made by the first who observes.
    private let observedConfiguration = Locked<ObservedConfiguration?>(nil)

    init(_ config: ActiveConfig, _ entry: UserEntry) {
        self.config = config
        self.entry = entry
    }

    /// The user; nil is the generic user.
    public var userID: String? { entry.userID.string }

    /// Loads the configuration from the store, unless it is in memory.
    public func load() async { _ = await loadedSnapshotInTask() }

    /// Downloads the user's configuration, or joins the download that is running for that user.
    ///
    /// As ``ActiveConfig/downloadNewConfig()->_``, which also says what is thrown, but the result is
    /// about this user: whether the document is active for the user's handles, or waits for
    /// `activate()`.
    ///
    /// - Returns: The result, with the sections that differ from before the call.
    /// - Throws: The downloader's error, ``ConfigurationFormatError`` or `CancellationError`; the
    ///   active configuration then stays.
    @discardableResult
    public func download() async throws -> DownloadResult {
        try await result { try await self.config.download(of: self.entry.userID) }
    }

    /// Takes a document that the app got without its downloader, as over a socket of its own or in a push
    /// message.
    ///
    /// It counts as a download of the user's, and comes after one that is running: it is vetted and stored, and
    /// becomes active or waits for `activate()`, unless the user is forgotten meanwhile. A document with a lower `template_version` than the user's
    /// newest one changes nothing. Where a vetting needs originals, as signatures do, it has to have its
    /// ``ConfigurationState/original``.
    ///
    /// - Parameter document: The whole document.
    /// - Returns: The result, with the sections that differ from before the call;
    ///   ``DownloadOutcome/notModified`` when the document is older, or a vetting ignores it.
    /// - Throws: ``ConfigurationFormatError`` when the document cannot be used, the error of a vetting that
    ///   refuses it, or `CancellationError`; the active configuration then stays.
    @discardableResult
    public func receive(_ document: ConfigurationState) async throws -> DownloadResult {
        let downloader = ReceivedDocument(
            document: document, epoch: entry.documents.epoch)
        return try await result {
            try await self.config.download(of: self.entry.userID, by: downloader)
        }
    }

    private func result(
        of download: () async throws -> DownloadResult
    ) async throws -> DownloadResult {
        // A load that takes long does not hold the download up.
        let before = await config.loadedSnapshotInTask(of: entry, in: entry.downloads)
        let result = try await download()
        let after = await loadedSnapshotInTask()
        let isActive = after.known.pending == nil
        return DownloadResult(
            userID: userID,
            configurationIsCurrent: isActive && config.state.withLock { $0.entry === entry },
            isActive: isActive,
            changedSectionNames: Set(after.changes(since: before.sections).map(\.sectionName)),
            outcome: result.outcome)
    }

    /// Downloads the user's configuration and activates it; see ``ActiveConfig/fetchAndActivate()``.
    ///
    /// - Returns: The result.
    /// - Throws: As ``download()``; then nothing is activated.
    @discardableResult
    public func fetchAndActivate() async throws -> DownloadResult {
        await config.activatedResult(try await download(), of: entry)
    }

    /// Activates the user's downloaded document that waits, with all its sections; see
    /// ``ActivationPolicy``.
    ///
    /// When it returns, the document is stored as the user's own, and what it has to deliver is on the
    /// listener queue. It waits for the store. Called by a store, it returns at once, and activates
    /// afterwards.
    ///
    /// - Returns: The sections that have changed, sorted; empty when nothing waits.
    @available(*, noasync, message: "Await the function of the same name.")
    @discardableResult
    public func activate() -> [SectionChange] { config.activateWaiting(of: entry) }

    /// Activates the user's downloaded document that waits, with all its sections; see
    /// ``ActivationPolicy``.
    ///
    /// When it returns, the document is stored as the user's own, and what it has to deliver is on the
    /// listener queue.
    ///
    /// - Returns: The sections that have changed, sorted; empty when nothing waits.
    @discardableResult
    public func activate() async -> [SectionChange] {
        await config.storeCalls.run(in: entry.writes) { [config, entry] in
            config.activateWaiting(of: entry)
        }
    }

    /// The active document, without in-app defaults and overrides.
    public var currentConfiguration: ConfigurationState { loadedSnapshot().configuration }

    /// The changes that `activate()` would make, sorted by section; empty when nothing waits.
    public var pendingChanges: [SectionChange] { loadedSnapshot().pendingChanges }

    /// The last download, and how fresh the active document is.
    public var status: ConfigurationStatus { config.status(of: entry) }

    /// The values of a setting: the current one first, then each new one; see
    /// ``ActiveConfig/values(for:)``.
    public func values<Value>(for key: SettingKey<Value>) -> ConfigurationUpdates<Value> {
        values(of: SettingSelection(key))
    }

    /// The values of a whole section, decoded: the current one first, then each new one.
    public func values<Section: SettingsSection>(
        of type: Section.Type
    ) -> ConfigurationUpdates<Section> {
        values(of: SettingSelection(type))
    }

    /// The values of one section: the current one first, nil when there is none, then each new one.
    public func values(
        ofSection sectionName: String
    ) -> ConfigurationUpdates<ActiveConfigSection?> {
        ConfigurationUpdates(of: self, sectionName: sectionName)
    }

    /// The changes of one section, or of all, which start with the current ones as changes from nil.
    ///
    /// - Parameter sectionName: The section's name; nil stands for all.
    /// - Returns: A sequence, which ends when its task is cancelled.
    public func changes(
        inSection sectionName: String? = nil
    ) -> ConfigurationUpdates<SectionChange> {
        ConfigurationUpdates(of: self, changesInSection: sectionName)
    }

    /// Observes a section of this user with a closure.
    ///
    /// The current section, if there is one, is delivered at once, and then each change once. No
    /// notification is posted for users beside the current one.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - body: Called on the listener queue; nil means that the section is gone.
    /// - Returns: A subscription, which ends when it is cancelled or released; until then the configuration
    ///   stays in memory.
    public func observe(
        sectionNamed sectionName: String,
        _ body: @escaping @Sendable (ActiveConfigSection?) -> Void
    ) -> ActiveConfigSubscription {
        observe(ListenerRegistration(sectionName: sectionName) { section, _ in body(section) })
    }

    /// Observes a setting of this user with a closure.
    ///
    /// - Parameters:
    ///   - key: The setting.
    ///   - body: Called on the listener queue with the value as it is, then with each other one.
    /// - Returns: A subscription, which ends when it is cancelled or released; until then the configuration
    ///   stays in memory.
    public func observe<Value>(
        _ key: SettingKey<Value>, _ body: @escaping @Sendable (Value) -> Void
    ) -> ActiveConfigSubscription {
        observe(SettingSelection(key).registration(config, body))
    }

    /// Observes a whole section of this user, decoded, with a closure.
    ///
    /// - Parameters:
    ///   - type: The type, which names its section.
    ///   - body: Called on the listener queue with the section as it is, then whenever it has changed.
    /// - Returns: A subscription, which ends when it is cancelled or released; until then the configuration
    ///   stays in memory.
    public func observe<Section: SettingsSection>(
        _ type: Section.Type, _ body: @escaping @Sendable (Section) -> Void
    ) -> ActiveConfigSubscription {
        observe(SettingSelection(type).registration(config, body))
    }

    /// Observes a section of this user with a closure of the main actor, as for a view model.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - body: Called on the main actor, at first if there is a section, before this function returns if it
    ///     is called there; nil means that the section is gone.
    /// - Returns: A subscription, which ends when it is cancelled or released.
    public func observeOnMainActor(
        sectionNamed sectionName: String,
        _ body: @escaping @MainActor (ActiveConfigSection?) -> Void
    ) -> ActiveConfigSubscription {
        observeOnMainActor { queue in
            ListenerRegistration(sectionName: sectionName, on: queue) { section, _ in
                MainActor.assumeIsolated { body(section) }
            }
        }
    }

    /// Observes a setting of this user with a closure of the main actor, as for a view model.
    ///
    /// - Parameters:
    ///   - key: The setting.
    ///   - body: Called on the main actor with the value as it is, before this function returns if it is called
    ///     there, then with each other one.
    /// - Returns: A subscription, which ends when it is cancelled or released.
    public func observeOnMainActor<Value>(
        _ key: SettingKey<Value>, _ body: @escaping @MainActor (Value) -> Void
    ) -> ActiveConfigSubscription {
        observeOnMainActor { SettingSelection(key).registration(config, on: $0, body) }
    }

    /// Observes a whole section of this user, decoded, with a closure of the main actor.
    ///
    /// - Parameters:
    ///   - type: The type, which names its section.
    ///   - body: Called on the main actor with the section as it is, before this function returns if it is
    ///     called there, then whenever it has changed.
    /// - Returns: A subscription, which ends when it is cancelled or released.
    public func observeOnMainActor<Section: SettingsSection>(
        _ type: Section.Type, _ body: @escaping @MainActor (Section) -> Void
    ) -> ActiveConfigSubscription {
        observeOnMainActor { SettingSelection(type).registration(config, on: $0, body) }
    }

    func values<Value>(of selection: SettingSelection<Value>) -> ConfigurationUpdates<Value> {
        ConfigurationUpdates(
            of: selection, makeSignals: { self.makeSignals() },
            load: {
                ConfigurationSnapshot(
                    config: self.config, contents: await self.loadedSnapshotInTask())
            })
    }

    /// `make` is given the queue to call the body on, nil being the listener queue.
    private func observeOnMainActor(
        _ make: (DispatchQueue?) -> ListenerRegistration
    ) -> ActiveConfigSubscription {
        let registration = make(config.listenerQueue === DispatchQueue.main ? nil : .main)
        return observe(registration, atOnce: MainQueue.isCurrent)
    }

    /// `atOnce` delivers the section as it is before this function returns, on this thread.
    private func observe(
        _ registration: ListenerRegistration, atOnce: Bool = false
    ) -> ActiveConfigSubscription {
        loadedSnapshot()
        let contents = entry.register(registration, queuesCurrentSection: !atOnce)
        if atOnce { registration.deliverFirst(of: contents) { registration.call($0, $1) } }
        return ActiveConfigSubscription(registration) { [entry] in entry.remove($0) }
    }
}

extension UserConfiguration: SettingsReading {
    /// The user's active configuration.
    ///
    /// The first read of a user reads the store on the calling thread; ``load()`` does it on another one.
    public var snapshot: ConfigurationSnapshot {
        ConfigurationSnapshot(config: config, contents: loadedSnapshot())
    }
}

extension UserConfiguration: ObservedSource {
    @discardableResult
    func loadedSnapshot() -> SnapshotContents { config.loadedSnapshot(of: entry) }

    func loadedSnapshotInTask() async -> SnapshotContents {
        await config.loadedSnapshotInTask(of: entry)
    }

    func makeSignals() -> AsyncStream<Void> { entry.makeSignals() }

    @MainActor
    var observed: ObservedConfiguration { observedConfiguration.observed(self) }
}
