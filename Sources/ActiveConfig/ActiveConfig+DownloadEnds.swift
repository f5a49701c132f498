internal import Dispatch

/// The ends of downloads: what they bring is stored, comes in force, and is reported.
extension ActiveConfig {
    /// Stores the downloader's answer and brings it in force.
    func accept(
        _ exchange: JoinedDownload.Exchange, _ attempt: JoinedDownload.Attempt?, of userID: UserID,
        from download: JoinedDownload, by other: (any ActiveConfigDownloader)? = nil
    ) {
        let (answer, lastKnown) = (exchange.answer, exchange.lastKnown)
        let document = exchange.outcome == .downloaded ? answer : nil
        do throws(ConfigurationFormatError) {
            if let document { try check(document) }
        } catch {
            noteRefusal(of: answer, for: error, kept: lastKnown, of: userID)
            return fail(download, attempt, of: userID, with: error, by: other)
        }
        if let document { reportShape(of: document, since: lastKnown, of: userID) }
        var configuration = answer ?? lastKnown
        // What an earlier answer asked for is not asked for again.
        if answer == nil { configuration?.acknowledgementShare = nil }
        var isInForce = options.activation.isImmediate
        var former: KnownConfiguration?
        // Stored first, so that whoever makes this user the current one from now on finds it. In one
        // piece with its end, so that reloading or forgetting the user comes before or after.
        let result = storeWrites.sync(of: userID) { () -> DownloadResult? in
            if download.isAbandoned { return nil }
            if isOutdated(exchange, of: userID) {
                configuration = nil
            } else if attempt != nil {
                if answer != nil { former = formerConfiguration(of: userID, newest: lastKnown) }
                keep(answer, lastKnown: lastKnown, of: userID)
            }
            if let configuration {
                guardLaunch(ofDownloaded: configuration.keptInMemory, of: userID)
            }
            if let attempt {
                isInForce = isInForce || pendingConfiguration(of: userID) == nil
                history.noteSuccess(
                    of: attempt.request, exchange.outcome, after: attempt.duration(),
                    isInForce: isInForce)
            }
            return endInOrder(
                download, of: userID, with: configuration?.keptInMemory, exchange, after: former,
                isRecorded: attempt != nil, isInForce: isInForce)
        }
        guard let result else {
            return fail(download, nil, of: userID, with: CancellationError())
        }
        let outcome =
            switch exchange.outcome {
            case .withinInterval: "nothing was asked for within the interval"
            case .notModified: "nothing new"
            default: result.counts
            }
        log(.info, "Downloaded the configuration of \(userID.logName): \(outcome).")
        download.finish(.success(result))
        signalChange()
    }

    /// Brings a configuration in force that arrived without a download.
    func bringInForce(
        pushed configuration: ConfigurationState, of userID: UserID,
        after former: KnownConfiguration?, isInForce: Bool
    ) -> DownloadResult {
        endInOrder(
            nil, of: userID, with: configuration, nil, after: former, isRecorded: true,
            isInForce: isInForce)
            ?? DownloadResult(userID: userID.string, configurationIsCurrent: false)
    }

