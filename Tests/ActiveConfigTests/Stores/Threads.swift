import ActiveConfig
import Foundation

/// Runs closures on threads of their own.
///
/// A small machine has too few cooperative threads for contention.
enum Threads {
    /// Runs `body` on `count` threads at once, and waits until all of them have ended.
    ///
    /// - Returns: The results, in the order of the threads' numbers.
    static func run<Result: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (_ number: Int) throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: (Int, Result).self) { group in
            for number in 0..<count {
                group.addTask {
                    try await withCheckedThrowingContinuation { continuation in
                        Thread.detachNewThread {
                            continuation.resume(
                                with: Swift.Result { (number, try body(number)) })
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
                .sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}

/// Runs `body` on a thread of its own, and returns when it has ended.
///
/// The framework puts off what is called on a thread that is in a call of a store.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        body()
        hasEnded.signal()
    }
    hasEnded.wait()
}
