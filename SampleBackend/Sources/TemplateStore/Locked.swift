import Foundation

/// State behind a lock.
///
/// Never call out, yield or resume in `withLock`.
///
/// Uses `NSLock`, since the thread sanitizer reports false races for `Mutex` on Linux.
package final class Locked<State>: @unchecked Sendable {  // Reached only under the lock.
    private let lock = NSLock()
    private var state: State

    package init(_ state: sending State) { self.state = state }

    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }
}
