internal import Foundation

/// Calls of observers, of all configurations.
enum ObserverCalls {
    /// The threads that are in a call, and in how many.
    private static let threads = Locked<[ObjectIdentifier: Int]>([:])

    /// True when the calling thread is in a call: then it must not wait for another one, which may wait for
    /// it.
    static var isInside: Bool {
        let thread = ObjectIdentifier(Thread.current)
        return threads.withLock { $0[thread] != nil }
    }

    static func call(_ observer: any ConfigurationObserving, _ event: ConfigurationEvent) {
        let thread = ObjectIdentifier(Thread.current)
        threads.withLock { $0[thread, default: 0] += 1 }
        defer {
            threads.withLock { threads in
                let count = threads[thread] ?? 0
                threads[thread] = count > 1 ? count - 1 : nil
            }
        }
        observer.observe(event)
    }
}
