/// Asks again and again until a condition is met.
///
/// For what a server counts, of which it tells nobody. The test's time limit bounds the wait: it
/// cancels the test, which ends this.
///
/// - Throws: `CancellationError`, or what `isMet` throws.
package func waitUntil(_ isMet: () async throws -> Bool) async throws {
    while try await !isMet() {  // deadline: only the test's time limit ends it
        try Task.checkCancellation()
        await Task.yield()
    }
}
