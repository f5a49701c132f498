public import Foundation

extension ActiveConfig {
    /// Posted once, after the first successful download of this installation.
    ///
    /// Its `userInfo` has the user ID and `meta`.
    public static let firstDownloadFinishedNotification = Notification.Name(
        "ActiveConfigFirstDownloadFinishedNotification")

    /// Posted after each successful download, whether or not anything changed.
    ///
    /// Its `userInfo` has the user ID, `meta`, and a Boolean: true when the downloaded
    /// configuration is active.
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
        /// A `Bool`: true when the downloaded or confirmed configuration is active.
        public static let configurationIsCurrent = "config_was_set"
        /// The section's name, a `String`.
        public static let sectionName = "section_name"
        /// The section, an ``ActiveConfigSection``; absent when the section was removed.
        public static let section = "section"
        /// The `Error` of a failed download.
        public static let error = "error"
    }

    /// Calls the listeners and posts the notifications, on the listener queue: the sections, the
    /// first download of the installation, the end of this download.
    func perform(_ delivery: Delivery) {
        for (change, registrations) in delivery.changes {
            if let contents = delivery.contents {
                for registration in registrations {
                    registration.deliver(change.new, of: contents)
                }
            }
            post(change)
        }
        for event in delivery.events { post(event) }
    }

    private func post(_ change: SectionChange) {
        var userInfo: [String: Any] = [NotificationKey.sectionName: change.sectionName]
        userInfo[NotificationKey.section] = change.new
        post(Self.sectionDidChangeNotification, UserID(change.userID), userInfo)
    }

    private func post(_ event: Delivery.Event) {
        switch event {
        case .firstDownloadFinished(let userID, let meta):
            post(
                Self.firstDownloadFinishedNotification, userID, [NotificationKey.meta: meta])
        case .downloadFinished(let userID, let meta, let isCurrent):
            post(
                Self.downloadUpdateFinishedNotification, userID,
                [NotificationKey.meta: meta, NotificationKey.configurationIsCurrent: isCurrent])
        case .downloadFailed(let userID, let error):
            post(Self.downloadFailedNotification, userID, [NotificationKey.error: error])
        }
    }

    private func post(_ name: Notification.Name, _ userID: UserID, _ userInfo: [String: Any]) {
        var userInfo = userInfo
        userInfo[NotificationKey.userID] = userID.string ?? NSNull()
        notificationCenter.post(name: name, object: self, userInfo: userInfo)
    }
}
