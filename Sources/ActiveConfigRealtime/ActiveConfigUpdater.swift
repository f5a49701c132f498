public import ActiveConfig
internal import Foundation

/// Keeps the configurations of the current user or of given users up to date.
///
/// ```swift
/// let updater = ActiveConfigUpdater(
///     config, backend: ActiveConfigBackend(url: server, credentials: credentials))
/// updater.start()
/// ```
///
/// A service runs it as one of its services instead: ``run()`` fits `ServiceLifecycle`'s `Service`,
/// and returns when its task is cancelled.
///
/// The server pushes each change over a stream; where streams do not get through, the updater uses
/// long polling, and where the server does not support that, it polls at an interval. No answer of
/// the server ends it. It pauses while the app is in the background, and follows `currentUserID`.
/// See <doc:Realtime-updates>.
public final class ActiveConfigUpdater: Sendable {
    /// The users whose configurations are kept up to date.
    public struct Users: Sendable, Hashable {
        let userIDs: Set<UserID>?

        /// The current user.
        public static let current = Users(userIDs: nil)

        /// The given users, nil being the generic one; the store keeps their configurations.
        public static func fixed(_ userIDs: [String?]) -> Users {
            Users(userIDs: Set(userIDs.map { UserID($0) }))
        }
    }

    /// Times of an updater.
    public struct Options: Sendable, Hashable {
        /// The interval of requests to a server that has neither streams nor long polls, unless the
        /// document's `meta` has `poll_interval_seconds`; clamped to 15 seconds … 1 day.
        public var pollInterval = Duration.seconds(300)
        /// The longest wait between two attempts to connect, unless the server asks for more.
        public var maximumDelay = Duration.seconds(60)
        /// The longest time that an open stream may be silent; the backend sends something every 15
        /// seconds.
        package var maximumSilence = Duration.seconds(45)
        /// The longest time from opening a stream to its first event; a proxy that holds a stream
        /// back exceeds it, and long polls take the stream's place.
        package var helloTimeout = URLSessionEventSource.maximumStreamWait
        /// How long a long poll waits, 1 to 60 seconds.
        package var longPollWait = Duration.seconds(25)
        /// The time after which streams are tried again where they did not get through.
        package var retryStreamsAfter = Duration.seconds(30 * 60)
        /// The bounds of the time after a pushed change at which a conditional request verifies it.
        package var verification: ClosedRange<Duration> = .seconds(30) ... .seconds(120)

        /// Creates the default options.
        public init() {}

        /// The options, clamped so that no clock overflows.
        var clamped: Options {
            func bounded(_ time: Duration) -> Duration {
                min(max(time, .zero), .seconds(10 * 365 * 24 * 60 * 60))
            }
            let intervals = UserUpdates.pollIntervals
            var options = self
            options.pollInterval = min(
                max(pollInterval, intervals.lowerBound), intervals.upperBound)
            options.maximumDelay = bounded(maximumDelay)
            options.maximumSilence = bounded(maximumSilence)
            options.helloTimeout = bounded(helloTimeout)
            options.longPollWait = bounded(longPollWait)
            options.retryStreamsAfter = bounded(retryStreamsAfter)
            let (earliest, latest) = (verification.lowerBound, verification.upperBound)
            options.verification = bounded(earliest)...bounded(latest)
            return options
        }
    }

    /// What a run finds when it asks for its turn.
    private enum Turn {
        case hasBegun
        case isTaken
        case isCancelled
    }

    private struct State {
        var users: Users
        var lastNumber = 0
        /// The run whose connections are open or closing; it is ending once it was cancelled.
        var running: (number: Int, isEnding: Bool)?
        /// The run that begins as soon as ``running`` has ended.
        var waiting: (number: Int, continuation: CheckedContinuation<Turn, Never>)?
        /// The run of ``start()``, until ``stop()``.
        var started: (number: Int, task: Task<Void, Never>)?

        mutating func makeNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }

        /// - Returns: Nil if the run must wait for one that is ending.
        mutating func begin(_ number: Int) -> Turn? {
            if Task.isCancelled { return .isCancelled }
            if let started, started.number != number { return .isTaken }
            guard let running else {
                running = (number: number, isEnding: false)
                return .hasBegun
            }
            return running.isEnding && waiting == nil ? nil : .isTaken
        }

        /// - Returns: The run's continuation if it is waiting.
        mutating func cancel(_ number: Int) -> CheckedContinuation<Turn, Never>? {
            if running?.number == number { running?.isEnding = true }
            guard let waiting, waiting.number == number else { return nil }
            self.waiting = nil
            return waiting.continuation
        }

