import Foundation

/// What is kept of downloads across launches: the last one of each user, the wait after failures,
/// and whether the configuration was marked stale.
///
/// It decides whether the server may be asked; see ``FetchPolicy`` for the rules.
final class DownloadHistory: Sendable {
    /// The last download of a user that succeeded.
    struct Fetch: Codable, Sendable, Equatable {
        var time: Date
        /// When the newest document came.
        var documentTime: Date
        /// When the document in force was given or confirmed; nil: it never was.
        var confirmedTime: Date?
        /// Of what the answer depended on beside the user.
        var digest: String
        /// Marks as stale when it was asked for.
        var staleCount: Int
    }

    /// A wait for the server.
    struct Wait: Codable, Sendable, Equatable {
        var start: Date
        var seconds: Double
        /// The requests that it is for; nil: all.
        var scope: String?
        /// True once it began anew, since the clock was set back.
        var isRestarted = false

        /// In seconds; nil when it is over.
        func rest(at time: Date) -> Double? {
            let elapsed = time.timeIntervalSince(start)
            if elapsed < 0 { return isRestarted ? nil : seconds }
            // Who waited until the end is not sent away for a rounding error.
            return seconds - elapsed > 0.001 ? seconds - elapsed : nil
        }
    }

    struct State: Codable, Sendable, Equatable {
        var last: DownloadRecord?
        /// By the digest of the user's ID.
        var fetches: [String: Fetch] = [:]
        var staleCount = 0
        var staleTime: Date?
        /// Failures in a row.
        var failureCount = 0
        var wait: Wait?
        /// The requests that were refused last, with the status.
        var refusal: String?
    }

    /// What a request depends on, taken when it begins.
    struct Request: Sendable {
        let userID: UserID
        let digest: String
        let staleCount: Int

        var scope: String { "\(userID.digest) \(digest) \(staleCount)" }
    }

    enum Verdict: Sendable, Equatable {
        case ask
        case withinInterval
        case wait(seconds: Double)
    }

    /// Users whose last download is remembered.
    private static let maximumFetchCount = 50

    private let stored: StoredState<State>
    private let policy: FetchPolicy
    private let now: @Sendable () -> Date

    init(
        store: (any ActiveConfigStore)?, policy: FetchPolicy,
        now: @escaping @Sendable () -> Date, log: ActiveConfigLog
    ) {
        stored = StoredState("downloads", initial: State(), store: store, log: log)
        self.policy = policy
        self.now = now
    }

    var last: DownloadRecord? { stored.value.last }

    /// When a user's configuration was downloaded or confirmed last.
    func time(of userID: UserID) -> Date? { stored.value.fetches[userID.digest]?.time }

    func request(of userID: UserID, _ requestDigest: String) -> Request {
        let version = policy.appVersion()
        return Request(
            userID: userID,
            digest: String(SHA256.hexDigest(of: "\(version)\n\(requestDigest)".utf8).prefix(16)),
            staleCount: stored.value.staleCount)
    }

    /// Whether a request may be made now; blocks when a wait begins anew.
    ///
    /// A user without a document is not within an interval.
    func verdict(on request: Request, hasDocument: Bool) -> Verdict {
        let (state, time) = (stored.value, now())
        if hasDocument, let fetch = state.fetches[request.userID.digest],
            isWithinInterval(fetch, request, at: time)
        {
            return .withinInterval
        }
        guard let wait = self.wait(for: request, in: state), let rest = wait.rest(at: time) else {
            return .ask
        }
        if time < wait.start {
            stored.update { state in
                guard state.wait == wait else { return }
                state.wait?.start = time
                state.wait?.isRestarted = true
            }
        }
        return .wait(seconds: rest)
    }

    /// The end of the wait that keeps a request from being made.
    func waitEnd(for request: Request) -> Date? {
        let time = now()
        guard let wait = wait(for: request, in: stored.value), let rest = wait.rest(at: time) else {
            return nil
        }
        return time < wait.start
            ? time.addingTimeInterval(rest) : wait.start.addingTimeInterval(wait.seconds)
    }

