public import ActiveConfig
public import Foundation

/// Records notifications of `ActiveConfig`.
///
/// ```swift
/// let recorder = NotificationRecorder(of: config, in: center)
/// try await config.downloadNewConfig()
/// try await recorder.waitForNotifications(1)
/// ```
public final class NotificationRecorder: Sendable {
    /// A notification, with the members of its `userInfo` by type.
    public struct Entry: Sendable {
        /// The notification's name.
        public let name: Notification.Name
        /// The keys of its `userInfo`.
        public let keys: Set<String>
        /// A Boolean value that indicates whether the user is `NSNull`, the generic user.
        public let isOfGenericUser: Bool
        /// The user, if it is a string.
        public let userID: String?
        /// `meta` of the configuration.
        public let meta: [String: SettingValue]?
        /// A Boolean value that indicates whether the downloaded configuration is active; nil
        /// when absent.
        public let configurationIsCurrent: Bool?
        /// The section's name.
        public let sectionName: String?
        /// The section.
        public let section: ActiveConfigSection?
        /// The error of a failed download.
        public let error: (any Error)?
        private let userInfo: UserInfo

        /// A notification's members; those of `ActiveConfig` and its modules can be read on any
        /// thread.
        private struct UserInfo: @unchecked Sendable {
            let values: [AnyHashable: Any]
        }

        init(_ notification: Notification) {
            let userInfo = notification.userInfo ?? [:]
            name = notification.name
            keys = Set(userInfo.keys.compactMap { $0.base as? String })
            isOfGenericUser = userInfo[ActiveConfig.NotificationKey.userID] is NSNull
            userID = userInfo[ActiveConfig.NotificationKey.userID] as? String
            meta = userInfo[ActiveConfig.NotificationKey.meta] as? [String: SettingValue]
            configurationIsCurrent =
                userInfo[ActiveConfig.NotificationKey.configurationIsCurrent] as? Bool
            sectionName = userInfo[ActiveConfig.NotificationKey.sectionName] as? String
            section = userInfo[ActiveConfig.NotificationKey.section] as? ActiveConfigSection
            error = userInfo[ActiveConfig.NotificationKey.error] as? any Error
            self.userInfo = UserInfo(values: userInfo)
        }

        /// A member of the `userInfo`.
        ///
        /// - Parameters:
        ///   - key: The member's key.
        ///   - type: The type.
        /// - Returns: The value; nil when there is none with that key and type.
        public func value<Value: Sendable>(
            forKey key: String, as type: Value.Type = Value.self
        ) -> Value? {
            userInfo.values[key] as? Value
        }
    }

    /// The observers, kept only to be removed.
    private struct Observers: @unchecked Sendable {  // Opaque tokens that nobody calls.
        let tokens: [any NSObjectProtocol]
    }

    private let recorded: AwaitableState<[Entry]>
    private let notificationCenter: NotificationCenter
    private let observers: Observers

    /// Starts recording; it ends when the recorder is released.
    ///
    /// - Parameters:
    ///   - config: The object whose notifications are recorded; it is not kept alive. Nil
    ///     records those of every object.
    ///   - notificationCenter: The center that they are posted to.
    ///   - otherNames: Names to record besides those of `ActiveConfig`, such as
    ///     `CrashGuard.verdictNotification`.
    ///   - body: Called from within each post, after it was recorded.
    public init(
        of config: ActiveConfig?, in notificationCenter: NotificationCenter = .default,
        also otherNames: [Notification.Name] = [],
        _ body: @escaping @Sendable (Entry) -> Void = { _ in }
    ) {
        let recorded = AwaitableState<[Entry]>([])
        let names: [Notification.Name] =
            [
                ActiveConfig.firstDownloadFinishedNotification,
                ActiveConfig.downloadUpdateFinishedNotification,
                ActiveConfig.downloadFailedNotification,
                ActiveConfig.sectionDidChangeNotification,
            ] + otherNames
        self.recorded = recorded
        self.notificationCenter = notificationCenter
        observers = Observers(
            tokens: names.map { name in
                notificationCenter.addObserver(
                    forName: name, object: config, queue: nil
                ) { notification in
                    let entry = Entry(notification)
                    recorded.withLock { $0.append(entry) }
                    body(entry)
                }
            })
    }

    deinit {
        for token in observers.tokens { notificationCenter.removeObserver(token) }
    }

    /// The notifications so far, in order.
    public var entries: [Entry] { recorded.value }

    /// The names of the notifications so far, in order.
    public var names: [Notification.Name] { recorded.value.map(\.name) }

    /// The notifications of a name so far, in order.
    public func entries(named name: Notification.Name) -> [Entry] {
        recorded.value.filter { $0.name == name }
    }

    /// Waits for a number of notifications.
    ///
    /// - Parameters:
    ///   - count: The number of notifications, since the beginning.
    ///   - name: The name to count; nil counts every notification.
    /// - Returns: All notifications of that name, `count` or more.
    /// - Throws: `CancellationError` when the task is cancelled.
    @discardableResult
    public func waitForNotifications(
        _ count: Int, named name: Notification.Name? = nil
    ) async throws -> [Entry] {
        let isCounted: @Sendable (Entry) -> Bool = { name == nil || $0.name == name }
        return try await recorded.wait { $0.count(where: isCounted) >= count }.filter(isCounted)
    }
}
