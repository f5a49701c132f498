import Observation

/// Waits until what the main actor changes, and can be observed, meets a condition.
@MainActor
func waitUntil(_ isMet: () -> Bool) async {
    while !Task.isCancelled {
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        if withObservationTracking(isMet, onChange: { change.finish() }) { return }
        // The main actor has made the change before it goes on here.
        for await _ in changes {}
    }
}