    private func wait(for request: Request, in state: State) -> Wait? {
        guard policy.backoff != nil, let wait = state.wait,
            wait.scope == nil || wait.scope == request.scope
        else { return nil }
        return wait
    }

    private func isWithinInterval(_ fetch: Fetch, _ request: Request, at time: Date) -> Bool {
        let elapsed = time.timeIntervalSince(fetch.time)
        return fetch.digest == request.digest && fetch.staleCount == request.staleCount
            && elapsed >= 0 && elapsed < policy.minimumInterval.inSeconds
    }

    /// Notes a download that succeeded; blocks.
    ///
    /// `isInForce` tells whether the newest document is the one in force.
    func noteSuccess(
        of request: Request, _ outcome: DownloadOutcome, after duration: Duration, isInForce: Bool
    ) {
        let time = now()
        stored.update { state in
            state.last = DownloadRecord(
                time: time, outcome: outcome, duration: duration, userID: request.userID.string)
            let key = request.userID.digest
            let old = state.fetches[key]
            state.fetches[key] = Fetch(
                time: time,
                documentTime: outcome == .downloaded ? time : old?.documentTime ?? time,
                confirmedTime: isInForce ? time : old?.confirmedTime, digest: request.digest,
                staleCount: request.staleCount)
            if state.fetches.count > Self.maximumFetchCount,
                let oldest = state.fetches.min(by: { $0.value.time < $1.value.time })
            {
                state.fetches[oldest.key] = nil
            }
            (state.failureCount, state.wait, state.refusal) = (0, nil, nil)
        }
    }

    /// Notes a download that failed, and begins a wait; blocks.
    ///
    /// - Returns: True when the server has refused such a request before with that status.
    func noteFailure(
        of request: Request, _ error: any Error, after duration: Duration
    ) -> Bool {
        let time = now()
        let status = (error as? DownloadError)?.status
        let failure = FetchPolicy.Failure(error)
        let fraction = policy.backoff?.draw() ?? 0
        return stored.update { state in
            state.last = DownloadRecord(
                time: time, outcome: .failed, status: status, duration: duration,
                userID: request.userID.string)
            guard let backoff = policy.backoff, let failure else { return false }
            state.failureCount = min(state.failureCount, 1_000) + 1
            state.wait = Wait(
                start: time,
                seconds: backoff.wait(
                    afterFailures: state.failureCount, failure, drawn: fraction),
                scope: failure.isRefusal ? request.scope : nil)
            let refusal = failure.isRefusal ? "\(status ?? 0) \(request.scope)" : nil
            defer { state.refusal = refusal }
            return refusal != nil && refusal == state.refusal
        }
    }

    /// Blocks.
    func markStale() {
        let time = now()
        stored.update { state in
            state.staleCount += 1
            state.staleTime = time
        }
    }

    /// Notes that the newest document of a user came in force; blocks.
    func noteActivation(of userID: UserID) {
        stored.update { state in
            guard var fetch = state.fetches[userID.digest] else { return }
            fetch.confirmedTime = fetch.time
            state.fetches[userID.digest] = fetch
        }
    }

    /// Blocks.
    func forget(_ userID: UserID) {
        stored.update { state in
            state.fetches[userID.digest] = nil
            if UserID(state.last?.userID) == userID { state.last = nil }
        }
    }

    /// Since when a user's document is or may be outdated; nil: it is up to date.
    func staleTime(of request: Request, isPending: Bool) -> Date? {
        let state = stored.value
        guard let fetch = state.fetches[request.userID.digest] else { return .distantPast }
        if isPending { return fetch.documentTime }
        if fetch.staleCount != request.staleCount { return state.staleTime ?? .distantPast }
        if fetch.digest != request.digest { return fetch.time }
        let interval = policy.minimumInterval.inSeconds
        if interval > 0, !isWithinInterval(fetch, request, at: now()) {
            return fetch.time.addingTimeInterval(interval)
        }
        return nil
    }

    /// The time since a user's document in force was given or confirmed.
    func age(of userID: UserID) -> Duration? {
        stored.value.fetches[userID.digest]?.confirmedTime.map {
            .seconds(max(0, now().timeIntervalSince($0)))
        }
    }
}
