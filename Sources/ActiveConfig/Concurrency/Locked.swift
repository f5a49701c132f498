#if ACTIVECONFIG_PTHREAD_LOCK
    import Foundation
#elseif canImport(Darwin)
    import os
#else
    import Synchronization
#endif

/// A value behind the framework's lock.
///
/// Never held while foreign code runs, with one exception: `UserDefaultsStore` holds a recursive
/// lock while user defaults notify their observers. Objects of Apple's frameworks are guarded by an
/// `NSLock` beside them, as they are not `Sendable`.
///
/// `Synchronization.Mutex` is fastest on Linux but needs iOS 18, so Apple's platforms use the
/// unfair lock, which is also what `Mutex` uses there. The thread sanitizer misreads `Mutex` on
/// Linux, so its builds use `NSLock`. `package`, because `ActiveConfigTesting` needs the same lock.
package final class Locked<State> {
    #if ACTIVECONFIG_PTHREAD_LOCK || canImport(Darwin)
        /// Never of size zero: the sanitizer would mistake an access to the state for one to the
        /// object's header.
        private struct Content {
            var state: State
            var size: UInt8 = 0
            #if DEBUG
                var takingCount = 0
            #endif
        }

        #if ACTIVECONFIG_PTHREAD_LOCK
            private let lock = NSLock()
        #else
            private let lock = OSAllocatedUnfairLock()
        #endif
        private var content: Content

        package init(_ state: sending State) {
            content = Content(state: state)
        }

        package func withLock<Result, Failure: Error>(
            _ body: (inout State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            lock.lock()
            defer { lock.unlock() }
            #if DEBUG
                content.takingCount += 1
            #endif
            return try body(&content.state)
        }

        #if DEBUG
            /// How often the lock was taken, for tests of what a change costs.
            package var takingCount: Int {
                lock.lock()
                defer { lock.unlock() }
                return content.takingCount
            }
        #endif
    #else
        private let mutex: Mutex<State>
        #if DEBUG
            private let takings = Atomic(0)
            /// How often the lock was taken, for tests of what a change costs.
            package var takingCount: Int { takings.load(ordering: .relaxed) }
        #endif

        package init(_ state: sending State) {
            mutex = Mutex(state)
        }

        @inline(__always)
        package func withLock<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            #if DEBUG
                takings.wrappingAdd(1, ordering: .relaxed)
            #endif
            return try mutex.withLock(body)
        }
    #endif
}

#if ACTIVECONFIG_PTHREAD_LOCK || canImport(Darwin)
    extension Locked: @unchecked Sendable {}  // The state is reached only under the lock.
#else
    extension Locked: Sendable {}
#endif
