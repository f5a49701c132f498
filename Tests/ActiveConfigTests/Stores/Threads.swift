import ActiveConfig
import Foundation

/// Threads that run at once, beside Swift's cooperative threads, of which a small machine has too few
/// for contention.
enum Threads {
    /// Runs `body` on `count` threads, with the number of each, until all have ended.
    ///
    /// - Returns: What they gave, in the order of their numbers.
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