    /// Ends a download as `end` does.
    ///
    /// Serialized, so that the installation's first download is reported before any other, and
    /// versions in the order in which they come in force.
    private func endInOrder(
        _ download: JoinedDownload?, of userID: UserID, with configuration: ConfigurationState?,
        _ exchange: JoinedDownload.Exchange?, after former: KnownConfiguration?, isRecorded: Bool,
        isInForce: Bool
    ) -> DownloadResult? {
        var problem: String?
        let result = downloadEnds.sync { () -> DownloadResult? in
            let ended = end(
                download, of: userID, with: configuration, exchange, after: former,
                isFirst: isRecorded && recordFirstDownloadFinished(problem: &problem))
            guard let (result, newest) = ended else { return nil }
            if isInForce { noteInForce(newest, of: userID) }
            return result
        }
        // The log may forget a user, which waits for writes that wait for that queue.
        if let problem { log(.error, problem) }
        return result
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
    /// The download is nil when the configuration arrived without one. `former` is what was in force
    /// for a user who is not in memory.
    ///
    /// - Returns: The result, and the configuration unless something newer was pushed; nil when the
    ///   download was abandoned.
    private func end(
        _ download: JoinedDownload?, of userID: UserID, with configuration: ConfigurationState?,
        _ exchange: JoinedDownload.Exchange?, after former: KnownConfiguration?, isFirst: Bool
    ) -> (DownloadResult, ConfigurationState?)? {
        replacingSnapshot { old, layers in
            // Something newer was pushed after it was stored.
            let isOutdated = exchange.map { self.isOutdated($0, of: userID) } ?? false
            let configuration = isOutdated ? nil : configuration
            let isCurrent = old?.userID == userID
            let isImmediate = options.activation.isImmediate
            let base =
                isCurrent
                ? old
                : users.livingEntry(of: userID)?.snapshot
                    ?? former.map {
                        ConfigurationSnapshot(
                            userID: userID, known: $0, layers: layers, reason: .restored)
                    }
            let known = configuration.flatMap { newest in
                isImmediate
                    ? .downloaded(newest)
                    : base?.known.bringing(downloaded: newest, options.activation)
            }
            let new = known.map {
                ConfigurationSnapshot(
                    userID: userID, known: $0, layers: layers, reason: .downloaded, previous: old)
            }
            let changes = base.flatMap { new?.changes(since: $0.sections) } ?? []
            let isWaiting = isCurrent && (new ?? old)?.known.pending != nil
            let meta = (configuration ?? (isCurrent ? old?.configuration : nil))?.meta ?? [:]
            let isDone = change { state in
                // A closure of the log has forgotten the user since, which removed the document.
                if download?.isAbandoned == true { return nil }
                if download != nil { state.endDownload(of: userID) }
                state.firstDownloadFinished = true
                if let new {
                    if isCurrent { state.snapshot = new }
                    if isImmediate { state.noteDownload(of: new.configuration, for: userID) }
                }
                let update = Delivery.Event.downloadFinished(
                    userID, meta: meta, configurationIsCurrent: isCurrent && !isWaiting)
                let events =
                    isFirst ? [.firstDownloadFinished(userID, meta: meta), update] : [update]
                return deliver(isCurrent ? changes : [], events, in: state)
            }
            guard isDone else { return nil }
            if let configuration {
                bringInForce(downloaded: configuration, ofUser: userID, layers)
            }
            let names = Set(changes.map(\.sectionName))
            var result = DownloadResult(
                userID: userID.string, configurationIsCurrent: isCurrent && !isWaiting,
                changedSectionNames: isCurrent ? names : [],
                outcome: exchange?.outcome ?? .downloaded)
            result.userChanges = names
            result.waitingCount =
                new.flatMap { new in
                    new.pending?.changes(since: new.sections).count
                } ?? 0
            return (result, configuration)
        }
    }

    /// Ends a download that failed; an abandoned one was already reported when the next one began.
    ///
    /// `other` is the downloader when it is not the app's.
    func fail(
        _ download: JoinedDownload, _ attempt: JoinedDownload.Attempt?, of userID: UserID,
        with error: any Error, by other: (any ActiveConfigDownloader)? = nil
    ) {
        var isRepeated = (error as? DownloadError)?.code == .throttled
        if let attempt, !(error is CancellationError) {
            isRepeated = storeWrites.sync(of: userID) {
                !download.isAbandoned
                    && history.noteFailure(of: attempt.request, error, after: attempt.duration())
            }
        }
        let isCancelled = error is CancellationError
        if !isCancelled, let other = other as? any FailureDeduplicating {
            isRepeated = !other.isNewFailure(error) || isRepeated
        }
        change { state in
            guard state.downloads[userID] === download else { return nil }
            state.endDownload(of: userID)
            return deliver([], [.downloadFailed(userID, error)], in: state)
        }
        log(
            isCancelled || isRepeated ? .info : .warning,
            "The configuration of \(userID.logName) could not be downloaded, the one in force stays: "
                + (isCancelled ? "the download was cancelled." : "\(error)"))
        download.finish(.failure(error))
        signalChange()
    }
}
