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

    /// Starts a download: asks the downloader, stores its answer and brings it in force.
    private func start(
        _ download: JoinedDownload, for userID: UserID,
        by downloader: (any ActiveConfigDownloader)? = nil
    ) {
        let downloader = downloader ?? configDownloader
        download.start { [self] in
            let lastKnown =
                configStore == nil
                ? ownConfiguration(of: userID)
                : await storeCalls.run { self.ownConfiguration(of: userID) }
            try download.limitTime(to: downloadTimeout, by: clock)
            log(.info, "Downloading the configuration of \(userID).")
            let answer = try await downloader.requestActiveConfig(
                forUserID: userID.string, lastKnown: lastKnown)
            return JoinedDownload.Exchange(lastKnown: lastKnown, answer: answer)
        } then: { [self] result in
            switch result {
            case .success(let exchange):
                // Without a store nothing waits, and no thread is needed for it.
                if configStore == nil {
                    accept(exchange, of: userID, from: download)
                } else {
                    storeCalls.async { self.accept(exchange, of: userID, from: download) }
                }
            case .failure(let error): fail(download, of: userID, with: error)
            }
        }
    }

    /// Stores the downloader's answer and brings it in force.
    private func accept(
        _ exchange: JoinedDownload.Exchange, of userID: UserID, from download: JoinedDownload
    ) {
        let (answer, lastKnown) = (exchange.answer, exchange.lastKnown)
        do throws(ConfigurationFormatError) {
            if let answer { try check(answer) }
        } catch {
            return fail(download, of: userID, with: error)
        }
        var configuration = answer ?? lastKnown
        // Stored first, so that whoever makes this user the current one from now on finds it.
        let isStored = storeWrites.sync(of: userID) {
            if download.isAbandoned { return false }
            if isOutdated(exchange, of: userID) {
                configuration = nil
            } else {
                store(answer, lastKnown: lastKnown, of: userID)
            }
            return true
        }
        guard isStored else { return fail(download, of: userID, with: CancellationError()) }
        // Serialized, so that the installation's first download is reported before any other.
        let result = downloadEnds.sync {
            end(
                download, of: userID, with: configuration, exchange: exchange,
                isFirst: recordFirstDownloadFinished())
        }
        guard let result else { return fail(download, of: userID, with: CancellationError()) }
        let outcome =
            answer == nil ? "nothing new" : "\(result.changedSectionNames.count) sections changed"
        log(.info, "Downloaded the configuration of \(userID): \(outcome).")
        download.finish(.success(result))
    }

    /// Brings a configuration in force that arrived without a download.
    func bringInForce(
        pushed configuration: ConfigurationState, of userID: UserID
    ) -> DownloadResult {
        let result = downloadEnds.sync {
            end(
                nil, of: userID, with: configuration, exchange: nil,
                isFirst: recordFirstDownloadFinished())
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

    /// Ends a download that succeeded: its configuration comes in force if its user is still the
    /// current one.
    ///
    /// The download is nil when the configuration arrived without one.
    ///
    /// - Returns: The result; nil when the download was abandoned.
    private func end(
        _ download: JoinedDownload?, of userID: UserID, with configuration: ConfigurationState?,
        exchange: JoinedDownload.Exchange?, isFirst: Bool
    ) -> DownloadResult? {
        replacingSnapshot { old, layers in
            // Its user was forgotten after it was stored, which has removed it again.
            if download?.isAbandoned == true { return nil }
            // Something newer was pushed after it was stored.
            let isOutdated = exchange.map { self.isOutdated($0, of: userID) } ?? false
            let new = (isOutdated ? nil : configuration).map {
                ConfigurationSnapshot(
                    userID: userID, known: .downloaded($0), layers: layers, reason: .downloaded)
            }
            let isCurrent = old?.userID == userID
            let changes = isCurrent ? new?.changes(since: old?.sections ?? NameTable([:])) : nil
            let meta = (new?.configuration ?? (isCurrent ? old?.configuration : nil))?.meta ?? [:]
            change { state in
                if download != nil { state.downloads[userID] = nil }
                state.firstDownloadFinished = true
                if let new {
                    if isCurrent { state.snapshot = new }
                    state.noteDownload(of: new.configuration, for: userID)
                }
                let update = Delivery.Event.downloadFinished(
                    userID, meta: meta, configurationIsCurrent: isCurrent)
                let events =
                    isFirst ? [.firstDownloadFinished(userID, meta: meta), update] : [update]
                return deliver(changes ?? [], events, in: state)
            }
            return DownloadResult(
                userID: userID.string, configurationIsCurrent: isCurrent,
                changedSectionNames: Set((changes ?? []).map(\.sectionName)))
        }
    }

    /// Ends a download that failed; an abandoned one was already reported when the next one began.
    private func fail(_ download: JoinedDownload, of userID: UserID, with error: any Error) {
        change { state in
            guard state.downloads[userID] === download else { return nil }
            state.downloads[userID] = nil
            return deliver([], [.downloadFailed(userID, error)], in: state)
        }
        log(
            .warning,
            "The configuration of \(userID) could not be downloaded, the one in force stays: "
                + "\(error)")
        download.finish(.failure(error))
    }
}
