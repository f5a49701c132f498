/// What a change tells the world: to be put on the listener queue in the order of the changes, and
/// performed there.
struct Delivery: Sendable {
    /// What is posted behind the sections.
    enum Event: Sendable {
        /// The first download of the installation succeeded.
        case firstDownloadFinished(UserID, meta: [String: SettingValue])
        /// A download succeeded.
        case downloadFinished(
            UserID, meta: [String: SettingValue], configurationIsCurrent: Bool)
        /// A download failed.
        case downloadFailed(UserID, any Error)
    }

    /// The sections that changed, each with who listens to it.
    var changes: [(SectionChange, [ListenerRegistration])] = []
    /// What is posted then.
    var events: [Event] = []

    /// Tells the listeners and posts the notifications: sections, first, update.
    func perform(for activeConfig: ActiveConfig) {
        for (change, registrations) in changes {
            for registration in registrations {
                registration.deliver(change.new, from: activeConfig)
            }
            activeConfig.post(change)
        }
        for event in events { activeConfig.post(event) }
    }
}
