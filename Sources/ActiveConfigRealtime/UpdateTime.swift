import ActiveConfig
import Foundation

/// The clocks of an updater.
struct UpdateTime: Sendable {
    /// Time since the updater was created.
    let elapsed: @Sendable () -> Duration
    let sleep: @Sendable (Duration) async throws -> Void
    /// The time of day, for display.
    let date: @Sendable () -> Date

    init<C: Clock<Duration>>(
        _ clock: C, date: @escaping @Sendable () -> Date = { Date() }
    ) where C.Instant: Sendable {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
        self.date = date
    }
}
