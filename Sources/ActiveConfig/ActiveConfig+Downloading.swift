extension ActiveConfig {
    /// A Boolean value that indicates whether a download has ever succeeded on this installation,
    /// in this launch or in an earlier one recorded in the store.
    public var firstConfigDownloadFinished: Bool {
        firstDownload.isFinished
    }

    /// Starts a download of the current user's configuration and returns immediately.
    ///
    /// Listeners, notifications and the log report the outcome. If a download is running for this
    /// user, it joins that one. In asynchronous code, await the function of the same name, or call
    /// ``startDownload()``.
    @available(
        *, noasync,
        message: "Await the function of the same name, in a type with @main if in main.swift."
    )
    public func downloadNewConfig() {
        while true {
            let (download, userID, isNew) = joinableDownload(of: nil)
            let isKept = download.detach()
            if isNew { start(download, for: userID) }
            if isKept { return }
        }
    }

    /// Starts a download without a waiting caller, and returns a function that waits for it.
    func startedDownload() -> @Sendable () async throws -> DownloadResult {
        while true {
            let (download, userID, isNew) = joinableDownload(of: nil)
            let ticket = download.join()
            let isKept = download.detach()
            if isNew { start(download, for: userID) }
            if isKept, let ticket { return { try await download.value(ticket) } }
        }
    }

    /// Starts a download of the current user's configuration and returns immediately, in asynchronous
    /// code as well: there `downloadNewConfig()` waits for the result.
    public func startDownload() { downloadNewConfig() }

    /// Downloads the current user's configuration, or joins that user's running download.
    ///
    /// When it returns, its deliveries are already on the listener queue. Cancelling the task does
    /// not cancel the download; once no caller waits for it, it is cancelled and a late answer
    /// ignored.
    ///
    /// - Returns: The result. A download that ends after the user changed is stored for its owner
    ///   only.
    /// - Throws: The downloader's error, such as ``DownloadError``, which is also thrown when the
    ///   downloader took longer than `downloadTimeout`; ``ConfigurationFormatError`` when the
    ///   document cannot be used; when a vetting refuses it, the ``ConfigurationRefusal``, or its
    ///   ``ConfigurationRefusal/underlyingError``, such as the `SignatureError` of
    ///   `SignatureVetting`; `CancellationError`. The active configuration then stays, and nothing
    ///   is stored. A document that cannot be stored is not an error: see ``ActiveConfigStore``.
    @discardableResult
    public func downloadNewConfig() async throws -> DownloadResult {
        try await download(of: nil)
    }

    /// Downloads the current user's configuration, on request without the interval of the
    /// ``FetchPolicy``, as for pull to refresh.
    ///
    /// ```swift
    /// try await config.downloadNewConfig(ignoringInterval: true)
    /// ```
    ///
    /// It applies to this user and this call, and starts the interval anew; `markStale()` applies to all
    /// users and across launches. The waits after failures, such as those that the server requests with
    /// `Retry-After`, still apply. With an ``ActivationPolicy`` that holds documents back, call `activate()`
    /// afterwards.
    ///
    /// - Parameter ignoringInterval: True to ask the server within the interval as well; false is
    ///   ``downloadNewConfig()->_``.
    /// - Returns: As ``downloadNewConfig()->_``.
    /// - Throws: As ``downloadNewConfig()->_``; ``DownloadError/Code/throttled`` during a wait.
    @discardableResult
    public func downloadNewConfig(ignoringInterval: Bool) async throws -> DownloadResult {
        try await download(of: nil, ignoringInterval: ignoringInterval)
    }

    /// Downloads a user's configuration, or joins the running download; nil: the current user.
    @discardableResult
    func download(
        of userID: UserID?, ignoringInterval: Bool = false
    ) async throws -> DownloadResult {
        var wanted = userID
        while true {
            try Task.checkCancellation()
            let (download, userID, isNew) = joinableDownload(of: wanted)
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
            let (download, _, isNew) = joinableDownload(of: userID)
            let ticket = download.join()
            if isNew { start(download, for: userID, by: downloader) }
            guard let ticket else { continue }
            if isNew { return try await download.value(ticket) }
            _ = try? await download.value(ticket)
        }
    }

    /// The running download for a user, nil being the current user, or a new one, which the caller
    /// has to start.
    private func joinableDownload(of userID: UserID?) -> (JoinedDownload, UserID, isNew: Bool) {
        let userID = userID ?? state.withLock { $0.userID }
        let joined = state.withLock { state in
            let joined = running.join(userID)
            if joined.abandoned != nil {
                // Reported before any event of the new download.
                queue(in: &state) {
                    self.perform(
                        Delivery(events: [.downloadFailed(userID, CancellationError())]))
                }
            }
            return joined
        }
        return (joined.download, userID, joined.isNew)
    }

    /// Starts a download: calls the downloader, stores its answer and activates it.
    private func start(
        _ download: JoinedDownload, for userID: UserID,
        by other: (any ActiveConfigDownloader)? = nil, ignoringInterval: Bool = false
    ) {
        let downloader = other ?? configDownloader
        let entry = users.entry(of: userID, isKept: false)
        signalChange(of: userID)
        let epoch = entry.documents.epoch
        // Nil until the request is made.
        let attempt = Locked<JoinedDownload.Attempt?>(nil)
        download.start { [self] in
            // The user can have been forgotten before the epoch was read.
            if download.isAbandoned { throw CancellationError() }
            let plan =
                store == nil
                ? self.plan(for: entry, ignoringInterval: ignoringInterval)
                : await storeCalls.run(in: entry.downloads) {
                    self.plan(for: entry, ignoringInterval: ignoringInterval)
                }
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
            try download.limitTime(to: options.downloadTimeout, by: clock)
            log(.info, "Downloading the configuration of \(userID.logName).")
            let begun = JoinedDownload.Attempt(
                request: plan.request, duration: clock.stopwatch(),
                received: downloader as? ReceivedDocument)
            attempt.withLock { $0 = begun }
            let asked = vettings.requestBase(
                plan.lastKnown, of: userID, isOfUpdater: other != nil && begun.received == nil)
            var exchange = JoinedDownload.Exchange(
                lastKnown: plan.lastKnown, revision: plan.revision, answer: nil,
                outcome: .notModified)
            do {
                let received = try await downloader.requestActiveConfig(
                    forUserID: userID.string, lastKnown: asked)
                exchange.answer = try vettings.accepted(
                    answer: received, asked: asked, lastKnown: plan.lastKnown, of: userID,
                    in: epoch)
                if exchange.answer != nil, let received {
                    if !received.isConfirmation { exchange.outcome = .downloaded }
                    exchange.headerFields = received.original?.headerFields ?? [:]
                }
            } catch let older as OlderAnswer {
                try vettings.check(superseded: older.configuration, of: userID)
                noteLower(older.configuration, than: plan.lastKnown, of: entry)
                // Its answer confirms no document.
                attempt.withLock { $0 = nil }
            }
            return exchange
        } then: { [self] result in
            let attempt = attempt.withLock { $0 }
            // A cancelled download is reported at once: its callers have already left.
            let isCancelled =
                if case .failure(let error) = result { error is CancellationError } else { false }
            let end = { @Sendable [self] in
                switch result {
                case .success(let exchange):
                    accept(exchange, attempt, of: entry, in: epoch, from: download, by: other)
                case .failure(let error):
                    fail(download, attempt, of: userID, with: error, by: other)
                }
            }
            // Without a store there is nothing to wait for, and no thread is needed.
            if store == nil || isCancelled {
                end()
            } else {
                storeCalls.async(in: entry.writes, end)
            }
        }
    }

    /// State before a request, and whether the request is allowed.
    private struct Plan: Sendable {
        let lastKnown: ConfigurationState?
        let revision: Int
        let request: DownloadHistory.Request
        let verdict: DownloadHistory.Verdict
        /// The sections changed by a document that another process has stored.
        let reloadedNames: Set<String>
    }

    private func plan(for entry: UserEntry, ignoringInterval: Bool) -> Plan {
        loadedSnapshot(of: entry)
        let revision = entry.documents.revision
        let lastKnown = newestDocument(of: entry)
        history.refresh()
        var request = history.request(of: entry.userID, configDownloader.requestDigest)
        request.ignoresInterval = ignoringInterval
        let verdict = history.verdict(on: request, hasDocument: lastKnown != nil)
        // Processes that share the store share the interval and the waits, so also the answer.
        let changes = verdict == .ask ? [] : reload(entry, newest: lastKnown)
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
