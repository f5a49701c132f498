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

/// The end of this process by `exit`, of which crash guards are told.
enum ProcessEnd {
    private static let observers = Locked<[ObjectIdentifier: CrashGuard]>([:])

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

    /// Tells a guard of the end, or no longer.
    ///
    /// The guard is kept until then: objects that are local to `main` are gone when the process ends,
    /// and often since their last use.
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
