internal import Dispatch

/// Arriving documents, downloaded or pushed: they are stored, activated as far as the policy
/// allows, and reported.
extension ActiveConfig {
    /// Stores the downloader's answer and activates it.
    func accept(
        _ exchange: JoinedDownload.Exchange, _ attempt: JoinedDownload.Attempt?,
        of entry: UserEntry, in epoch: UserEpoch, from download: JoinedDownload,
        by other: (any ActiveConfigDownloader)? = nil
    ) {
        let (lastKnown, userID) = (exchange.lastKnown, entry.userID)
        let document = exchange.outcome == .downloaded ? exchange.answer?.document : nil
        do throws(ConfigurationFormatError) {
            if let document { try check(document) }
        } catch {
            vettings.reportRefusal(
                of: document,
                ConfigurationRefusal(
                    "The document cannot be used: \(error.code)", underlyingError: error),
                headerFields: exchange.headerFields, kept: lastKnown, of: userID,
                in: epoch)
            return fail(download, attempt, of: userID, with: error, by: other)
        }
        if let document { reportShape(of: document, since: lastKnown, of: userID) }
        // Stored first, so that another process notified of it finds it.
        let result = turns.run(of: userID) { () -> DownloadResult? in
            if download.isAbandoned { return nil }
            let received = attempt?.received
            if let received, received.epoch.isOver { return nil }
            loadedSnapshot(of: entry)
            let answer = exchange.answer?.succeeding(entry.documents.active?.pending?.configuration)
            var arrival = Arrival(
                answer?.document ?? lastKnown, outcome: exchange.outcome, headerFields: exchange.headerFields)
            let isNewest =
                if isOutdated(exchange, by: entry.documents) {
                    false
                } else if let received,
                    // The store may not say which document is the user's own.
                    entry.documents.newest?.isLater(than: received.document) == true
                {
                    false
                } else if let answer {
                    keep(answer, known: lastKnown, of: entry)
                } else {
                    attempt == nil || keepUnstored(of: entry)
                }
            if !isNewest { arrival.document = nil }
            if !isNewest, received != nil { arrival.outcome = .notModified }
            arrival.reloadedNames = exchange.reloadedNames
            arrival.attempt = attempt
            arrival.download = download
            return bring(arrival, to: entry)
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
        signalChange(of: userID)
    }

    /// A document that arrived, with its answer and request.
    private struct Arrival: Sendable {
        /// Nil when there is none, or when a later one is known.
        var document: ConfigurationState?
        var outcome: DownloadOutcome
        /// Header fields of the answer.
        let headerFields: [String: String]
        /// Sections that have changed before, by a document that another process has stored.
        var reloadedNames: Set<String> = []
        /// The request; nil when none was made.
        var attempt: JoinedDownload.Attempt?
        /// The download that ends with it; nil for a push.
        var download: JoinedDownload?

        init(
            _ document: ConfigurationState?, outcome: DownloadOutcome,
            headerFields: [String: String]
        ) {
            self.document = document?.keptInMemory
            self.outcome = outcome
            self.headerFields = headerFields
        }
    }

    /// Activates what arrived and ends its download; within the user's turn.
    ///
    /// - Returns: The result; nil when the download was abandoned.
    private func bring(_ arrival: Arrival, to entry: UserEntry) -> DownloadResult? {
        let userID = entry.userID
        let replaced = arrival.document.flatMap { replacedVersion(by: $0, of: entry) }
        let event = arrival.document.map { UserConfigurationState.Event.received($0) }
        let after = event.map { state(of: entry, after: $0) } ?? entry.documents
        let isWhole = after.active?.pending == nil
        if let attempt = arrival.attempt, attempt.received == nil {
            history.noteSuccess(
                of: attempt.request, arrival.outcome, after: attempt.duration(),
                isActive: isWhole)
        } else if let attempt = arrival.attempt, arrival.outcome == .downloaded {
            history.notePush(of: attempt.request, isActive: isWhole)
        }
        let isCounted = arrival.attempt != nil || arrival.download == nil
        let transition = inOrderOfFirstDownload {
            let (isFirst, isStored) = isCounted ? recordFirstDownloadFinished() : (false, false)
            let transition = apply(UserEvent(event: event, reason: .downloaded), to: entry) {
                state, transition in
                if let download = arrival.download {
                    if download.isAbandoned { return nil }
                    state.downloads[userID] = nil
                }
                state.firstDownloadFinished = true
                let isCurrent = transition.isCurrent
                let meta =
                    (arrival.document ?? (isCurrent ? transition.new?.configuration : nil))?.meta
                let isWaiting = isCurrent && transition.new?.known.pending != nil
                let update = Delivery.Event.downloadFinished(
                    userID, meta: meta ?? [:], configurationIsCurrent: isCurrent && !isWaiting)
                let isReported = isFirst || (isCounted && state.firstDownloadIsUnreported)
                if isReported { state.firstDownloadIsUnreported = false }
                return isReported
                    ? [.firstDownloadFinished(userID, meta: meta ?? [:]), update] : [update]
            }
            if isFirst || isStored {
                state.withLock { state in
                    // Set last: a reader of this flag does not wait for the announcement.
                    if isStored { state.firstDownloadFinishedIsRecorded = true }
                    if isFirst, transition == nil { state.firstDownloadIsUnreported = true }
                }
            }
            return transition
        }
        guard let transition else { return nil }
        if isWhole {
            noteActive(
                arrival.document, of: userID, in: entry.documents.epoch,
                headerFields: arrival.headerFields)
        }
        let names = arrival.reloadedNames.union(transition.changes.map(\.sectionName))
        let isWaiting = transition.new?.known.pending != nil
        var result = DownloadResult(
            userID: userID.string,
            configurationIsCurrent: transition.isCurrent && !isWaiting, isActive: !isWaiting,
            changedSectionNames: transition.isCurrent ? names : [], outcome: arrival.outcome)
        result.userChanges = names
        result.replacedVersion = replaced
        result.hasAskedServer =
            arrival.outcome != .withinInterval && arrival.attempt?.received == nil
        if arrival.document != nil, let new = transition.new {
            let changes = new.pending?.changes(since: new.sections) ?? []
            result.pendingSectionNames = Set(changes.map(\.sectionName))
        }
        return result
    }

    /// Until the installation's first download is recorded, downloads end one after the other, so that the
    /// first one is reported before the others.
    private func inOrderOfFirstDownload<Result>(_ body: () -> Result) -> Result {
        let isRecorded = state.withLock { $0.firstDownloadFinishedIsRecorded }
        return isRecorded ? body() : firstDownloadTurns.run(of: .generic, body)
    }

    /// Records in the store that a download has succeeded.
    ///
    /// If the store fails, the first download of this launch counts as the installation's, and each
    /// later one tries again.
    ///
    /// - Returns: True for the first successful download of the installation; and true when the
    ///   store has now recorded it.
    private func recordFirstDownloadFinished() -> (isFirst: Bool, isStored: Bool) {
        let (isFirstHere, isRecorded) = state.withLock {
            (!$0.firstDownloadFinished, $0.firstDownloadFinishedIsRecorded)
        }
        if isRecorded { return (false, false) }
        guard let store else { return (isFirstHere, false) }
        do {
            let isFirst =
                try !store.firstDownloadFinished && store.recordFirstDownloadFinished()
            return (isFirst && isFirstHere, true)
        } catch {
            log(
                .error,
                "That the first download succeeded could not be stored: \(error.logDescription)")
            return (isFirstHere, false)
        }
    }
    /// Handles a document that arrived without a download; within the user's turn.
    func bring(
        pushed document: Vetted, headerFields: [String: String], to entry: UserEntry
    ) -> DownloadResult {
        bring(Arrival(document.document, outcome: .downloaded, headerFields: headerFields), to: entry)
            ?? DownloadResult(userID: entry.userID.string, configurationIsCurrent: false)
    }

    /// True when an answer is older than a document that arrived after the request was made.
    ///
    /// A confirmation ("not modified") applies only to the document of the request.
    private func isOutdated(
        _ exchange: JoinedDownload.Exchange, by documents: UserConfigurationState
    ) -> Bool {
        guard exchange.revision != documents.revision, let newest = documents.newest else {
            return false
        }
        let isAskedAbout = exchange.lastKnown.map { asked in
            asked.entityTag == nil ? asked.isSame(as: newest) : asked.entityTag == newest.entityTag
        }
        guard let answer = exchange.answer?.document, exchange.outcome == .downloaded else {
            let isEarlier = exchange.lastKnown.map { newest.isLater(than: $0) } ?? false
            return isAskedAbout != true || isEarlier
        }
        guard let version = newest.templateVersion, let answered = answer.templateVersion else {
            return false
        }
        // The arrived document is newer than the request, unless the request was about the same
        // document.
        let asked = exchange.lastKnown?.templateVersion ?? .min
        guard asked < version || (asked == version && isAskedAbout != true) else { return false }
        // Another document of the same version, such as one with other pinned values.
        let isEarlier = answered == version && answer.entityTag != newest.entityTag
        return answered < version || isEarlier
    }

    /// - Throws: when the format version is too new, or the configuration has no sections.
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

    /// Ends a failed download; an abandoned one was already reported when the next one started.
    ///
    /// `other` is the downloader if it is not the app's.
    func fail(
        _ download: JoinedDownload, _ attempt: JoinedDownload.Attempt?, of userID: UserID,
        with error: any Error, by other: (any ActiveConfigDownloader)? = nil
    ) {
        var isRepeated = (error as? DownloadError)?.code == .throttled
        if let attempt, attempt.received == nil, !(error is CancellationError) {
            isRepeated = turns.run(of: userID) {
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
            state.downloads[userID] = nil
            return deliver([], [.downloadFailed(userID, error)], in: state)
        }
        log(
            isCancelled || isRepeated ? .info : .warning,
            "The configuration of \(userID.logName) could not be downloaded, the active one stays: "
                + (isCancelled ? "the download was cancelled." : error.logDescription))
        download.finish(.failure(error))
        signalChange(of: userID)
    }
}
