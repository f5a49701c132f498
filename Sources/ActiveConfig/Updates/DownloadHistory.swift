import Dispatch
import Foundation

/// Download state kept across launches: each user's last download, the wait after failures, and
/// stale marks.
///
/// State that a later launch needs is written at once: a wait, its end, a stale mark and its end.
/// The rest, the time of the last request, is written at most once a minute; a killed process loses
/// that minute.
///
/// Decides whether the server may be asked; see ``FetchPolicy`` for the rules.
final class DownloadHistory: Sendable {
    /// A user's last successful download.
    struct Fetch: Codable, Sendable, Equatable {
        var time: Date
        /// When the newest document arrived.
        var documentTime: Date
        /// When the server sent or confirmed the active document; nil: never.
        var confirmedTime: Date?
        /// Digest of what the answer depended on besides the user.
        var digest: String
        /// Number of stale marks at the time of the request.
        var staleCount: Int
    }

    struct State: Codable, Sendable, Equatable {
        var last: DownloadRecord?
        /// Keyed by the digest of the user ID.
        var fetches: [String: Fetch] = [:]
        var staleCount = 0
        var staleTime: Date?
        /// Consecutive server failures.
        var failureCount = 0
        var wait: Wait?
    }

    /// The inputs of a request, captured when it starts.
    struct Request: Sendable {
        let userID: UserID
        let digest: String
        let staleCount: Int
        var ignoresInterval = false
    }

    enum Verdict: Sendable, Equatable {
        case ask
        case withinInterval
        /// `status` is that of the answer that caused it.
        case wait(seconds: Double, status: Int?)
    }

    let stored: StoredState<State>
    let policy: FetchPolicy
    let now: @Sendable () -> Date
    /// The time until a record is written if no other follows.
    let writeDelay: DispatchTimeInterval
    let unwritten = Locked(Unwritten())
    let users = Locked(Users())
    let usersInMemory: @Sendable () -> Set<UserID>

    /// `usersInMemory` returns the users whose records must not be dropped from memory.
    init(
        store: (any ActiveConfigStore)?, policy: FetchPolicy,
        now: @escaping @Sendable () -> Date, log: ActiveConfigLog,
        writeDelay: DispatchTimeInterval = .seconds(60),
        usersInMemory: @escaping @Sendable () -> Set<UserID> = { [] }
    ) {
        stored = StoredState("downloads", initial: State(), store: store, log: log)
        self.policy = policy
        self.now = now
        self.writeDelay = writeDelay
        self.usersInMemory = usersInMemory
    }

    deinit {
        let (noted, stored, time) = (unwritten.withLock { $0 }, stored, now())
        if noted.isEmpty { return }
        // Releasing the configuration must not wait for the store.
        DispatchQueue.global(qos: .utility).async {
            stored.update { noted.add(to: &$0, at: time) }
        }
    }

    var last: DownloadRecord? {
        // In this order: it is removed when the stored state has it.
        let noted = unwritten.withLock { $0.last }
        return noted.map { $0.newest(stored.value.last, at: now()) } ?? stored.value.last
    }

    /// When a user's configuration was last downloaded or confirmed.
    func time(of userID: UserID) -> Date? { fetch(of: userID)?.time }

    /// Reads what another process has stored, such as a stale mark; blocks.
    func refresh() { stored.refresh() }

    /// A user's next request, with the digest of what the downloader's answers depend on.
    func request(of userID: UserID, _ requestDigest: String) -> Request {
        let version = policy.appVersion()
        return Request(
            userID: userID,
            digest: String(SHA256.hexDigest(of: "\(version)\n\(requestDigest)".utf8).prefix(16)),
            staleCount: stored.value.staleCount)
    }

    /// Decides whether a request may be made now; blocks when a wait is restarted.
    ///
    /// The interval does not apply to a user without a document.
    func verdict(on request: Request, hasDocument: Bool) -> Verdict {
        let time = now()
        if hasDocument, !request.ignoresInterval, let fetch = fetch(of: request.userID),
            isWithinInterval(fetch, request, at: time)
        {
            return .withinInterval
        }
        guard let wait, let rest = wait.rest(at: time) else { return .ask }
        if time < wait.start, !wait.isRestarted {
            stored.update { $0.wait?.restart(at: time) }
        }
        return .wait(seconds: rest, status: wait.status)
    }

    private func isWithinInterval(_ fetch: Fetch, _ request: Request, at time: Date) -> Bool {
        let elapsed = time.timeIntervalSince(fetch.time)
        return fetch.digest == request.digest && fetch.staleCount == request.staleCount
            && elapsed >= 0 && elapsed < policy.minimumInterval.inSeconds
    }

    /// Since when a user's document is or may be outdated, never in the future; nil: up to date.
    func staleTime(of request: Request, isPending: Bool) -> Date? {
        let time = now()
        return recordedStaleTime(of: request, isPending: isPending, at: time).map { min($0, time) }
    }

    private func recordedStaleTime(
        of request: Request, isPending: Bool, at now: Date
    ) -> Date? {
        guard let fetch = fetch(of: request.userID) else { return .distantPast }
        if isPending { return fetch.documentTime }
        if fetch.staleCount != request.staleCount { return stored.value.staleTime ?? .distantPast }
        if fetch.digest != request.digest { return fetch.time }
        let interval = policy.minimumInterval.inSeconds
        if interval > 0, !isWithinInterval(fetch, request, at: now) {
            return fetch.time.addingTimeInterval(interval)
        }
        return nil
    }

    /// When the server sent or confirmed the active document of a user; nil: never.
    func confirmationDate(of userID: UserID) -> Date? {
        fetch(of: userID)?.confirmedTime
    }
}
