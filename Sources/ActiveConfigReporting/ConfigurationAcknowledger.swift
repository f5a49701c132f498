public import ActiveConfig

#if canImport(FoundationNetworking)
    import Dispatch
    import Foundation
    public import FoundationNetworking
#else
    import Dispatch
    public import Foundation
#endif

/// Reports to the backend which version of a configuration is active, or why one is not used
/// (*Client protocol*, section 2).
///
/// ```swift
/// let acknowledger = ConfigurationAcknowledger(config, backend: backend)
/// ```
///
/// Nothing is sent unless the server asks for it, by the header field `ActiveConfig-Acknowledge` of
/// its documents or the first event of its streams, which state the share of clients to report.
/// Each version is acknowledged once, after a random delay: for 10,000 users in a launch, and for
/// the last 1,000 across launches. An acknowledgement contains the version, the entity tag, and the
/// settings that could not be read, with the values of secrets masked. At most 16 are sent at once.
///
/// Keep a reference: acknowledging stops when it is released.
public final class ConfigurationAcknowledger: Sendable {
    /// An acknowledgement that waits or is being sent.
    private struct Pending {
        let number: Int
        let outcome: Acknowledgement
        let task: Task<Void, Never>
    }

    private struct State {
        /// The newest of each user.
        var pending: [UserID: Pending] = [:]
        /// Reports of this launch, for more users than the record keeps.
        var told: [UserID: AcknowledgementRecord.User] = [:]
        var lastNumber = 0
        var observation: ActiveConfigSubscription?
        var isStopped = false
    }

    private static let maximumToldCount = 10_000

    /// Sends a request, and returns the answer's body and head.
    typealias Send = @Sendable (URLRequest) async throws -> (Data, HTTPURLResponse)

    let config: ActiveConfig
    let backend: ActiveConfigBackend
    private let maximumDelay: Duration
    private let clock: any Clock<Duration>
    private let random: @Sendable () -> Double
    private let send: Send
    private let turns = CallLimit(16)
    let prepare: @Sendable (inout URLRequest) -> Void
    private let record: StoredState<AcknowledgementRecord>
    private let writes = BlockingCalls()
    private let decisions = DispatchQueue(label: "ActiveConfig.ConfigurationAcknowledger")
    private let state = Locked(State())

    /// Creates an acknowledger, which starts at once.
    ///
    /// After a 401 answer the user's token is refreshed once and the request sent again.
    ///
    /// - Parameters:
    ///   - config: The configuration; its store keeps which versions were acknowledged.
    ///   - backend: The backend, as the app's downloader has it. Its signals are not sent.
    ///   - maximumDelay: The maximum of the random delay, so that not all clients respond to a
    ///     publish at once.
    ///   - prepare: Changes each request before its credentials are added, for example to add a
    ///     header field.
    public convenience init(
        _ config: ActiveConfig, backend: ActiveConfigBackend,
        maximumDelay: Duration = .seconds(30),
        prepare: @escaping @Sendable (inout URLRequest) -> Void = { _ in }
    ) {
        self.init(
            config, backend: backend, maximumDelay: maximumDelay, clock: ContinuousClock(),
            random: { .random(in: 0..<1) }, prepare: prepare,
            send: { request in
                try await URLSessionTransport.data(
                    for: request, maximumSize: 1 << 16, timeout: .seconds(30), reportedURL: nil,
                    sessions: backend.sessions)
            })
    }

    init(
        _ config: ActiveConfig, backend: ActiveConfigBackend, maximumDelay: Duration,
        clock: any Clock<Duration>, random: @escaping @Sendable () -> Double,
        prepare: @escaping @Sendable (inout URLRequest) -> Void = { _ in },
        send: @escaping Send
    ) {
        self.config = config
        self.backend = backend
        self.maximumDelay = min(max(maximumDelay, .zero), .seconds(86_400))
        self.clock = clock
        self.random = random
        self.prepare = prepare
        self.send = send
        record = StoredState(
            "acknowledgements", initial: AcknowledgementRecord(), store: config.store,
            log: config.log)
        let observation = config.addObserver(Observer(acknowledger: self))
        state.withLock { $0.observation = observation }
    }

    /// Does not retain the acknowledger.
    private struct Observer: ConfigurationObserving {
        weak let acknowledger: ConfigurationAcknowledger?

        func observe(_ event: ConfigurationEvent) { acknowledger?.hear(event) }
    }

    private func hear(_ event: ConfigurationEvent) {
        if case .forgotten = event.kind { return forget(UserID(event.userID)) }
        guard let outcome = Acknowledgement(event) else { return }
        // In order, and off the observers' thread.
        decisions.async { self.take(outcome) }
    }

    /// Removes a user's acknowledged versions and pending acknowledgement.
    ///
    /// The user's epoch is over: concurrent decisions check that wherever they store something.
    private func forget(_ userID: UserID) {
        let pending = state.withLock { state in
            state.told[userID] = nil
            return state.pending.removeValue(forKey: userID)
        }
        pending?.task.cancel()
        record.update { $0.forget(userID) }
    }

    deinit { stop() }

