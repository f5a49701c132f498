import Dispatch
import Foundation

/// What is kept of downloads across launches: the last one of each user, the wait after failures,
/// and whether the configuration was marked stale.
///
/// What a later launch must not lose is written at once: a wait, the end of one, a mark as stale and its
/// end. The rest, that the server was asked once more, is written once a minute at most, and lost with
/// that minute when the process is killed.
///
/// It decides whether the server may be asked; see ``FetchPolicy`` for the rules.
final class DownloadHistory: Sendable {
    /// The last download of a user that succeeded.
    struct Fetch: Codable, Sendable, Equatable {
        var time: Date
        /// When the newest document came.
        var documentTime: Date
        /// When the active document was given or confirmed; nil: it never was.
        var confirmedTime: Date?
        /// Of what the answer depended on beside the user.
        var digest: String
        /// Marks as stale when it was asked for.
        var staleCount: Int
    }

    struct State: Codable, Sendable, Equatable {
        var last: DownloadRecord?
        /// By the digest of the user's ID.
        var fetches: [String: Fetch] = [:]
        var staleCount = 0
        var staleTime: Date?
        /// Failures of the server in a row.
        var failureCount = 0
        /// The wait of all requests.
        var wait: Wait?
        /// The users' requests that were refused, by the digest of the user's ID.
        var refusals: [String: Refusal] = [:]
    }

    /// What a request depends on, taken when it begins.
    struct Request: Sendable {
        let userID: UserID
        let digest: String
        let staleCount: Int
        /// Number of calls of `tokensDidChange()` in this launch.
        var tokenChangeCount = 0
        /// Of the URL and the credentials; nil when they are not known.
        var fingerprint: String?
        /// True for a request made during a wait because its fingerprint differs.
        var isEarly = false

        var scope: String { "\(userID.digest) \(digest) \(staleCount)" }
    }

    enum Verdict: Sendable, Equatable {
        case ask
        case withinInterval
        /// `status` is that of the answer that is the cause.
        case wait(seconds: Double, status: Int?)
    }

    let stored: StoredState<State>
    let policy: FetchPolicy
    let now: @Sendable () -> Date
    /// The time until what was noted is written, though nothing else is noted.
    let writeDelay: DispatchTimeInterval
    let unwritten = Locked(Unwritten())
    /// The ``Request/tokenChangeCount`` of refused requests of this launch, by the digest of the user's ID.
    let tokenChangeCounts = Locked<[String: Int]>([:])

    init(
        store: (any ActiveConfigStore)?, policy: FetchPolicy,
        now: @escaping @Sendable () -> Date, log: ActiveConfigLog,
        writeDelay: DispatchTimeInterval = .seconds(60)
    ) {
        stored = StoredState("downloads", initial: State(), store: store, log: log)
        self.policy = policy
        self.now = now
        self.writeDelay = writeDelay
    }

    deinit {
        let (noted, stored, time) = (unwritten.withLock { $0 }, stored, now())
        if noted.isEmpty { return }
        // Whoever releases the configuration does not wait for the store.
        DispatchQueue.global(qos: .utility).async {
            stored.update { noted.add(to: &$0, at: time) }
        }
    }

    /// The stored record with the notes since.
    var value: State {
        // In this order: what was noted is removed only once it is stored.
        let noted = unwritten.withLock { $0 }
        var state = stored.value
        if !noted.isEmpty { noted.add(to: &state, at: now()) }
        return state
    }

    var last: DownloadRecord? { value.last }

    /// When a user's configuration was downloaded or confirmed last.
    func time(of userID: UserID) -> Date? { value.fetches[userID.digest]?.time }

    /// Takes over what another process has stored, such as a mark as stale; blocks.
    func refresh() { stored.refresh() }

