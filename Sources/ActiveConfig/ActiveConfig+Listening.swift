public import Foundation

/// An object that receives changes of the sections it is registered for.
///
/// It is held weakly and called on the `listenerQueue` of its ``ActiveConfig``. A closure
/// (`observe(sectionNamed:_:)`) or a sequence (`values(ofSection:)`) often needs less code,
/// especially in a main-actor class; see <doc:Observing-changes>.
public protocol ActiveConfigListener: AnyObject, Sendable {
    /// Called at once with the current section, if there is one, and then at each change.
    ///
    /// - Parameters:
    ///   - activeConfig: The object that the listener is registered with.
    ///   - section: The current section; nil when it was removed.
    ///   - sectionName: The name it was registered for.
    func activeConfig(
        _ activeConfig: ActiveConfig, didReceiveConfigSection section: ActiveConfigSection?,
        forSectionName sectionName: String)
}

extension ActiveConfig {
    /// Registers a listener for a section.
    ///
    /// Delivers the current section at once, if there is one, then each change once; nil when the
    /// section is removed. Equal values in another document are no change. The listener is held
    /// weakly and called on the listener queue, in the order of the changes. Registering it again
    /// delivers the current section again, and nothing twice.
    ///
    /// - Parameters:
    ///   - listener: The listener.
    ///   - sectionName: The section's name; the section need not exist yet.
    public func registerListener(
        _ listener: any ActiveConfigListener, forSectionName sectionName: String
    ) {
        let registration = ListenerRegistration(
            of: listener, sectionName: sectionName
        ) { [weak self, weak listener] section, _ in
            guard let self else { return }
            listener?.activeConfig(
                self, didReceiveConfigSection: section, forSectionName: sectionName)
        }
        loadedSnapshot()
        _ = front.register(registration) { listeners in
            let known = listeners.registration(
                ofListener: ObjectIdentifier(listener), sectionName: sectionName)
            return known?.isOf(listener) == true ? known : nil
        }
    }

    /// Removes a listener from a section.
    ///
    /// On the listener queue, it is not called after this has returned, not even for deliveries
    /// already queued.
    ///
    /// - Parameters:
    ///   - listener: The listener. Can be called from its `deinit`.
    ///   - sectionName: The name it was registered for.
    public func removeListener(
        _ listener: any ActiveConfigListener, forSectionName sectionName: String
    ) {
        front.removeListener(ObjectIdentifier(listener), sectionName: sectionName)
    }

    // MARK: Observers

    /// Adds an observer.
    ///
    /// It receives later events, and the refusals of this launch so far. A value that was read
    /// before is not reported again while it stays the same.
    ///
    /// - Parameter observer: The observer.
    /// - Returns: A subscription; the observer is held until it is cancelled or released.
    public func addObserver(_ observer: some ConfigurationObserving) -> ActiveConfigSubscription {
        let number = observers.add(observer)
        return ActiveConfigSubscription { [observers] in observers.remove(number) }
    }

    // MARK: Notifications

    /// Posted once, after the first successful download of this installation.
    ///
    /// Its `userInfo` has the user ID and `meta`.
    public static let firstDownloadFinishedNotification = Notification.Name(
        "ActiveConfigFirstDownloadFinishedNotification")

    /// Posted after each successful download and each document that an updater receives, whether or
    /// not anything changed.
    ///
    /// Its `userInfo` has the user ID, `meta`, and a Boolean: true when the document is active for
    /// the current user.
    public static let downloadUpdateFinishedNotification = Notification.Name(
        "ActiveConfigDownloadUpdateFinishedNotification")

    /// Posted after each failed download.
    ///
    /// Its `userInfo` has the user ID and the error.
    public static let downloadFailedNotification = Notification.Name(
        "ActiveConfigDownloadFailedNotification")

    /// Posted for each section that changed, for any ``SectionChange/Reason``.
    ///
    /// Its `userInfo` has the user ID, the section's name and the section.
    public static let sectionDidChangeNotification = Notification.Name(
        "ActiveConfigSectionDidChangeNotification")

    /// The keys of the notifications' `userInfo`.
    public enum NotificationKey: Sendable {
        /// The user, a `String`; `NSNull` for the generic user.
        public static let userID = "user_id"
        /// `meta` of the configuration, a `[String: SettingValue]`.
        public static let meta = "meta"
        /// A `Bool`: true when the downloaded or confirmed configuration is active for the current user.
        public static let configurationIsCurrent = "config_was_set"
        /// The section's name, a `String`.
        public static let sectionName = "section_name"
        /// The section, an ``ActiveConfigSection``; absent when the section was removed.
        public static let section = "section"
        /// The `Error` of a failed download.
        public static let error = "error"
    }
}

extension ActiveConfig: SectionObserving {
    /// The observations of the current user.
    ///
    /// - Parameter settings: The configuration.
    /// - Returns: The observations.
    public static func observations(of settings: ActiveConfig) -> SectionObservations {
        SectionObservations(source: settings)
    }
}

extension ActiveConfig: ObservedSource {
    var config: ActiveConfig { self }

    @discardableResult
    func add(
        _ registration: ListenerRegistration, queuesCurrentSection: Bool
    ) -> SnapshotContents? {
        loadedSnapshot()
        return front.register(registration, queuesCurrentSection: queuesCurrentSection)
    }

    var remover: @Sendable (ListenerRegistration) -> Void {
        { [weak front] registration in front?.remove(registration) }
    }

    @discardableResult
    func loadedSnapshot() -> SnapshotContents { users.loadedSnapshot() }

    func loadedSnapshotInTask() async -> SnapshotContents { await users.loadedSnapshotInTask() }

    /// Yields whenever a section or the user may have changed; unread elements coalesce into one.
    package func makeSignals() -> AsyncStream<Void> { front.signals.makeStream() }
}
