import ActiveConfig
import Foundation

#if os(watchOS)
    import WatchKit
#elseif canImport(UIKit)
    import UIKit
#endif

/// Notifications of an app's background state and termination, where available.
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

    /// True for the bundle of an app extension: no notification tells it that the system is about
    /// to suspend it, and then may end it.
    static func isExtension(_ bundle: URL) -> Bool {
        #if os(watchOS)
            false  // An app can be one there, and gets notifications.
        #else
            bundle.pathExtension == "appex"
        #endif
    }

    /// Observes the app.
    ///
    /// - Parameters:
    ///   - background: Called when the app enters the background.
    ///   - foreground: Called when it is about to enter the foreground.
    ///   - end: Called when it is about to end.
    ///   - keep: Takes the observers, at once, or on watchOS soon.
    static func observe(
        background: @escaping @Sendable () -> Void, foreground: @escaping @Sendable () -> Void,
        end: @escaping @Sendable () -> Void, keep: @escaping @Sendable ([Observer]) -> Void
    ) {
        #if os(watchOS)
            // The names are isolated to the main actor there.
            Task { @MainActor in
                keep([
                    Observer(WKApplication.didEnterBackgroundNotification, background),
                    Observer(WKApplication.willEnterForegroundNotification, foreground),
                ])
            }
        #elseif canImport(UIKit)
            keep([
                Observer(UIApplication.didEnterBackgroundNotification, background),
                Observer(UIApplication.willEnterForegroundNotification, foreground),
                Observer(UIApplication.willTerminateNotification, end),
            ])
        #elseif os(macOS)
            // By name, since AppKit's constant may be isolated to the main actor.
            keep([Observer(Notification.Name("NSApplicationWillTerminateNotification"), end)])
        #endif
    }
}
