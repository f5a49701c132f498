public import Dispatch

/// Collects which settings were read, with which values, for whoever counts them.
///
/// ```swift
/// options.exposures = ExposureRecorder { exposures in analytics.track(exposures) }
/// ```
///
/// Reads by typed keys and by decoded sections count, each setting once for each user and value in the
/// life of the recorder. A read of a value that is known costs nothing: it is recorded when a
/// configuration gives the value for the first time. Reads of a section's settings by name
/// (`config["Home"]?.bool(forKey:)`) are not seen.
public final class ExposureRecorder: Sendable {
    private struct Seen: Hashable {
        let userID: UserID
        let setting: SettingPath
        let value: SettingValue?
    }

    private struct State {
        var seen: Set<Seen> = []
        var pending: [Exposure] = []
        var isScheduled = false
    }

    /// Distinct exposures that are remembered; beyond, all are forgotten and may be recorded again.
    static let maximumSeenCount = 100_000

    private let batchSize: Int
    private let interval: DispatchTimeInterval
    private let handler: @Sendable ([Exposure]) -> Void
    private let state = Locked(State())
    /// Calls the handler.
    private let queue = DispatchQueue(label: "ActiveConfig.ExposureRecorder")

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - batchSize: How many exposures are handed over at once, at most by the handler's own delay.
    ///   - interval: How long an exposure waits for others.
    ///   - handler: Called with a batch, one call after the other, on a queue of the recorder.
    public init(
        batchSize: Int = 100, interval: DispatchTimeInterval = .seconds(30),
        handler: @escaping @Sendable ([Exposure]) -> Void
    ) {
        self.batchSize = max(batchSize, 1)
        self.interval = interval
        self.handler = handler
    }

    /// Hands over what is pending, and returns when the handler has it, as before the program ends.
    ///
    /// The handler must not call it.
    public func flush() { queue.sync { self.deliver() } }

    func record(_ exposure: Exposure, value: SettingValue?) {
        let seen = Seen(
            userID: UserID(exposure.userID), setting: exposure.setting, value: value)
        let (isFull, isFirst) = state.withLock { state in
            if state.seen.count >= Self.maximumSeenCount { state.seen = [] }
            guard state.seen.insert(seen).inserted else { return (false, false) }
            state.pending.append(exposure)
            defer { state.isScheduled = true }
            return (state.pending.count == batchSize, !state.isScheduled)
        }
        if isFull {
            queue.async { self.deliver() }
        } else if isFirst {
            queue.asyncAfter(deadline: .now() + interval) { [weak self] in self?.deliver() }
        }
    }

    /// Runs on ``queue``.
    private func deliver() {
        let exposures = state.withLock { state in
            defer { (state.pending, state.isScheduled) = ([], false) }
            return state.pending
        }
        if !exposures.isEmpty { handler(exposures) }
    }
}
