internal import Dispatch
internal import Foundation

/// Calls listeners and posts notifications on the app's queue, in the order in which they are queued.
final class ListenerQueue: Sendable {
    private struct Owner {
        weak var config: ActiveConfig?
    }

    let queue: DispatchQueue
    let notificationCenter: NotificationCenter
    /// Time in seconds after which a queue that does not run is logged.
    private let patience: Double
    private let log: ActiveConfigLog
    private let owner = Locked(Owner())
    /// True once the first delivery was queued.
    private let isWatched = Locked(false)

    init(
        _ queue: DispatchQueue, _ notificationCenter: NotificationCenter, patience: Double,
        log: ActiveConfigLog
    ) {
        (self.queue, self.notificationCenter) = (queue, notificationCenter)
        (self.patience, self.log) = (patience, log)
    }

    /// The configuration that listeners and notifications name; nil once it is released.
    var config: ActiveConfig? { owner.withLock { $0.config } }

    /// Runs `body`, during which the configuration is not released: else the last reference to it might
    /// be released under a lock that `body` takes.
    func keepingConfig<Result>(_ body: () -> Result) -> Result {
        withExtendedLifetime(config, body)
    }

    func attach(to config: ActiveConfig) { owner.withLock { $0.config = config } }

    /// Queues the calls and notifications of a change; may be called under a lock, which orders them.
    func queue(_ delivery: Delivery) {
        guard !delivery.changes.isEmpty || !delivery.events.isEmpty, let config else { return }
        async { [notificationCenter] in delivery.perform(from: config, notificationCenter) }
    }

    /// Puts a call on the queue.
    ///
    /// The first one is watched: a program that never runs its main queue would otherwise never
    /// learn why its listeners are not called.
    func async(_ call: @escaping @Sendable () -> Void) {
        let isFirst = isWatched.withLock { isWatched in
            defer { isWatched = true }
            return !isWatched
        }
        guard isFirst else { return queue.async(execute: call) }
        let hasRun = Locked(false)
        queue.async {
            hasRun.withLock { $0 = true }
            call()
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) { [weak self] in
            if hasRun.withLock({ $0 }) { return }
            self?.log(
                .warning,
                "Nothing has run on the listener queue since a change was put there. If it is the main "
                    + "queue, the program has to run it, as with RunLoop.main.run() or an asynchronous "
                    + "main(); else create the ActiveConfig with another listenerQueue.")
        }
    }
}

extension Delivery {
    /// Calls the listeners and posts the notifications: the sections, the first download of the
    /// installation, the end of this download.
    fileprivate func perform(from config: ActiveConfig, _ center: NotificationCenter) {
        func post(_ name: Notification.Name, _ userID: UserID, _ userInfo: [String: Any]) {
            var userInfo = userInfo
            userInfo[ActiveConfig.NotificationKey.userID] = userID.string ?? NSNull()
            center.post(name: name, object: config, userInfo: userInfo)
        }
        for (change, registrations) in changes {
            if let contents {
                for registration in registrations {
                    registration.deliver(change.new, of: contents)
                }
            }
            post(
                ActiveConfig.sectionDidChangeNotification, UserID(change.userID), change.userInfo)
        }
        for event in events {
            let (name, userID, userInfo) = event.notification
            post(name, userID, userInfo)
        }
    }
}

extension SectionChange {
    fileprivate var userInfo: [String: Any] {
        var userInfo: [String: Any] = [ActiveConfig.NotificationKey.sectionName: sectionName]
        userInfo[ActiveConfig.NotificationKey.section] = new
        return userInfo
    }
}

extension Delivery.Event {
    fileprivate var notification: (Notification.Name, UserID, [String: Any]) {
        typealias Key = ActiveConfig.NotificationKey
        return switch self {
        case .firstDownloadFinished(let userID, let meta):
            (ActiveConfig.firstDownloadFinishedNotification, userID, [Key.meta: meta])
        case .downloadFinished(let userID, let meta, let isCurrent):
            (
                ActiveConfig.downloadUpdateFinishedNotification, userID,
                [Key.meta: meta, Key.configurationIsCurrent: isCurrent]
            )
        case .downloadFailed(let userID, let error):
            (ActiveConfig.downloadFailedNotification, userID, [Key.error: error])
        }
    }
}