    /// A user's next request, by what a downloader's answers depend on.
    func request(of userID: UserID, by downloader: any ActiveConfigDownloader) -> Request {
        var request = request(of: userID, downloader.requestDigest)
        guard let downloader = downloader as? any RequestPredicting else { return request }
        request.tokenChangeCount = downloader.tokenChangeCount ?? 0
        if stored.value.refusals[userID.digest] != nil {
            request.fingerprint = downloader.knownFingerprint(forUserID: userID.string)
        }
        return request
    }

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
        let (state, time) = (value, now())
        if hasDocument, let fetch = state.fetches[request.userID.digest],
            isWithinInterval(fetch, request, at: time)
        {
            return .withinInterval
        }
        let waits = waits(for: request, in: state)
        let rests = waits.compactMap { wait in wait.rest(at: time).map { ($0, wait.status) } }
        guard let (rest, status) = rests.max(by: { $0.0 < $1.0 }) else { return .ask }
        if waits.contains(where: { time < $0.start && !$0.isRestarted }) {
            stored.update { state in
                state.wait?.restart(at: time)
                state.refusals[request.userID.digest]?.wait.restart(at: time)
            }
        }
        return .wait(seconds: rest, status: status)
    }

    private func isWithinInterval(_ fetch: Fetch, _ request: Request, at time: Date) -> Bool {
        let elapsed = time.timeIntervalSince(fetch.time)
        return fetch.digest == request.digest && fetch.staleCount == request.staleCount
            && elapsed >= 0 && elapsed < policy.minimumInterval.inSeconds
    }

    /// Since when a user's document is or may be outdated, never in the future; nil: it is up to date.
    func staleTime(of request: Request, isPending: Bool) -> Date? {
        let time = now()
        return recordedStaleTime(of: request, isPending: isPending, at: time).map { min($0, time) }
    }

    private func recordedStaleTime(
        of request: Request, isPending: Bool, at now: Date
    ) -> Date? {
        let state = value
        guard let fetch = state.fetches[request.userID.digest] else { return .distantPast }
        if isPending { return fetch.documentTime }
        if fetch.staleCount != request.staleCount { return state.staleTime ?? .distantPast }
        if fetch.digest != request.digest { return fetch.time }
        let interval = policy.minimumInterval.inSeconds
        if interval > 0, !isWithinInterval(fetch, request, at: now) {
            return fetch.time.addingTimeInterval(interval)
        }
        return nil
    }

    /// When the server gave or confirmed the active document of a user; nil: it never did.
    func confirmationDate(of userID: UserID) -> Date? {
        value.fetches[userID.digest]?.confirmedTime
    }
}

extension DownloadHistory.State {
    private enum FormerKeys: String, CodingKey {
        /// The status and the scope of the last refusal.
        case refusal
        /// Of the wait, nil for all requests.
        case scope
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        last = try values.decodeIfPresent(DownloadRecord.self, forKey: .last)
        fetches = try values.decode([String: DownloadHistory.Fetch].self, forKey: .fetches)
        staleCount = try values.decode(Int.self, forKey: .staleCount)
        staleTime = try values.decodeIfPresent(Date.self, forKey: .staleTime)
        failureCount = try values.decode(Int.self, forKey: .failureCount)
        wait = try values.decodeIfPresent(DownloadHistory.Wait.self, forKey: .wait)
        refusals =
            try values.decodeIfPresent(
                [String: DownloadHistory.Refusal].self, forKey: .refusals) ?? [:]
        guard let wait else { return }
        // Records used to have one wait, which was for one user's requests after a refusal.
        let scope = try values.nestedContainer(keyedBy: FormerKeys.self, forKey: .wait)
            .decodeIfPresent(String.self, forKey: .scope)
        guard let scope else { return }
        let former = try decoder.container(keyedBy: FormerKeys.self)
            .decodeIfPresent(String.self, forKey: .refusal)
        let status = former?.split(separator: " ").first.flatMap { Int($0) }
        self.wait = nil
        refusals[String(scope.prefix { $0 != " " })] = DownloadHistory.Refusal(
            scope: scope, status: status ?? 0, wait: wait)
    }
}
