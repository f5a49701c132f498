internal import Dispatch

extension ActiveConfig {
    /// A Boolean value that indicates whether a download has ever succeeded on this installation,
    /// in this launch or in an earlier one that the store remembers.
    public var firstConfigDownloadFinished: Bool {
        state.withLock { $0.firstDownloadFinished } || configStore?.firstDownloadFinished ?? false
    }

    /// Starts a download of the current user's configuration and returns at once.
    ///
    /// Listeners, notifications and the log report the outcome. A download that is already running
    /// for this user is joined.
    public func downloadNewConfig() {
        while true {
            let (download, userID, isNew) = joinableDownload(of: nil)
            let isKept = download.detach()
            if isNew { start(download, for: userID) }
            if isKept { return }
        }
    }

    /// Starts a download that nobody has to wait for, and returns how to wait for it.
    func startedDownload() -> @Sendable () async throws -> DownloadResult {
        while true {
            let (download, userID, isNew) = joinableDownload(of: nil)
            let ticket = download.join()
            let isKept = download.detach()
            if isNew { start(download, for: userID) }
            if isKept, let ticket { return { try await download.value(ticket) } }
        }
    }

    /// Starts a download of the current user's configuration and returns at once, in asynchronous
    /// code as well, where `downloadNewConfig()` is the function that waits.
    public func startDownload() { downloadNewConfig() }

    /// Downloads the current user's configuration, or joins the download that is running for that
    /// user.
    ///
    /// When it returns, its deliveries are already on the listener queue. Cancelling the task does
    /// not cancel the download. The download is cancelled, and a late answer ignored, once no
    /// caller waits for it.
    ///
    /// - Returns: The result. A download that ended after the user changed was stored for its owner
    ///   only.
    /// - Throws: The downloader's error, such as ``DownloadError``, which is also thrown when the
    ///   downloader took longer than `downloadTimeout`; ``ConfigurationFormatError`` when the
    ///   document cannot be used; `CancellationError`. The configuration in force then stays, and
    ///   nothing is stored. A configuration that could not be stored is not an error here: it
    ///   remains its user's configuration in this launch, and the log reports it.
    @discardableResult
    public func downloadNewConfig() async throws -> DownloadResult {
        try await download(of: nil)
    }

    /// Downloads a user's configuration, or joins the running download; nil is whoever is current.
    @discardableResult
    func download(of userID: UserID?) async throws -> DownloadResult {
        while true {
            try Task.checkCancellation()
            let (download, userID, isNew) = joinableDownload(of: userID)
            let ticket = download.join()
            if isNew { start(download, for: userID) }
            if let ticket { return try await download.value(ticket) }
        }
    }

    /// Downloads a user's configuration by another downloader than the app's, once the running
    /// download, if there is one, has ended.
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

    /// The running download for a user, nil being whoever is current, or a new one, which the caller
    /// has to start.
    private func joinableDownload(of userID: UserID?) -> (JoinedDownload, UserID, isNew: Bool) {
        let (running, userID) = state.withLock { state in
            (state.downloads[userID ?? state.userID], userID ?? state.userID)
        }
        if let running, !running.isAbandoned { return (running, userID, false) }
        let new = JoinedDownload()
        var download = new
        change { state in
            if let other = state.downloads[userID], other !== running {
                // Another caller has started one in the meantime.
                download = other
                return nil
            }
            let abandoned = state.downloads.updateValue(new, forKey: userID)
            // Reported before any event of the new download.
            let events = abandoned.map { _ in
                [Delivery.Event.downloadFailed(userID, CancellationError())]
            }
            return deliver([], events ?? [], in: state)
        }
        return (download, userID, download === new)
    }

    /// A request that was made.
    private struct Attempt: Sendable {
        let request: DownloadHistory.Request
        /// The time since it was made.
        let duration: @Sendable () -> Duration
    }

