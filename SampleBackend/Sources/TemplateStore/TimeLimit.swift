/// Runs an operation for a limited time.
///
/// An operation that takes longer is cancelled, and not waited for: it may go on for a while.
///
/// - Parameters:
///   - limit: Maximum duration.
///   - operation: The operation.
/// - Returns: The result; nil when it did not come in time, or the task is cancelled.
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
