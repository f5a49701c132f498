import Observation

/// Waits until an observable state on the main actor meets a condition.
@MainActor
func waitUntil(_ isMet: () -> Bool) async {
    while !Task.isCancelled {
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        if withObservationTracking(isMet, onChange: { change.finish() }) { return }
        // The main actor has made the change before execution continues here.
        for await _ in changes {}
    }
}