    /// Starts a download: asks the downloader, stores its answer and brings it in force.
    private func start(
        _ download: JoinedDownload, for userID: UserID,
        by other: (any ActiveConfigDownloader)? = nil
    ) {
        let downloader = other ?? configDownloader
        // Nil until the request is made.
        let attempt = Locked<Attempt?>(nil)
        download.start { [self] in
            let plan =
                configStore == nil
                ? self.plan(for: userID) : await storeCalls.run { self.plan(for: userID) }
            // Whoever brings a downloader has reasons and waits of its own.
            switch other == nil ? plan.verdict : .ask {
            case .ask: break
            case .withinInterval:
                return JoinedDownload.Exchange(
                    lastKnown: nil, answer: nil, outcome: .withinInterval)
            case .wait(let seconds):
                throw DownloadError(.throttled, retryAfter: .seconds(seconds))
            }
            try download.limitTime(to: downloadTimeout, by: clock)
            log(.info, "Downloading the configuration of \(userID.logName).")
            let begun = Attempt(request: plan.request, duration: clock.stopwatch())
            attempt.withLock { $0 = begun }
            let asked = askedAbout(plan.lastKnown, of: userID)
            let answer = try trusted(
                try await downloader.requestActiveConfig(
                    forUserID: userID.string, lastKnown: asked),
                asked: asked, lastKnown: plan.lastKnown, of: userID)
            return JoinedDownload.Exchange(
                lastKnown: plan.lastKnown, answer: answer,
                outcome: answer == nil ? .notModified : .downloaded)
        } then: { [self] result in
            let attempt = attempt.withLock { $0 }
            // A cancelled download is reported at once: its callers have left already.
            let isCancelled =
                if case .failure(let error) = result { error is CancellationError } else { false }
            let end = { @Sendable [self] in
                switch result {
                case .success(let exchange):
                    accept(exchange, attempt, of: userID, from: download)
                case .failure(let error): fail(download, attempt, of: userID, with: error)
                }
            }
            // Without a store nothing waits, and no thread is needed for it.
            if configStore == nil || isCancelled { end() } else { storeCalls.async(end) }
        }
    }

    /// What is known before a request, and whether it may be made.
    private func plan(for userID: UserID) -> (
        lastKnown: ConfigurationState?, request: DownloadHistory.Request,
        verdict: DownloadHistory.Verdict
    ) {
        let lastKnown = ownConfiguration(of: userID)
        let request = history.request(of: userID, configDownloader.requestDigest)
        let verdict = history.verdict(on: request, hasDocument: lastKnown != nil)
        return (lastKnown, request, verdict)
    }

    /// Stores the downloader's answer and brings it in force.
    private func accept(
        _ exchange: JoinedDownload.Exchange, _ attempt: Attempt?, of userID: UserID,
        from download: JoinedDownload
    ) {
        let (answer, lastKnown) = (exchange.answer, exchange.lastKnown)
        do throws(ConfigurationFormatError) {
            if let answer { try check(answer) }
        } catch {
            noteRefusal(of: answer, for: error, kept: lastKnown, of: userID)
            return fail(download, attempt, of: userID, with: error)
        }
        var configuration = answer ?? lastKnown
        // Stored first, so that whoever makes this user the current one from now on finds it.
        let isStored = storeWrites.sync(of: userID) {
            if download.isAbandoned { return false }
            guard let attempt else { return true }
            if isOutdated(exchange, of: userID) {
                configuration = nil
            } else {
                keep(answer, lastKnown: lastKnown, of: userID)
            }
            history.noteSuccess(
                of: attempt.request, exchange.outcome, after: attempt.duration(),
                isInForce: options.activation.isImmediate
                    || pendingConfiguration(of: userID) == nil)
            return true
        }
        guard isStored else {
            return fail(download, nil, of: userID, with: CancellationError())
        }
        let new = configuration?.keptInMemory
        let isImmediate = options.activation.isImmediate
        if let new, isImmediate { guardLaunch(.downloaded(new), of: userID) }
        // Serialized, so that the installation's first download is reported before any other.
        let result = downloadEnds.sync {
            end(
                download, of: userID, with: new, exchange,
                isFirst: attempt != nil && recordFirstDownloadFinished())
        }
        guard let result else {
            return fail(download, nil, of: userID, with: CancellationError())
        }
        let outcome =
            switch exchange.outcome {
            case .withinInterval: "nothing was asked for within the interval"
            case .notModified: "nothing new"
            default: "\(result.changedSectionNames.count) sections changed"
            }
        log(.info, "Downloaded the configuration of \(userID.logName): \(outcome).")
        if isImmediate { noteInForce(new, of: userID) }
        download.finish(.success(result))
        signalChange()
    }

    /// Brings a configuration in force that arrived without a download.
    func bringInForce(
        pushed configuration: ConfigurationState, of userID: UserID
    ) -> DownloadResult {
        let result = downloadEnds.sync {
            end(
                nil, of: userID, with: configuration, nil, isFirst: recordFirstDownloadFinished())
        }
        return result
            ?? DownloadResult(userID: userID.string, configurationIsCurrent: false)
    }

