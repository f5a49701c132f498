extension ActiveConfig {
    /// Whether a download has ever succeeded on this installation: in this launch, or in an earlier
    /// one that the store remembers.
    public var firstConfigDownloadFinished: Bool {
        state.withLock { $0.hasDownloaded } || configStore?.firstDownloadFinished ?? false
    }

    /// Starts a download of the current user's configuration and returns at once.
    ///
    /// What comes of it is told by listeners, notifications and the log. If one is running for this
    /// user, that one is enough.
    public func downloadNewConfig() {
        while true {
            let (download, userID, isNew) = currentDownload()
            let isKept = download.detach()
            if isNew { start(download, for: userID) }
            if isKept { return }
        }
    }

    /// Downloads the current user's configuration, or joins the download that is running for that
    /// user.
    ///
    /// When it returns, what it has to tell listeners is already on the listener queue. Cancelling
    /// the task leaves the download, and cancels it when nobody else waits for it.
    ///
    /// - Returns: What came of it. A download that ended after the user changed was stored for its
    ///   owner only.
    /// - Throws: what the downloader threw, ``DownloadError`` for one; ``ConfigurationFormatError``
    ///   when the document cannot be used; `CancellationError`. The configuration in force then
    ///   stays, and nothing is stored. That a configuration could not be stored is no error here: it
    ///   is in force, and the log says so.
    @discardableResult
    public func downloadNewConfig() async throws -> DownloadResult {
        while true {
            try Task.checkCancellation()
            let (download, userID, isNew) = currentDownload()
            let ticket = download.join()
            if isNew { start(download, for: userID) }
            if let ticket { return try await download.value(ticket) }
        }
    }

    /// The download that runs for the current user, or a new one, which the caller has to start.
    private func currentDownload() -> (JoinedDownload, UserID, isNew: Bool) {
        let (running, userID) = state.withLock { ($0.downloads[$0.userID], $0.userID) }
        let isUsable = running.map { !$0.isAbandoned } ?? false
        if let running, isUsable { return (running, userID, false) }
        let new = JoinedDownload()
        let download = state.withLock { state in
            // Another caller may have been faster.
            if let other = state.downloads[userID], other !== running { return other }
            state.downloads[userID] = new
            return new
        }
        return (download, userID, download === new)
    }

    /// Runs a download to its end.
    private func start(_ download: JoinedDownload, for userID: UserID) {
        download.start { [self] in
            do {
                // What is in force must be known before the store has something newer.
                _ = loadedSnapshot()
                let lastKnown = ownConfiguration(of: userID)
                log(.info, "Downloading the configuration of \(userID).")
                let answer = try await configDownloader.requestActiveConfig(
                    forUserID: userID.string, lastKnown: lastKnown)
                // From here on it ends, even if all who wait leave: else the next download of this
                // user could overtake it, and be undone.
                if !download.detach() { throw CancellationError() }
                if let answer { try check(answer) }
                download.finish(
                    .success(accept(answer, lastKnown: lastKnown, of: userID, from: download)))
            } catch {
                fail(download, of: userID, with: error)
                download.finish(.failure(error))
            }
        }
    }

    /// The user's own last configuration, which a request may be conditional on.
    private func ownConfiguration(of userID: UserID) -> ConfigurationState? {
        if let configStore { return configStore.ownConfiguration(forUserID: userID.string) }
        let snapshot = loadedSnapshot()
        return snapshot.userID == userID && snapshot.isDownloaded ? snapshot.configuration : nil
    }

    /// Throws when a downloaded configuration cannot be used.
    private func check(_ answer: ConfigurationState) throws(ConfigurationFormatError) {
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

    /// Stores what a download brought and, if its user is still the current one, brings it in force.
    private func accept(
        _ answer: ConfigurationState?, lastKnown: ConfigurationState?, of userID: UserID,
        from download: JoinedDownload
    ) -> DownloadResult {
        let isFirst = !firstConfigDownloadFinished
        // Stored first: whoever makes this user the current one from now on finds it there.
        if let answer { store(answer, lastKnown: lastKnown, of: userID) }
        if isFirst { recordFirstDownload() }
        while true {
            let old = loadedSnapshot()
            let new = (answer ?? lastKnown).map {
                ConfigurationSnapshot(
                    userID: userID, configuration: $0, reason: .downloaded, isDownloaded: true)
            }
            let changes = old.userID == userID ? new?.changes(since: old) ?? [] : []
            let isCurrent = old.userID == userID
            let meta =
                new?.configuration.meta ?? (isCurrent ? old.configuration.meta : [:])
            let isDone = change { state in
                guard state.snapshot === old else { return nil }
                state.generation += 1
                if state.downloads[userID] === download { state.downloads[userID] = nil }
                if isCurrent, let new { state.snapshot = new }
                var events: [Delivery.Event] = []
                if isFirst, !state.hasDownloaded {
                    events.append(.firstDownloadFinished(userID, meta: meta))
                }
                state.hasDownloaded = true
                events.append(
                    .downloadFinished(userID, meta: meta, configurationIsCurrent: isCurrent))
                return deliver(changes, events, in: state)
            }
            guard isDone else { continue }
            log(
                .info,
                "Downloaded the configuration of \(userID): "
                    + (answer == nil ? "nothing new." : "\(changes.count) sections changed."))
            return DownloadResult(
                userID: userID.string, configurationIsCurrent: isCurrent,
                changedSectionNames: Set(changes.map(\.sectionName)))
        }
    }

    /// Stores a configuration, unless the store has just that.
    private func store(
        _ answer: ConfigurationState, lastKnown: ConfigurationState?, of userID: UserID
    ) {
        if answer == lastKnown, answer.entityTag == lastKnown?.entityTag { return }
        do {
            try configStore?.persistConfiguration(answer, forUserID: userID.string)
        } catch {
            log(
                .error,
                "The configuration of \(userID) could not be stored and is lost with this launch: "
                    + "\(error)")
        }
    }

    /// Has the store remember that a download has succeeded.
    private func recordFirstDownload() {
        do {
            try configStore?.recordFirstDownloadFinished()
        } catch {
            log(.error, "That the first download succeeded could not be stored: \(error)")
        }
    }

    /// Tells that a download failed.
    private func fail(_ download: JoinedDownload, of userID: UserID, with error: any Error) {
        log(
            .warning,
            "The configuration of \(userID) could not be downloaded, the one in force stays: "
                + "\(error)")
        change { state in
            if state.downloads[userID] === download { state.downloads[userID] = nil }
            return deliver([], [.downloadFailed(userID, error)], in: state)
        }
    }
}
