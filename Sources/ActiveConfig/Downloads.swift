/// Downloads of all users: joins callers, asks the downloader, and ends each download with a change
/// of its user's documents or with an error.
final class Downloads: Sendable {
    /// The app's downloader.
    let downloader: any ActiveConfigDownloader
    let users: Users
    let clock: any Clock<Duration>
    /// The longest time that a downloader may take.
    private let timeout: Duration

    var front: Front { users.front }
    var history: DownloadHistory { users.history }
    var vettings: Vettings { users.vettings }
    var log: ActiveConfigLog { users.log }

    init(
        _ downloader: any ActiveConfigDownloader, _ users: Users, timeout: Duration,
        clock: any Clock<Duration>
    ) {
        (self.downloader, self.users) = (downloader, users)
        (self.timeout, self.clock) = (timeout, clock)
    }

    /// Joins the current user's running download, or starts one, without a waiting caller.
    func startDetached() {
        while true {
            let (download, userID, isNew) = joinable(of: nil)
            let isKept = download.detach()
            if isNew { start(download, for: userID) }
            if isKept { return }
        }
    }

    /// Starts a download without a waiting caller, and returns a function that waits for it.
    func startedDownload() -> @Sendable () async throws -> DownloadResult {
        while true {
            let (download, userID, isNew) = joinable(of: nil)
            let ticket = download.join()
            let isKept = download.detach()
            if isNew { start(download, for: userID) }
            if isKept, let ticket { return { try await download.value(ticket) } }
        }
    }

    /// Downloads a user's configuration, or joins the running download; nil: the current user.
    @discardableResult
    func download(
        of userID: UserID?, ignoringInterval: Bool = false
    ) async throws -> DownloadResult {
        var wanted = userID
        while true {
            try Task.checkCancellation()
            let (download, userID, isNew) = joinable(of: wanted)
            let ticket = download.join()
            if isNew { start(download, for: userID, ignoringInterval: ignoringInterval) }
            guard let ticket else { continue }
            let result = try await download.value(ticket)
            if ignoringInterval, !result.hasAskedServer {
                // Joined a skipped one; the next is for the same user, even if the current user has
                // changed.
                wanted = userID
                continue
            }
            return result
        }
    }

    /// Downloads a user's configuration with another downloader than the app's, after the running
    /// download.
    func download(
        of userID: UserID, by downloader: any ActiveConfigDownloader
    ) async throws -> DownloadResult {
        while true {
            try Task.checkCancellation()
            let (download, _, isNew) = joinable(of: userID)
            let ticket = download.join()
            if isNew { start(download, for: userID, by: downloader) }
            guard let ticket else { continue }
            if isNew { return try await download.value(ticket) }
            _ = try? await download.value(ticket)
        }
    }

    /// The running download for a user, nil being the current user, or a new one, which the caller
    /// has to start.
    private func joinable(of userID: UserID?) -> (JoinedDownload, UserID, isNew: Bool) {
        let userID = userID ?? front.entry.userID
        let (download, isNew) = front.join(userID)
        return (download, userID, isNew)
    }

