import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// The end of this process by `exit`, of which launch guards are told.
enum ProcessEnd {
    private struct Weak: Sendable {
        weak var launchGuard: LaunchGuard?
    }

    private static let observers = Locked<[Weak]>([])

    /// Registered with the first observer.
    private static let registration: Void = {
        #if canImport(Glibc)
            // The status tells an end on purpose from one for an error.
            _ = unsafe on_exit({ status, _ in if status == 0 { ProcessEnd.tell() } }, nil)
        #else
            // It does not tell the status: every end by `exit` is one on purpose here.
            _ = atexit { ProcessEnd.tell() }
        #endif
    }()

    static func observe(_ launchGuard: LaunchGuard) {
        _ = registration
        let living = observers.withLock { observers in
            let living = observers.compactMap(\.launchGuard)
            observers = living.map { Weak(launchGuard: $0) } + [Weak(launchGuard: launchGuard)]
            return living
        }
        withExtendedLifetime(living) {}
    }

    private static func tell() {
        for launchGuard in observers.withLock({ $0.compactMap(\.launchGuard) }) {
            launchGuard.willExit()
        }
    }
}
