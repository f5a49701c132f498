import Observation

/// Counts changes of the values that a closure reads, and runs the closure again after each.
@MainActor
final class Watch {
    private(set) var count = 0
    private let read: () -> Void

    init(_ read: @escaping () -> Void) {
        self.read = read
        arm()
    }

    private func arm() {
        withObservationTracking(read) { [weak self] in
            Task { @MainActor in
                self?.count += 1
                self?.arm()
            }
        }
    }
}
