/// Arriving documents, downloaded or pushed: they are stored, activated as far as the policy
/// allows, and reported.
extension Downloads {
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
        if let document { users.reportShape(of: document, since: lastKnown, of: userID) }
        // Stored first, so that another process notified of it finds it.
        let result = users.turns.run(of: entry) { turn -> DownloadResult? in
            if download.isAbandoned { return nil }
            let received = attempt?.received
            if let received, received.epoch.isOver { return nil }
            let documents = users.documentsToDecideOn(in: turn)
            let pending = documents.active?.pending?.configuration
            let answer = UserDocuments.Answer(
                outcome: exchange.outcome, document: exchange.answer?.succeeding(pending),
                asked: lastKnown, revision: exchange.revision, isHandedOver: received != nil,
                isConfirmation: attempt != nil)
            var arrival = Arrival(
                answer.document?.document ?? lastKnown, outcome: exchange.outcome,
                headerFields: exchange.headerFields)
            arrival.reloadedNames = exchange.reloadedNames
            (arrival.attempt, arrival.download) = (attempt, download)
            return process(arrival, by: answer, on: documents, in: turn)?.result
        }
        guard let result else {
            return fail(download, nil, of: userID, with: CancellationError())
        }
        let outcome =
            switch exchange.outcome {
            case .withinInterval: "skipped, within the minimum interval"
            case .notModified: "nothing new"
            default: result.counts
            }
        log(.info, "Downloaded the configuration of \(userID.logName): \(outcome).")
        download.finish(.success(result))
        front.signalChange(of: userID)
    }

    /// Stores what arrived as far as it is newer, activates it as far as the policy allows, and ends
    /// its download; within the user's turn.
    ///
    /// A read of the store that takes no turn, as by a switch of the user, may have taken over another
    /// document since the decision; what arrived is decided on again then, beside that document.
    ///
    /// What the first decision has stored stays stored. If the second one lets the document wait, beside
    /// another version that differs in a section, the next launch activates it: the own document that it
    /// has replaced in the store cannot be restored, since memory does not have its original bytes.
    ///
    /// - Returns: The result, and whether what arrived was the newest document; nil when the
    ///   download was abandoned.
    private func process(
        _ arrival: Arrival, by answer: UserDocuments.Answer, on documents: UserDocuments,
        in turn: Turn
    ) -> (result: DownloadResult, isNewest: Bool)? {
        var (arrival, documents) = (arrival, documents)
        while true {
            if let end = decideAndEnd(&arrival, by: answer, on: documents, in: turn) { return end }
            if arrival.download?.isAbandoned == true { return nil }
            documents = users.documentsToDecideOn(in: turn)
        }
    }

    /// Decides on what arrived, and ends it; `arrived` keeps what is known of it for another decision.
    ///
    /// - Returns: As `process`; nil also when the decision is stale.
    private func decideAndEnd(
        _ arrived: inout Arrival, by answer: UserDocuments.Answer, on documents: UserDocuments,
        in turn: Turn
    ) -> (result: DownloadResult, isNewest: Bool)? {
        var (documents, entry) = (documents, turn.entry)
        var decision = documents.decision(on: .answered(answer))
        if case .reload = decision {
            let changes = users.takeOverStored(in: turn, reason: .downloaded) ?? []
            arrived.reloadedNames.formUnion(changes.map(\.sectionName))
            documents = entry.documents
            decision = documents.decision(on: .answered(answer))
        }
        var (event, isActive, isNewest) = (
            UserDocuments.Event?.none, documents.active?.pending == nil, true
        )
        switch decision {
        // The store may not have it any more.
        case .outdated, .reload: isNewest = false
        case .unchanged: break
        case .confirmed: event = .confirmed
        case .save(let save):
            if case .store(_, let asOwn, _) = save { isActive = asOwn }
            event = users.storage.save(save, of: entry.userID, documents)
            isNewest = event != nil
            if !isNewest { users.takeOverStored(in: turn) }
        }
        arrived.replacedVersion =
            arrived.replacedVersion ?? arrived.replacedVersion(in: documents, or: answer.asked)
        var arrival = arrived
        if !isNewest { arrival.drop() }
        record(
            arrival, isActive: isActive,
            isStored: event?.isStored ?? !entry.documents.hasUnstored)
        let ended = end(arrival, to: entry) { arrival in
            // Without a document, the end is true of whatever the user has.
            let change = Front.Change(
                event: event, reason: .downloaded, takeovers: isNewest ? documents.takeovers : nil,
                arrival: arrival)
            return users.apply(change, to: entry)
        }
        guard let ended else { return nil }
        reportReplacement(by: arrival, of: entry.userID)
        return (ended, isNewest)
    }

    /// Records the download in the history, before a listener can ask for the status.
    private func record(_ arrival: Arrival, isActive: Bool, isStored: Bool) {
        guard let attempt = arrival.attempt else { return }
        if attempt.received == nil {
            history.noteSuccess(
                of: attempt.request, arrival.outcome, after: attempt.duration(),
                isActive: isActive, isStored: isStored)
        } else if arrival.outcome == .downloaded {
            history.notePush(of: attempt.request, isActive: isActive, isStored: isStored)
        }
    }

    /// Ends a download by a transition, and makes its result.
    ///
    /// - Returns: The result; nil when the download was abandoned, or the event was stale.
    private func end(
        _ arrival: Arrival, to entry: UserEntry, _ apply: (Arrival) -> UserTransition?
    ) -> DownloadResult? {
        front.firstDownload.inOrder {
            var (arrival, userID) = (arrival, entry.userID)
            let record = arrival.isCounted ? front.firstDownload.record() : FirstDownload.Record()
            arrival.isFirst = record.isFirst
            let transition = apply(arrival)
            front.firstDownload.settle(record, isAbandoned: transition == nil)
            guard let transition else { return nil }
            let isPending = transition.new?.known.pending != nil
            if !isPending {
                users.reportActive(
                    arrival.document, of: userID, in: entry.documents.epoch,
                    headerFields: arrival.headerFields)
            }
            return arrival.result(transition, of: userID)
        }
    }

    /// Handles a document that arrived without a download; within the user's turn.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - outcome: `.notModified` for the newest document with a later version.
    ///   - newest: The user's newest document, with which it was compared.
    ///   - headerFields: Header fields of its answer.
    ///   - documents: The user's documents for the decision.
    ///   - turn: The user's turn.
    /// - Returns: The result; nil when another process has stored a later one.
    func process(
        pushed document: Vetted, _ outcome: DownloadOutcome = .downloaded,
        comparedWith newest: ConfigurationState?, headerFields: [String: String],
        on documents: UserDocuments,
        in turn: Turn
    ) -> DownloadResult? {
        let arrival = Arrival(
            document.document, outcome: .downloaded, headerFields: headerFields)
        let answer = UserDocuments.Answer(
            outcome: outcome, document: document, asked: newest, revision: documents.revision)
        let end = process(arrival, by: answer, on: documents, in: turn)
        return end.flatMap { $0.isNewest ? $0.result : nil }
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

    /// Ends a failed download: the one place that logs and reports it.
    ///
    /// `other` is the downloader if it is not the app's.
    func fail(
        _ download: JoinedDownload, _ attempt: JoinedDownload.Attempt?, of userID: UserID,
        with error: any Error, by other: (any ActiveConfigDownloader)? = nil
    ) {
        var isRepeated = (error as? DownloadError)?.code == .throttled
        if let attempt, attempt.received == nil, !(error is CancellationError) {
            isRepeated = users.turns.run(of: users.table.entry(of: userID, isKept: false)) { _ in
                if download.isAbandoned { return false }
                history.noteFailure(
                    of: attempt.request, error, after: attempt.duration(),
                    isOfApp: attempt.isAppAtFault.withLock { $0 })
                return other == nil && history.noteRejection(error, of: userID)
            }
        }
        let isCancelled = error is CancellationError
        if !isCancelled, let other = other as? any FailureDeduplicating {
            isRepeated = !other.isNewFailure(error)
        }
        front.fail(download, of: userID, with: error)
        log(
            isCancelled || isRepeated ? .info : .warning,
            "The configuration of \(userID.logName) could not be downloaded, the active one stays: "
                + (isCancelled ? "the download was cancelled." : error.logDescription))
        download.finish(.failure(error))
        front.signalChange(of: userID)
    }

    /// Logs once that the server has a lower version than the user's, without having verified that
    /// the user's version does not exist.
    func reportLower(
        _ answer: ConfigurationState, than known: ConfigurationState?, of entry: UserEntry
    ) {
        guard let version = answer.templateVersion, let known = known?.templateVersion,
            entry.note(LowerAnswer(version: version, known: known))
        else { return }
        log(
            .warning,
            "The server has version \(version) of the configuration of \(entry.userID.logName), "
                + "lower than \(known) here: version \(known) stays. If the server was restored from "
                + "a backup, its next publish must have a higher version.")
    }

    /// Logs that a document has replaced one of a higher version.
    private func reportReplacement(by arrival: Arrival, of userID: UserID) {
        guard let known = arrival.replacedVersion, let version = arrival.document?.templateVersion
        else { return }
        log(
            .warning,
            "The server has version \(version) of the configuration of \(userID.logName), "
                + "lower than \(known) here, and has never made version \(known): took it.")
    }
}