    /// Stops it: nothing more is sent.
    public func stop() {
        let (observation, pending) = state.withLock { state in
            defer { (state.observation, state.pending, state.isStopped) = (nil, [:], true) }
            return (state.observation, state.pending)
        }
        observation?.cancel()
        for pending in pending.values { pending.task.cancel() }
    }

    /// Decides whether and when to acknowledge an outcome.
    private func take(_ outcome: Acknowledgement) {
        if let share = outcome.share, share != record.value.share {
            record.update { $0.share = share }
        }
        let known = record.value
        guard let share = outcome.share ?? known.share, share > 0,
            !known.hasTold(of: outcome),
            state.withLock({
                !$0.isStopped && $0.told[outcome.userID]?.hasTold(of: outcome) != true
            })
        else { return }
        if random() >= share {
            // Decided once per version, not at each of its confirmations.
            return note(outcome)
        }
        let delay = maximumDelay * random()
        // A newer version supersedes the acknowledgement of an older one; but the document that is
        // active instead of a refused one does not: it is acknowledged at its next confirmation.
        let old = state.withLock { state -> Task<Void, Never>? in
            let waiting = state.pending[outcome.userID]?.outcome
            guard !state.isStopped, !outcome.isForgotten, waiting?.isSame(as: outcome) != true,
                waiting?.version ?? .min <= outcome.version
            else { return nil }
            state.lastNumber += 1
            let number = state.lastNumber
            // Started under the lock, so that it cannot end before it is recorded.
            let task = Task { [weak self, clock] in
                guard (try? await clock.sleep(for: delay)) != nil else { return }
                await self?.acknowledge(outcome)
                self?.end(number, of: outcome.userID)
            }
            let pending = Pending(number: number, outcome: outcome, task: task)
            return state.pending.updateValue(pending, forKey: outcome.userID)?.task
        }
        old?.cancel()
    }

    private func note(_ outcome: Acknowledgement) {
        state.withLock { state in
            if outcome.isForgotten { return }
            let userID = outcome.userID
            state.told[userID, default: AcknowledgementRecord.User(digest: nil)].note(outcome)
            let isOver = state.told.count > Self.maximumToldCount
            if isOver, let other = state.told.keys.first(where: { $0 != userID }) {
                state.told[other] = nil
            }
        }
        record.update { if !outcome.isForgotten { $0.note(outcome) } }
    }

    private func end(_ number: Int, of userID: UserID) {
        state.withLock { state in
            if state.pending[userID]?.number == number { state.pending[userID] = nil }
        }
    }

    private func acknowledge(_ outcome: Acknowledgement) async {
        guard let request = await request(for: outcome), !outcome.isForgotten else { return }
        let (status, message): (Int, String?)
        do {
            (status, message) = try await turns.run {
                try await self.status(of: request, forUserID: outcome.userID.string)
            }
        } catch {
            return logFailure(of: outcome, error.logDescription)
        }
        if status >= 300 {
            let says = message.map { " The server says: \($0)" } ?? ""
            logFailure(of: outcome, "the server answered with status \(status).\(says)")
        }
        // After a temporary error, the next confirmation of the version tries again.
        guard status < 500, ![401, 408, 425, 429].contains(status) else { return }
        await writes.run { [self] in
            // Its user was forgotten, or a newer version has replaced it.
            let isPending = state.withLock { state in
                state.pending[outcome.userID]?.outcome.isSame(as: outcome) == true
            }
            guard isPending else { return }
            if status == 404 {
                // Switched off until an answer asks for it again.
                record.update { $0.share = nil }
            } else {
                note(outcome)
            }
        }
    }

    private func logFailure(of outcome: Acknowledgement, _ reason: String) {
        if Task.isCancelled { return }
        let version = "Version \(outcome.version) of \(outcome.userID.logName)"
        config.log(.info, "\(version) was not acknowledged: \(reason)")
    }

    /// Sends a request with the credentials.
    ///
    /// - Returns: The status, and the server's explanation of an error status.
    private func status(
        of request: URLRequest, forUserID userID: String?
    ) async throws -> (Int, String?) {
        func isRefused(_ answer: (status: Int, String?)) -> Bool { answer.status == 401 }
        return try await backend.credentials.refresh.answer(
            forUserID: userID, url: backend.url, isRefused: isRefused
        ) { token in
            var request = request
            try await backend.credentials.authorize(
                &request, of: backend, JSONURLDownloader.RequestContext(userID, token: token))
            let (body, head) = try await send(request)
            guard head.statusCode >= 300 else { return (head.statusCode, nil) }
            let message = ErrorBody(body, of: head).message(to: request, of: userID)
            return (
                head.statusCode, message?.oneLine(upTo: DownloadError.longestServerMessage)
            )
        }
    }

    #if DEBUG
        /// Returns once all events are processed.
        func drain() async {
            await withCheckedContinuation { continuation in
                decisions.async { continuation.resume() }
            }
        }

        /// Returns once all pending acknowledgements are answered.
        func waitForAnswers() async {
            for task in state.withLock({ $0.pending.values.map(\.task) }) { await task.value }
        }
    #endif
}