    /// - Throws: when the format version is too new, or the configuration has no section.
    func check(_ answer: ConfigurationState) throws(ConfigurationFormatError) {
        try FormatVersion.check(answer.meta)
        if answer.sections.isEmpty {
            throw ConfigurationFormatError(
                .noSections,
                reason: "a downloaded configuration has no section, which would switch everything "
                    + "off; it is not used",
                path: "config_sections")
        }
        if FormatVersion.verdict(on: answer.formatVersion) == .notAVersion {
            log(.warning, "The format version \"\(answer.formatVersion)\" is not a version.")
        }
    }

    /// Ends a download that succeeded: its configuration comes in force, or what has to of it, if its
    /// user is still the current one.
    ///
    /// The download is nil when the configuration arrived without one.
    ///
    /// - Returns: The result; nil when the download was abandoned.
    private func end(
        _ download: JoinedDownload?, of userID: UserID, with configuration: ConfigurationState?,
        _ exchange: JoinedDownload.Exchange?, isFirst: Bool
    ) -> DownloadResult? {
        replacingSnapshot { old, layers in
            // Something newer was pushed after it was stored.
            let isOutdated = exchange.map { self.isOutdated($0, of: userID) } ?? false
            let configuration = isOutdated ? nil : configuration
            let isCurrent = old?.userID == userID
            let isImmediate = options.activation.isImmediate
            let known = configuration.flatMap { newest -> KnownConfiguration? in
                if isImmediate { return .downloaded(newest) }
                guard let old, isCurrent else { return nil }
                return old.known.bringing(
                    .init(configuration: newest, source: .downloaded), options.activation,
                    at: [.immediate])
            }
            let new = known.map {
                ConfigurationSnapshot(
                    userID: userID, known: $0, layers: layers, reason: .downloaded, previous: old)
            }
            let changes = isCurrent ? new?.changes(since: old?.sections ?? NameTable([:])) : nil
            let isWaiting = isCurrent && (new ?? old)?.known.pending != nil
            let meta = (configuration ?? (isCurrent ? old?.configuration : nil))?.meta ?? [:]
            let isDone = change { state in
                // Its user was forgotten after it was stored, which has removed it again.
                if download?.isAbandoned == true { return nil }
                if download != nil { state.downloads[userID] = nil }
                state.firstDownloadFinished = true
                if let new {
                    if isCurrent { state.snapshot = new }
                    if isImmediate { state.noteDownload(of: new.configuration, for: userID) }
                }
                let update = Delivery.Event.downloadFinished(
                    userID, meta: meta, configurationIsCurrent: isCurrent && !isWaiting)
                let events =
                    isFirst ? [.firstDownloadFinished(userID, meta: meta), update] : [update]
                return deliver(changes ?? [], events, in: state)
            }
            guard isDone else { return nil }
            if let configuration, isImmediate {
                bringInForce(
                    .downloaded(configuration), ofUser: userID, layers, reason: .downloaded)
            }
            return DownloadResult(
                userID: userID.string, configurationIsCurrent: isCurrent && !isWaiting,
                changedSectionNames: Set((changes ?? []).map(\.sectionName)),
                outcome: exchange?.outcome ?? .downloaded)
        }
    }

    /// Ends a download that failed; an abandoned one was already reported when the next one began.
    private func fail(
        _ download: JoinedDownload, _ attempt: Attempt?, of userID: UserID, with error: any Error
    ) {
        var isRepeated = (error as? DownloadError)?.code == .throttled
        if let attempt, !(error is CancellationError) {
            isRepeated = storeWrites.sync(of: userID) {
                !download.isAbandoned
                    && history.noteFailure(of: attempt.request, error, after: attempt.duration())
            }
        }
        change { state in
            guard state.downloads[userID] === download else { return nil }
            state.downloads[userID] = nil
            return deliver([], [.downloadFailed(userID, error)], in: state)
        }
        let isCancelled = error is CancellationError
        log(
            isCancelled || isRepeated ? .info : .warning,
            "The configuration of \(userID.logName) could not be downloaded, the one in force stays: "
                + (isCancelled ? "the download was cancelled." : "\(error)"))
        download.finish(.failure(error))
        signalChange()
    }
}

extension Clock where Duration == Swift.Duration {
    /// The time since this call.
    fileprivate func stopwatch() -> @Sendable () -> Duration {
        let start = now
        return { start.duration(to: self.now) }
    }
}
