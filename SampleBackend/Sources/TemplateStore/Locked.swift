import Foundation

/// A state behind a lock.
///
/// It is an `NSLock`, since the thread sanitizer misreads `Mutex` on Linux. It is never held while
/// code of somebody else runs.
package final class Locked<State>: @unchecked Sendable {  // Reached only under the lock.
    /// The lock.
    private let lock = NSLock()
    /// What it guards.
    private var state: State

    /// Makes a lock around a state.
    package init(_ state: sending State) { self.state = state }

    /// Runs a body alone with the state.
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }
}
