import Foundation

/// A thread with the stack that Apple gives to all but the main thread.
enum SmallStack {
    /// Runs `body` on it; an overflow ends the process.
    static func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Swift.Result { try body() }) }
            thread.stackSize = 512 * 1024
            thread.start()
        }
    }
}