        /// Ends the run.
        ///
        /// - Returns: The continuation of the run that begins now.
        mutating func end() -> CheckedContinuation<Turn, Never>? {
            defer { waiting = nil }
            running = waiting.map { (number: $0.number, isEnding: false) }
            return waiting?.continuation
        }
    }

    let config: ActiveConfig
    let source: any ActiveConfigEventSource
    let options: Options
    let activity: AppActivity
    let time: UpdateTime
    let makeRandom: @Sendable () -> any RandomNumberGenerator & Sendable
    let board = UpdateBoard()
    let failures = UpdateFailures()
    /// Yields after the users have changed.
    let userChanges = ChangeSignals()
    private let state: Locked<State>

    /// Creates an updater that follows a backend by a ``URLSessionEventSource``; nothing runs yet.
    ///
    /// - Parameters:
    ///   - config: The configuration to keep fresh.
    ///   - backend: The backend, as the app's downloader has it.
    ///   - users: The users.
    ///   - options: Timing options.
    ///   - activity: The activity of the app and the device.
    public convenience init(
        _ config: ActiveConfig, backend: ActiveConfigBackend, users: Users = .current,
        options: Options = Options(), activity: AppActivity = .automatic
    ) {
        self.init(
            config, source: URLSessionEventSource(backend: backend), users: users,
            options: options, activity: activity)
    }

    /// Creates an updater; nothing runs yet.
    ///
    /// - Parameters:
    ///   - config: The configuration to keep fresh.
    ///   - source: The source of documents and events.
    ///   - users: The users.
    ///   - options: Timing options.
    ///   - activity: The activity of the app and the device.
    public convenience init(
        _ config: ActiveConfig, source: any ActiveConfigEventSource, users: Users = .current,
        options: Options = Options(), activity: AppActivity = .automatic
    ) {
        self.init(
            config, source: source, users: users, options: options, activity: activity,
            clock: ContinuousClock(), random: { SystemRandomNumberGenerator() })
    }

    /// Creates an updater with the given clock and randomness.
    package init<C: Clock<Duration>>(
        _ config: ActiveConfig, source: any ActiveConfigEventSource, users: Users = .current,
        options: Options = Options(), activity: AppActivity = .always, clock: C,
        random: @escaping @Sendable () -> any RandomNumberGenerator & Sendable
    ) where C.Instant: Sendable {
        self.config = config
        self.source = source
        state = Locked(State(users: users))
        self.options = options.clamped
        self.activity = activity
        time = UpdateTime(clock)
        makeRandom = random
    }

    /// The users whose configurations are kept up to date.
    ///
    /// While the updater runs, new users are connected, and removed users get no more updates; the
    /// connections of the others stay open.
    public var users: Users {
        get { state.withLock { $0.users } }
        set {
            state.withLock { $0.users = newValue }
            userChanges.yield()
        }
    }

    /// The states of the connections, the current ones first, and the versions that become active.
    ///
    /// Errors and ``stop()`` are states; the sequence ends only when the iterating task is
    /// cancelled. A slow consumer gets the newest state of each user, and the missed versions
    /// combined into one.
    public var updates: ConfigurationUpdates<ActiveConfigUpdate> {
        ConfigurationUpdates { [board] in
            let mailbox = board.makeMailbox()
            return .init(signals: mailbox.signals) { mailbox.take() }
        }
    }

    /// The state of a user's connection; nil is the generic user.
    public func state(ofUserID userID: String?) -> ActiveConfigUpdateState {
        board.state(of: UserID(userID))
    }

    /// Starts the updater in its own task; has no effect while it is started.
    ///
    /// It runs until ``stop()``, and retains the updater, its source and the configuration until
    /// then: keep a reference to the updater, and stop it when it is no longer needed.
    ///
    /// If a run that was stopped or cancelled is still ending, the new one begins after it. Logs an
    /// error and does not start while ``run()`` runs.
    public func start() {
        state.withLock { state in
            guard state.started == nil else { return }
            let number = state.makeNumber()
            let task = Task { [self] in
                if await run(number) { return }
                let isWanted = self.state.withLock { state in
                    guard state.started?.number == number else { return false }
                    state.started = nil
                    return true
                }
                guard isWanted else { return }
                config.log(.error, "The updater was not started: it runs already, by run().")
            }
            state.started = (number, task)
        }
    }

    /// Ends what ``start()`` started, at once; connections close soon after.
    ///
    /// ``updates`` continues; the state of each user becomes ``ActiveConfigUpdateState/stopped``.
    public func stop() {
        let (task, waiting) = state.withLock { state in
            let started = state.started
            state.started = nil
            return (started?.task, started.flatMap { state.cancel($0.number) })
        }
        waiting?.resume(returning: .isCancelled)
        task?.cancel()
    }

    /// Runs until the task is cancelled.
    ///
    /// If a run that was stopped or cancelled is still ending, the new one begins after it: a view may
    /// call it in `task(id:)`. Logs an error and returns at once while the updater is started, or while
    /// another call runs or waits whose task was not cancelled.
    ///
    /// With `ServiceLifecycle`, which ends services gracefully, call it within
    /// `cancelWhenGracefulShutdown`.
    public func run() async {
        if await run(state.withLock { $0.makeNumber() }) { return }
        config.log(
            .error, "The updater runs already. Call start() or run(), and only once at a time.")
    }

    /// - Returns: False when another run has the turn.
    private func run(_ number: Int) async -> Bool {
        await withTaskCancellationHandler {
            switch await beginTurn(number) {
            case .isTaken: return false
            case .isCancelled: return true
            case .hasBegun:
                await UpdateSupervisor(self).run()
                state.withLock { $0.end() }?.resume(returning: .hasBegun)
                return true
            }
        } onCancel: {
            state.withLock { $0.cancel(number) }?.resume(returning: .isCancelled)
        }
    }

    private func beginTurn(_ number: Int) async -> Turn {
        await withCheckedContinuation { continuation in
            let turn = state.withLock { state in
                let turn = state.begin(number)
                if turn == nil { state.waiting = (number, continuation) }
                return turn
            }
            if let turn { continuation.resume(returning: turn) }
        }
    }
}
