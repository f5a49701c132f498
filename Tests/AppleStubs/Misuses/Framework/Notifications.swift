import Foundation

#if canImport(UIKit)
    import UIKit
#endif
#if canImport(AppKit)
    import AppKit
#endif
#if canImport(WatchKit)
    import WatchKit
#endif

#if os(iOS) || os(tvOS) || os(visionOS)
    func isActive() -> Bool {
        _ = UIApplication.didBecomeActiveNotification
        return UIApplication.shared.applicationState == .active  // misuse on iOS tvOS visionOS
    }
#elseif os(macOS)
    func isActive() -> Bool {
        _ = NSWorkspace.didAwakeNotification  // misuse on macOS
        return NSApplication.shared.isActive  // misuse on macOS
    }
#elseif os(watchOS)
    @MainActor func names() -> [NSNotification.Name] {
        [
            WKApplication.didBecomeActiveNotification,
            WKExtension.applicationDidBecomeActiveNotification,  // misuse on watchOS
        ]
    }
    @MainActor func state() -> Any { UIApplication.shared }  // misuse on watchOS
#endif
