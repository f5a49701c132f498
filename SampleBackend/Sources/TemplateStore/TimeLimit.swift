/// Runs an operation with a time limit.
///
/// Cancels an operation that takes longer, without waiting for it: it may continue for a while.
///
/// - Parameters:
///   - limit: Maximum duration.
///   - operation: The operation.
/// - Returns: The result; nil when the time limit is over or the task is cancelled.
package func result<Result: Sendable>(
    within limit: Duration, of operation: @escaping @Sendable () async -> Result
) async -> Result? {
    let (results, continuation) = AsyncStream.makeStream(
        of: Result?.self, bufferingPolicy: .bufferingOldest(1))
    let work = Task { continuation.yield(await operation()) }
    let alarm = Task {
        try await Task.sleep(for: limit)
        continuation.yield(nil)
    }
    defer {
        work.cancel()
        alarm.cancel()
    }
    for await result in results { return result }
    return nil
}
