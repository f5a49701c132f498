import Foundation

/// Thread with a stack of 512 KiB, which Apple's systems give to all but the main thread.
enum SmallStack {
    /// Runs `body` on such a thread; a stack overflow ends the process.
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
