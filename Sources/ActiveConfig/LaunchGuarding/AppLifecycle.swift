import Foundation

#if canImport(UIKit) && !os(watchOS)
    import UIKit
#endif

/// Notifications of an app about its background and its end, where there are any.
enum AppLifecycle {
    /// Ends its observation when it is released.
    final class Observer: @unchecked Sendable {  // The center may be used on any thread.
        private let token: any NSObjectProtocol

        init(_ name: Notification.Name, _ body: @escaping @Sendable () -> Void) {
            token = NotificationCenter.default.addObserver(
                forName: name, object: nil, queue: nil
            ) { _ in body() }
        }

        deinit { NotificationCenter.default.removeObserver(token) }
    }

    static func observe(
        background: @escaping @Sendable () -> Void, foreground: @escaping @Sendable () -> Void,
        end: @escaping @Sendable () -> Void
    ) -> [Observer] {
        #if canImport(UIKit) && !os(watchOS)
            return [
                Observer(UIApplication.didEnterBackgroundNotification, background),
                Observer(UIApplication.willEnterForegroundNotification, foreground),
                Observer(UIApplication.willTerminateNotification, end),
            ]
        #elseif os(macOS)
            // By name, so that a command-line tool does not load AppKit.
            return [Observer(Notification.Name("NSApplicationWillTerminateNotification"), end)]
        #else
            return []
        #endif
    }
}
