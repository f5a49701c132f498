/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// let task = Task { try await clock.sleep(for: .seconds(60)) }
/// try await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(60))
/// try await task.value
/// ```
public final class ManualClock: Clock {
    /// An instant of a manual clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public let offset: Duration

        /// Creates an instant.
        ///
        /// - Parameter offset: The time since the clock was created.
        public init(offset: Duration = .zero) { self.offset = offset }

        /// The instant that is `duration` later.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// The time from this instant to another.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Returns a Boolean value that indicates whether `left` is earlier.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State: Sendable {
        var now = Instant()
        var deadlines: [Int: Instant] = [:]
        var nextID = 0
    }

    private let state = AwaitableState(State())

    /// Creates a clock that shows zero.
    public init() {}

    /// The current instant.
    public var now: Instant { state.value.now }

    /// The smallest difference in time that the clock distinguishes.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The deadlines of all sleeping tasks, the next one first.
    public var deadlines: [Instant] { state.value.deadlines.values.sorted() }

    /// Sleeps until the clock has been moved to an instant.
    ///
    /// - Parameters:
    ///   - deadline: The instant.
    ///   - tolerance: Ignored.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.nextID += 1
            if deadline > state.now { state.deadlines[state.nextID] = deadline }
            return state.nextID
        }
        defer { state.withLock { $0.deadlines[id] = nil } }
        try await state.wait { $0.deadlines[id] == nil }
    }

    /// Advances the clock and wakes the tasks whose deadline is reached.
    ///
    /// A task that sleeps again after waking starts from the then current instant.
    ///
    /// - Parameter duration: The duration to advance by; not negative.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "A clock does not go back.")
        state.withLock { state in
            let now = state.now.advanced(by: duration)
            state.now = now
            state.deadlines = state.deadlines.filter { $0.value > now }
        }
    }

    /// Waits until at least `count` tasks sleep.
    ///
    /// - Parameter count: The number of tasks.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func waitForSleepers(_ count: Int = 1) async throws {
        try await state.wait { $0.deadlines.count >= count }
    }

    /// Waits until the deadlines meet a condition, for example that no task sleeps anymore.
    ///
    /// - Parameter isMet: Receives ``deadlines``, on any thread.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func waitForDeadlines(where isMet: @escaping @Sendable ([Instant]) -> Bool) async throws
    {
        try await state.wait { isMet($0.deadlines.values.sorted()) }
    }
}
