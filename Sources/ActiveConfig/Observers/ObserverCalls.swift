internal import Foundation

/// Observer calls of all configurations.
enum ObserverCalls {
    /// Threads inside a call, with their call depth.
    private static let threads = Locked<[ObjectIdentifier: Int]>([:])

    /// True when the calling thread is inside a call: it must not wait for another call, which may
    /// wait for this one.
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
