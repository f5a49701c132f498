import ActiveConfig
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

/// Notifies crash guards of this process's end by `exit`.
enum ProcessEnd {
    private static let observers = Locked<[ObjectIdentifier: CrashGuard]>([:])

    /// Registered with the first observer.
    private static let registration: Void = {
        #if canImport(Glibc)
            // Status 0 distinguishes an intended end from one after an error.
            _ = unsafe on_exit({ status, _ in if status == 0 { ProcessEnd.tell() } }, nil)
        #else
            // There is no status: every end by `exit` counts as intended.
            _ = atexit { ProcessEnd.tell() }
        #endif
    }()

    /// Starts or stops notifying a guard.
    ///
    /// The guard is retained until then: local objects of `main` are released before the process
    /// ends, often after their last use.
    static func observe(_ crashGuard: CrashGuard, _ isObserved: Bool) {
        if isObserved { _ = registration }
        let former = observers.withLock { observers in
            defer { observers[ObjectIdentifier(crashGuard)] = isObserved ? crashGuard : nil }
            return observers[ObjectIdentifier(crashGuard)]
        }
        withExtendedLifetime(former) {}
    }

    private static func tell() {
        for crashGuard in observers.withLock({ Array($0.values) }) { crashGuard.willTerminate() }
    }
}
