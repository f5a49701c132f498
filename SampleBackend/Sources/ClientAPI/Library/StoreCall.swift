package import TemplateStore

/// Calls of a store that may not take long.
package enum StoreCall {
    /// Calls a store, and cancels the call when it has not returned in time.
    ///
    /// - Throws: The error of the call, or `unavailable` when the time is over, while the call may still
    ///   be ending.
    package static func run<Value: Sendable>(
        within limit: Duration,
        _ call: @escaping @Sendable () async throws(TemplateStoreError) -> Value
    ) async throws(TemplateStoreError) -> Value {
        let late = TemplateStoreError(.unavailable, "The store did not answer within \(limit).")
        let (answers, continuation) = AsyncStream.makeStream(
            of: Result<Value, TemplateStoreError>.self, bufferingPolicy: .bufferingOldest(1))
        let work = Task {
            do throws(TemplateStoreError) {
                continuation.yield(.success(try await call()))
            } catch {
                continuation.yield(.failure(error))
            }
        }
        let timer = Task {
            try await Task.sleep(for: limit)
            continuation.yield(.failure(late))
        }
        defer {
            work.cancel()
            timer.cancel()
        }
        for await answer in answers { return try answer.get() }
        // The task is cancelled.
        throw late
    }
}
