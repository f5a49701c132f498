/// Effects of a change, performed on the listener queue in the order of the changes.
struct Delivery: Sendable {
    /// Posted after the sections.
    enum Event: Sendable {
        /// The first download of the installation succeeded.
        case firstDownloadFinished(UserID, meta: [String: SettingValue])
        case downloadFinished(
            UserID, meta: [String: SettingValue], configurationIsCurrent: Bool)
        /// A download failed.
        case downloadFailed(UserID, any Error)
    }

    /// Changed sections, each with its listeners.
    var changes: [(SectionChange, [ListenerRegistration])] = []
    /// The configuration that the sections are of; nil when there are none.
    var contents: SnapshotContents?
    var events: [Event] = []
}
