#if ACTIVECONFIG_PTHREAD_LOCK
    import Foundation
#else
    import Synchronization
#endif

/// A state behind a lock: the only lock of the framework.
///
/// It is never held while code of somebody else runs. In a build for the thread sanitizer, which
/// misreads `Mutex` on Linux, it is an `NSLock`; that is why `ActiveConfigTesting` locks with it as
/// well, and it is `package`.
package final class Locked<State> {
    #if ACTIVECONFIG_PTHREAD_LOCK
        /// The state, with a size in any case.
        ///
        /// The sanitizer takes an access to what has none for one to the object's header.
        private struct Content {
            var state: State
            var size: UInt8 = 0
        }

        private let lock = NSLock()
        private var content: Content

        /// Makes a lock around `state`.
        package init(_ state: sending State) {
            content = Content(state: state)
        }

        /// Runs `body` alone with the state.
        package func withLock<Result, Failure: Error>(
            _ body: (inout State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            lock.lock()
            defer { lock.unlock() }
            return try body(&content.state)
        }
    #else
        private let mutex: Mutex<State>

        /// Makes a lock around `state`.
        package init(_ state: sending State) {
            mutex = Mutex(state)
        }

        /// Runs `body` alone with the state.
        @inline(__always)
        package func withLock<Result, Failure: Error>(
            _ body: (inout sending State) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    #endif
}

#if ACTIVECONFIG_PTHREAD_LOCK
    extension Locked: @unchecked Sendable {}  // The state is reached only under the lock.
#else
    extension Locked: Sendable {}
#endif
