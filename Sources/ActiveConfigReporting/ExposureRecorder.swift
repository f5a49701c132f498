public import ActiveConfig

/// Batches exposures: the first read of each setting and value, per user.
///
/// ```swift
/// let recorder = ExposureRecorder(config) { exposures in await analytics.track(exposures) }
/// ```
///
/// Keep a reference: recording stops when it is released. Create it before the first read: a value
/// that was read before is not recorded until a later configuration gives another one.
///
/// Reads by typed keys and by decoded sections count: each setting once per user, and again when
/// its value differs from the last recorded one, so the last exposure is what the user sees. `1.0`
/// and `1` are the same value. Reading a known value costs nothing: reads are examined only when a
/// configuration first supplies the value. Reads of a section's settings by name
/// (`config["Home"]?.bool(forKey:)`) are not recorded.
///
/// The handler receives one batch at a time, in order: the next batch waits until the handler has
/// returned. Until then up to 10,000 exposures wait, or one batch if that is larger. The recorder
/// drops further ones, and records them when a later configuration gives the value again.
public final class ExposureRecorder: Sendable {
    private struct State {
        /// Hashes of the last recorded values, by user and setting; values can be large.
        var seen: [UserID: [SettingPath: Int]] = [:]
        /// Number of settings in ``seen``.
        var seenCount = 0
        var pending: [Exposure] = []
        /// Waits for further exposures, then delivers what is pending.
        var timer: Task<Void, Never>?
        /// The last delivery that has taken its batch.
        var running: Task<Void, Never>?
        /// The delivery that takes what is pending as soon as ``running`` ends.
        var queued: Task<Void, Never>?

        /// - Returns: False when it is known.
        mutating func note(_ exposure: Exposure, hash: Int) -> Bool {
            if seenCount >= ExposureRecorder.maximumSeenCount { (seen, seenCount) = ([:], 0) }
            let last = seen[UserID(exposure.userID), default: [:]].updateValue(
                hash, forKey: exposure.setting)
            if last == hash { return false }
            if last == nil { seenCount += 1 }
            pending.append(exposure)
            return true
        }

        mutating func forget(_ userID: UserID) {
            seenCount -= seen.removeValue(forKey: userID)?.count ?? 0
            pending.removeAll { UserID($0.userID) == userID }
        }

        mutating func takeBatch() -> [Exposure] {
            (running, queued) = (queued, nil)
            timer?.cancel()
            timer = nil
            defer { pending = [] }
            return pending
        }
    }

    /// Maximum number of remembered settings over all users; beyond it all are forgotten and may be
    /// recorded again.
    static let maximumSeenCount = 100_000
    /// Maximum number of exposures that wait for a slow handler.
    static let maximumPendingCount = 10_000

    /// A call of a recorder's handler.
    private final class Handling: Sendable {
        private let recorder: ObjectIdentifier
        private let isOver = Locked(false)

        init(_ recorder: ExposureRecorder) { self.recorder = ObjectIdentifier(recorder) }

        func isCurrent(in recorder: ExposureRecorder) -> Bool {
            self.recorder == ObjectIdentifier(recorder) && !isOver.withLock { $0 }
        }

        func end() { isOver.withLock { $0 = true } }
    }

    /// The call of the handler in which the code runs; a task that the handler starts inherits it,
    /// and finds it over once the handler has returned.
    @TaskLocal private static var handling: Handling?

    private let batchSize: Int
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let handler: @Sendable ([Exposure]) async -> Void
    private let state = Locked(State())
    private let observation = Locked<ActiveConfigSubscription?>(nil)

    /// Creates a recorder, which starts at once.
    ///
    /// - Parameters:
    ///   - config: The configuration.
    ///   - batchSize: Number of exposures that are handed over without waiting for `interval`. A batch is
    ///     larger when the handler was busy.
    ///   - interval: How long an exposure waits for others, a year at most.
    ///   - handler: Receives a batch. It is called in a task of the recorder, never twice at the same
    ///     time. It must not block its thread.
    public convenience init(
        _ config: ActiveConfig, batchSize: Int = 100, interval: Duration = .seconds(30),
        handler: @escaping @Sendable ([Exposure]) async -> Void
    ) {
        self.init(batchSize: batchSize, interval: interval, handler: handler)
        observe(config)
    }

    init(
        batchSize: Int = 100, interval: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock(),
        handler: @escaping @Sendable ([Exposure]) async -> Void
    ) {
        self.batchSize = max(batchSize, 1)
        // A clock traps on an instant that it cannot express.
        self.interval = min(interval, .seconds(365 * 24 * 60 * 60))
        self.clock = clock
        self.handler = handler
    }

    deinit { state.withLock { $0.timer?.cancel() } }

    func observe(_ config: ActiveConfig) {
        let new = config.addObserver(Observer(recorder: self))
        observation.withLock { $0 = new }
    }

    /// Does not hold it.
    private struct Observer: ConfigurationObserving {
        weak let recorder: ExposureRecorder?

        func observe(_ event: ConfigurationEvent) {
            switch event.kind {
            case .read(let read):
                recorder?.record(Exposure(read, event), hash: read.valueHash)
            case .forgotten: recorder?.forget(UserID(event.userID))
            default: break
            }
        }
    }

    /// Hands over what is pending, and returns when the handler has returned, as before the program ends.
    ///
    /// Called in the handler, it returns at once: what is pending follows as the next batch. A handler
    /// must not wait for another task that calls it.
    public func flush() async {
        let delivery = deliver()
        if Self.handling?.isCurrent(in: self) != true { await delivery.value }
    }

    func record(_ exposure: Exposure, hash: Int) {
        let isFull = state.withLock { state in
            guard state.pending.count < max(Self.maximumPendingCount, batchSize),
                state.note(exposure, hash: hash)
            else { return false }
            if state.timer == nil { state.timer = makeTimer() }
            return state.pending.count == batchSize
        }
        if isFull { _ = deliver() }
    }

    private func makeTimer() -> Task<Void, Never> {
        Task { [weak self, clock, interval] in
            guard (try? await clock.sleep(for: interval)) != nil else { return }
            _ = self?.deliver()
        }
    }

    /// Drops what is known of a user, and what was not handed over yet.
    private func forget(_ userID: UserID) { state.withLock { $0.forget(userID) } }

    /// Hands over what is pending, after the deliveries before.
    ///
    /// - Returns: The task that does so.
    private func deliver() -> Task<Void, Never> {
        state.withLock { state in
            if let queued = state.queued { return queued }
            // Without the priority and the task-local values of the reader that fills a batch.
            let delivery = Task.detached { [running = state.running] in
                await running?.value
                let exposures = self.state.withLock { $0.takeBatch() }
                guard !exposures.isEmpty else { return }
                let handling = Handling(self)
                defer { handling.end() }
                await Self.$handling.withValue(handling) { await self.handler(exposures) }
            }
            state.queued = delivery
            return delivery
        }
    }
}
