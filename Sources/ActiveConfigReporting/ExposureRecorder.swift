public import ActiveConfig
public import Dispatch

/// Batches exposures: the first read of each setting and value, per user.
///
/// ```swift
/// let recorder = ExposureRecorder(config) { exposures in analytics.track(exposures) }
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
/// While the handler is busy, up to 10,000 exposures wait, or one batch if that is larger. Further
/// ones are dropped, and recorded when a later configuration supplies the value again.
public final class ExposureRecorder: Sendable {
    private struct State {
        /// Hashes of the last recorded values, by user and setting; values can be large.
        var seen: [UserID: [SettingPath: Int]] = [:]
        /// Number of settings in ``seen``.
        var seenCount = 0
        var pending: [Exposure] = []
        var isScheduled = false

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
    }

    /// Maximum number of remembered settings over all users; beyond it all are forgotten and may be
    /// recorded again.
    static let maximumSeenCount = 100_000
    /// Maximum number of exposures that wait for a slow handler.
    static let maximumPendingCount = 10_000

    private let batchSize: Int
    private let interval: DispatchTimeInterval
    private let handler: @Sendable ([Exposure]) -> Void
    private let state = Locked(State())
    /// Calls the handler.
    private let queue = DispatchQueue(label: "ActiveConfig.ExposureRecorder")
    private let observation = Locked<ActiveConfigSubscription?>(nil)

    /// Creates a recorder, which starts at once.
    ///
    /// - Parameters:
    ///   - activeConfig: The configuration.
    ///   - batchSize: How many exposures are handed over at once, at most by the handler's own delay.
    ///   - interval: How long an exposure waits for others.
    ///   - handler: Called with a batch, one call after the other, on a queue of the recorder.
    public convenience init(
        _ activeConfig: ActiveConfig, batchSize: Int = 100,
        interval: DispatchTimeInterval = .seconds(30),
        handler: @escaping @Sendable ([Exposure]) -> Void
    ) {
        self.init(batchSize: batchSize, interval: interval, handler: handler)
        observe(activeConfig)
    }

    init(
        batchSize: Int = 100, interval: DispatchTimeInterval = .seconds(30),
        handler: @escaping @Sendable ([Exposure]) -> Void
    ) {
        self.batchSize = max(batchSize, 1)
        self.interval = interval
        self.handler = handler
    }

    func observe(_ activeConfig: ActiveConfig) {
        let new = activeConfig.addObserver(Observer(recorder: self))
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

    /// Hands over what is pending, and returns when the handler has it, as before the program ends.
    ///
    /// The handler must not call it.
    public func flush() { queue.sync { self.deliver() } }

    func record(_ exposure: Exposure, hash: Int) {
        let (isFull, isFirst) = state.withLock { state in
            guard state.pending.count < max(Self.maximumPendingCount, batchSize),
                state.note(exposure, hash: hash)
            else { return (false, false) }
            defer { state.isScheduled = true }
            return (state.pending.count == batchSize, !state.isScheduled)
        }
        if isFull {
            queue.async { self.deliver() }
        } else if isFirst {
            queue.asyncAfter(deadline: .now() + interval) { [weak self] in self?.deliver() }
        }
    }

    /// Drops what is known of a user, and what was not handed over yet.
    private func forget(_ userID: UserID) { state.withLock { $0.forget(userID) } }

    /// Runs on ``queue``.
    private func deliver() {
        let exposures = state.withLock { state in
            defer { (state.pending, state.isScheduled) = ([], false) }
            return state.pending
        }
        if !exposures.isEmpty { handler(exposures) }
    }
}
