/// Polls a condition until it is true.
///
/// For server state that causes no notification. The test's time limit bounds the wait: it cancels
/// the test, which ends the loop.
///
/// - Throws: `CancellationError`, or the error of `isMet`.
package func waitUntil(_ isMet: () async throws -> Bool) async throws {
    while try await !isMet() {  // deadline: only the test's time limit ends it
        try Task.checkCancellation()
        await Task.yield()
    }
}
