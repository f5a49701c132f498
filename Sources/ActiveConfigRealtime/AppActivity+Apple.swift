import ActiveConfig

#if canImport(Network)
    import Dispatch
    import Foundation
    import Network
#endif
#if os(macOS)
    import AppKit
#elseif os(watchOS)
    import WatchKit
#elseif canImport(UIKit)
    import UIKit
#endif

extension AppActivity {
    #if canImport(Network)
        /// Observes the app, the device's sleep and its network.
        ///
        /// On iOS, tvOS, visionOS and watchOS the app's background state counts; a Mac app stays
        /// connected in the background.
        public static let automatic = AppActivity { SystemActivity.events() }
    #else
        /// The same as ``always``: this platform has nothing to observe.
        public static let automatic = always
    #endif
}

#if canImport(Network)
    /// Observes notifications and the network until its events are no longer awaited.
    private final class SystemActivity: @unchecked Sendable {  // Guarded by `lock`.
        private let lock = NSLock()
        private var tokens: [(NotificationCenter, any NSObjectProtocol)] = []
        /// The interfaces in use; nil without a network.
        private var interfaces: [String]?
        private var hasPath = false
        private var hasEnded = false
        private let monitor = NWPathMonitor()
        private let continuation: AsyncStream<AppActivity.Event>.Continuation

        static func events() -> AsyncStream<AppActivity.Event> {
            // Old events are obsolete; the buffer has room for the newest of each kind.
            let (events, continuation) = AsyncStream.makeStream(
                of: AppActivity.Event.self, bufferingPolicy: .bufferingNewest(16))
            let activity = SystemActivity(continuation)
            continuation.onTermination = { _ in activity.end() }
            activity.begin()
            return events
        }

        private init(_ continuation: AsyncStream<AppActivity.Event>.Continuation) {
            self.continuation = continuation
        }

        private func begin() {
            // Mac Catalyst has AppKit, but no NSWorkspace.
            #if os(macOS)
                observe(
                    NSWorkspace.didWakeNotification, .woke,
                    of: NSWorkspace.shared.notificationCenter)
            #elseif os(watchOS)
                // The names are isolated to the main actor there.
                Task { @MainActor [self] in
                    observe(WKApplication.didEnterBackgroundNotification, .inactive)
                    observe(WKApplication.willEnterForegroundNotification, .active)
                }
            #elseif canImport(UIKit)
                observe(UIApplication.didEnterBackgroundNotification, .inactive)
                observe(UIApplication.willEnterForegroundNotification, .active)
            #endif
            monitor.pathUpdateHandler = { [weak self] path in
                self?.note(
                    path.status == .satisfied ? path.availableInterfaces.map(\.name) : nil)
            }
            monitor.start(queue: DispatchQueue(label: "ActiveConfig.network"))
        }

        private func observe(
            _ name: Notification.Name, _ event: AppActivity.Event,
            of center: NotificationCenter = .default
        ) {
            let token = center.addObserver(forName: name, object: nil, queue: nil) {
                [continuation] _ in
                continuation.yield(event)
            }
            let isLate = lock.withLock {
                if !hasEnded { tokens.append((center, token)) }
                return hasEnded
            }
            if isLate { center.removeObserver(token) }
        }

        /// The first path is the initial state, not a change.
        private func note(_ new: [String]?) {
            let event = lock.withLock { () -> AppActivity.Event? in
                let (isFirst, old) = (!hasPath, interfaces)
                (hasPath, interfaces) = (true, new)
                if isFirst { return new == nil ? .networkLost : nil }
                if old == new { return nil }
                return new == nil ? .networkLost : .networkReturned
            }
            if let event { continuation.yield(event) }
        }

        private func end() {
            monitor.cancel()
            let tokens = lock.withLock {
                hasEnded = true
                defer { self.tokens = [] }
                return self.tokens
            }
            for (center, token) in tokens { center.removeObserver(token) }
        }
    }
#endif