    /// Starts a download: calls the downloader, stores its answer and activates it.
    private func start(
        _ download: JoinedDownload, for userID: UserID,
        by other: (any ActiveConfigDownloader)? = nil, ignoringInterval: Bool = false
    ) {
        let downloader = other ?? self.downloader
        let entry = users.table.entry(of: userID, isKept: false)
        front.signalChange(of: userID)
        let epoch = entry.documents.epoch
        // Kept alive by the running download, so that its listeners receive the end.
        let config = front.queue.config
        // Nil until the request is made.
        let attempt = Locked<JoinedDownload.Attempt?>(nil)
        download.start { [self] in
            // The user can have been forgotten before the epoch was read.
            if download.isAbandoned { throw CancellationError() }
            let plan = await planInTask(for: entry, ignoringInterval: ignoringInterval)
            // A caller with its own downloader, as the updater, applies its own limits.
            switch other == nil ? plan.verdict : .ask {
            case .ask: break
            case .withinInterval:
                return JoinedDownload.Exchange(
                    lastKnown: nil, revision: plan.revision, answer: nil, outcome: .withinInterval,
                    reloadedNames: plan.reloadedNames)
            case .wait(let seconds, let status):
                throw DownloadError(.throttled, status: status, retryAfter: .seconds(seconds))
            }
            try download.limitTime(to: timeout, by: clock)
            log(.info, "Downloading the configuration of \(userID.logName).")
            let begun = JoinedDownload.Attempt(
                request: plan.request, duration: clock.stopwatch(),
                received: downloader as? ReceivedDocument)
            attempt.withLock { $0 = begun }
            do {
                return try await AppCode.$isAtFault.withValue(begun.isAppAtFault) {
                    try await exchange(
                        with: downloader, on: plan, of: userID, in: epoch,
                        isOfUpdater: other != nil && begun.received == nil)
                }
            } catch let older as OlderAnswer {
                reportLower(older.configuration, than: plan.lastKnown, of: entry)
                // Its answer confirms no document.
                attempt.withLock { $0 = nil }
                return plan.unchanged
            }
        } then: { [self] result in
            let attempt = attempt.withLock { $0 }
            // A cancelled download is reported at once: its callers have already left.
            let isCancelled =
                if case .failure(let error) = result { error is CancellationError } else { false }
            let end = { @Sendable [self] in
                defer { withExtendedLifetime(config) {} }
                switch result {
                case .success(let exchange):
                    accept(exchange, attempt, of: entry, in: epoch, from: download, by: other)
                case .failure(let error):
                    fail(download, attempt, of: userID, with: error, by: other)
                }
            }
            // Without a store there is nothing to wait for, and no thread is needed.
            if users.storage.store == nil || isCancelled {
                end()
            } else {
                users.calls.async(in: entry.writes, end)
            }
        }
    }

    /// Asks the downloader, and the vettings about its answer.
    private func exchange(
        with downloader: any ActiveConfigDownloader, on plan: Plan, of userID: UserID,
        in epoch: UserEpoch, isOfUpdater: Bool
    ) async throws -> JoinedDownload.Exchange {
        let asked = vettings.requestBase(plan.lastKnown, of: userID, isOfUpdater: isOfUpdater)
        let received: ConfigurationState?
        do {
            received = try await downloader.requestActiveConfig(
                forUserID: userID.string, lastKnown: asked)
        } catch let older as OlderAnswer {
            try await AppCode.run {
                try vettings.check(superseded: older.configuration, of: userID)
            }
            throw older
        }
        var exchange = plan.unchanged
        exchange.answer = try await AppCode.run {
            try vettings.accepted(
                answer: received, asked: asked, lastKnown: plan.lastKnown, of: userID, in: epoch)
        }
        if exchange.answer != nil, let received {
            if !received.isConfirmation { exchange.outcome = .downloaded }
            exchange.headerFields = received.original?.headerFields ?? [:]
        }
        return exchange
    }

    /// State before a request, and whether the request is allowed.
    private struct Plan: Sendable {
        let lastKnown: ConfigurationState?
        let revision: Int
        let request: DownloadHistory.Request
        let verdict: DownloadHistory.Verdict
        /// The sections changed by a document that another process has stored.
        let reloadedNames: Set<String>

        /// A request whose answer brings nothing new.
        var unchanged: JoinedDownload.Exchange {
            JoinedDownload.Exchange(
                lastKnown: lastKnown, revision: revision, answer: nil, outcome: .notModified)
        }
    }

    /// As `plan(for:ignoringInterval:)`, but the store is not called on a cooperative thread.
    private func planInTask(for entry: UserEntry, ignoringInterval: Bool) async -> Plan {
        if users.storage.store == nil {
            return plan(for: entry, ignoringInterval: ignoringInterval)
        }
        return await users.calls.run(in: entry.downloads) {
            self.plan(for: entry, ignoringInterval: ignoringInterval)
        }
    }

    private func plan(for entry: UserEntry, ignoringInterval: Bool) -> Plan {
        users.loadedSnapshot(of: entry)
        let revision = entry.documents.revision
        let lastKnown = users.newestDocument(of: entry)
        history.refresh()
        var request = history.request(of: entry.userID, downloader.requestDigest)
        request.ignoresInterval = ignoringInterval
        let verdict = history.verdict(on: request, hasDocument: lastKnown != nil)
        // Processes that share the store share the interval and the waits, so also the answer.
        let changes = verdict == .ask ? [] : users.reload(entry, newest: lastKnown)
        return Plan(
            lastKnown: lastKnown, revision: revision, request: request, verdict: verdict,
            reloadedNames: Set(changes.map(\.sectionName)))
    }
}

extension Clock where Duration == Swift.Duration {
    /// Returns the time since this call.
    fileprivate func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: self.now) }
    }
}
