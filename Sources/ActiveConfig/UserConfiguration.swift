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
/// several reads of one, use ``decode(_:)`` or a section. A download of the user, also one that was
/// started elsewhere, becomes active for its handles, and forgetting the user empties them.
///
/// The first read of a user reads the store on the calling thread; ``load()`` and ``download()`` do it
/// on another one.
public final class UserConfiguration: Sendable {
    private let config: ActiveConfig
    private let entry: UserEntry

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
        return DownloadResult(
            userID: userID, configurationIsCurrent: after.known.pending == nil,
            changedSectionNames: Set(after.changes(since: before.sections).map(\.sectionName)),
            outcome: result.outcome)
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

    /// The section of that name, or nil.
    public func configSection(named sectionName: String) -> ActiveConfigSection? {
        loadedSnapshot().sections[sectionName]
    }

    /// The section of that name, or nil.
    public subscript(sectionName: String) -> ActiveConfigSection? {
        configSection(named: sectionName)
    }

    /// The value of a setting, or the key's default.
    public subscript<Value>(key: SettingKey<Value>) -> Value {
        config.value(of: key, in: loadedSnapshot())
    }

    /// The value of a setting, or the key's default; the same as `user[key]`.
    public func value<Value>(for key: SettingKey<Value>) -> Value { self[key] }

    /// A whole section, decoded; see ``ActiveConfig/decode(_:)``.
    ///
    /// - Parameter type: The type, which names its section.
    /// - Returns: The section, or the type's defaults when there is none.
    public func decode<Section: SettingsSection>(_ type: Section.Type) -> Section {
        config.decode(type, in: loadedSnapshot())
    }

    /// Parts of the configuration that the app does not get; see ``ActiveConfig/problems``.
    public var problems: [SettingProblem] { config.problems(of: loadedSnapshot()) }

    /// The values of a setting: the current one first, then each new one; see
    /// ``ActiveConfig/values(for:)``.
    public func values<Value>(for key: SettingKey<Value>) -> SettingValues<Value> {
        SettingValues(
            of: key, makeSignals: { self.makeSignals() },
            load: {
                let snapshot = await self.loadedSnapshotInTask()
                return (snapshot, { self.config.value(of: key, in: snapshot) })
            })
    }

    /// The values of one section: the current one first, nil when there is none, then each new one.
    public func sections(named sectionName: String) -> SectionValues {
        SectionValues(changes: SectionChanges(self, sectionName: sectionName))
    }

    /// The changes of all sections, which start with the current ones as changes from nil.
    public var changes: SectionChanges { SectionChanges(self, sectionName: nil) }

    /// Listens to a section of this user with a closure.
    ///
    /// The current section, if there is one, is delivered at once, and then each change once. No
    /// notification is posted for users beside the current one.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - body: Called on the listener queue; nil means that the section is gone.
    /// - Returns: A token; the listening ends when it is cancelled or released, and until then the
    ///   configuration stays in memory.
    public func listen(
        forSectionName sectionName: String,
        _ body: @escaping @Sendable (ActiveConfigSection?) -> Void
    ) -> ActiveConfigSubscription {
        loadedSnapshot()
        let registration = ListenerRegistration(sectionName: sectionName, body)
        entry.register(registration)
        return ActiveConfigSubscription(registration) { [entry] in entry.remove($0) }
    }
}

extension UserConfiguration: SnapshotSource {
    @discardableResult
    func loadedSnapshot() -> ConfigurationSnapshot { config.loadedSnapshot(of: entry) }

    func loadedSnapshotInTask() async -> ConfigurationSnapshot {
        await config.loadedSnapshotInTask(of: entry)
    }

    func makeSignals() -> AsyncStream<Void> { entry.makeSignals() }
}
