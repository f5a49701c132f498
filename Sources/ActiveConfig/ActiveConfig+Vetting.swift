/// Decides which documents may become active: those that every ``ConfigurationVetting`` of the
/// options accepts.
extension ActiveConfig {
    /// The verdict of all vettings.
    private enum Vetted {
        case accepted(ConfigurationState, isChanged: Bool)
        case refused(
            ConfigurationCandidate, by: any ConfigurationVetting, ConfigurationRefusal)
        case ignored(
            ConfigurationCandidate, by: any ConfigurationVetting, ConfigurationRefusal,
            using: ConfigurationState?)
    }

    /// Calls the vettings one after the other, until one does not accept the document.
    private func vet(_ candidate: ConfigurationCandidate) -> Vetted {
        var (candidate, isChanged) = (candidate, false)
        // An answer without a document has only header fields to decide on.
        let asked =
            candidate.origin == .confirmed ? vetting.filter(\.needsOriginal) : vetting
        for vetting in asked {
            switch vetting.vet(candidate).kind {
            case .accept(var document?):
                isChanged = isChanged || document != candidate.document
                // A changed document is changed again at each read of its bytes.
                document.original = document.original ?? candidate.document.original
                document.entityTag = document.entityTag ?? candidate.document.entityTag
                candidate.document = document
            case .accept(nil): break
            case .refuse(let refusal): return .refused(candidate, by: vetting, refusal)
            case .ignore(let refusal, let replacement):
                return .ignored(candidate, by: vetting, refusal, using: replacement)
            }
        }
        return .accepted(candidate.document, isChanged: isChanged)
    }

    private func vet(stored: ConfigurationState, of userID: UserID) -> Vetted {
        vet(
            ConfigurationCandidate(
                needsOriginal ? stored : stored.asReceived, userID: userID.string, origin: .stored,
                time: now()))
    }

    /// The stored configuration of a user, or a replacement; nil when neither may be used.
    ///
    /// - Parameters:
    ///   - stored: The store's configuration.
    ///   - userID: Its owner.
    ///   - other: The other possible owner, for a store with fallbacks of its own.
    /// - Returns: The configuration.
    func usable(
        _ stored: @autoclosure () -> ConfigurationState?, of userID: UserID,
        orOf other: UserID? = nil
    ) -> ConfigurationState? {
        if vetting.isEmpty { return stored()?.keptInMemory }
        // Read before the document: the user can be forgotten meanwhile.
        let epochs = (users.epoch(of: userID), other.flatMap { users.epoch(of: $0) })
        guard let stored = stored() else { return nil }
        var owner = userID
        var vetted = vet(stored: stored, of: owner)
        if case .refused = vetted, let other {
            owner = other
            vetted = vet(stored: stored, of: owner)
        }
        switch vetted {
        case .accepted(let document, _): return document.keptInMemory
        case .refused(let candidate, _, let refusal):
            noteRefusal(
                ofStored: candidate, refusal, kept: nil,
                in: owner == userID ? epochs.0 : epochs.1)
            return nil
        case .ignored(let candidate, let vetting, let refusal, let replacement):
            let kept = replacement.flatMap { replacement -> ConfigurationState? in
                guard case .accepted(let document, _) = vet(stored: replacement, of: owner) else {
                    return nil
                }
                return document.keptInMemory
            }
            vetting.didIgnore(candidate, using: kept)
            noteRefusal(
                ofStored: candidate, refusal, kept: kept,
                in: owner == userID ? epochs.0 : epochs.1)
            return kept
        }
    }

    /// A user's pending configuration with its original; nil when it must not be used.
    func usable(pending: ConfigurationState, of userID: UserID) -> ConfigurationState? {
        if vetting.isEmpty { return pending }
        let epoch = users.epoch(of: userID)
        func own() -> ConfigurationState? {
            usable(store?.ownConfiguration(forUserID: userID.string), of: userID)
        }
        switch vet(stored: pending, of: userID) {
        case .accepted(var document, _):
            document.original = pending.original
            return document
        case .refused(let candidate, _, let refusal):
            noteRefusal(ofStored: candidate, refusal, kept: own(), in: epoch)
        case .ignored(let candidate, let vetting, let refusal, _):
            let kept = own()
            vetting.didIgnore(candidate, using: kept)
            noteRefusal(ofStored: candidate, refusal, kept: kept, in: epoch)
        }
        return nil
    }

    /// Reports a stored document that is not used.
    private func noteRefusal(
        ofStored candidate: ConfigurationCandidate, _ refusal: ConfigurationRefusal,
        kept: ConfigurationState?, in epoch: UserEpoch?
    ) {
        let isNew = observers.tellRefusal(
            ConfigurationEvent(
                .refused(refusal, keptTemplateVersion: kept?.templateVersion),
                userID: candidate.userID,
                document: candidate.document, time: candidate.time, epoch: epoch))
        if isNew {
            log(.warning, "A stored configuration is left out. \(refusal.thrown.logDescription)")
        }
    }

    /// The configuration that an answer may activate; nil for "not modified".
    ///
    /// - Parameters:
    ///   - answer: The downloader's answer.
    ///   - asked: The configuration that the request was about.
    ///   - lastKnown: The user's own configuration.
    ///   - userID: The user.
    ///   - epoch: The user's epoch at the request.
    /// - Returns: The configuration.
    /// - Throws: The error of a refusal.
    func usable(
        answer: ConfigurationState?, asked: ConfigurationState?, lastKnown: ConfigurationState?,
        of userID: UserID, in epoch: UserEpoch
    ) throws -> ConfigurationState? {
        let isDocument = answer?.isConfirmation == false
        // Without an answer there is no original, which a vetting may require.
        var unchanged = asked ?? .empty
        unchanged.original = nil
        let candidate = ConfigurationCandidate(
            answer ?? unchanged, userID: userID.string,
            origin: isDocument ? .downloaded : .confirmed, lastKnown: lastKnown, requestBase: asked,
            newestKnownVersion: newestKnownVersion(of: userID, lastKnown), time: now())
        switch vet(candidate) {
        case .accepted(var document, let isChanged):
            guard isDocument else {
                return try confirmed(
                    answer.map { _ in document }, asked: asked, lastKnown: lastKnown, of: userID,
                    in: epoch)
            }
            refused.withLock { $0.noteAccepted(document, of: userID) }
            if !needsOriginal {
                // The received document is vetted again when it is read from the store.
                document.original =
                    isChanged ? document.original ?? answer.map { $0.receivedOriginal } : nil
            }
            return document
        case .refused(_, let vetting, let refusal):
            noteRefusal(of: answer, by: vetting, refusal, kept: lastKnown, of: userID, in: epoch)
            throw refusal.thrown
        case .ignored(let candidate, let vetting, let refusal, _):
            vetting.didIgnore(candidate, using: lastKnown)
            noteRefusal(
                of: answer, by: vetting, refusal, isIgnored: true, kept: lastKnown, of: userID,
                in: epoch)
            return nil
        }
    }

    /// The user's own document in the version named by an answer without a document (304); nil when
    /// that version is known.
    ///
    /// - Throws: The error of the refusal when the answer is about a document that is refused.
    private func confirmed(
        _ answer: ConfigurationState?, asked: ConfigurationState?, lastKnown: ConfigurationState?,
        of userID: UserID, in epoch: UserEpoch
    ) throws -> ConfigurationState? {
        if asked?.entityTag != lastKnown?.entityTag {
            let unchanged = refused.withLock {
                $0.confirm(asked, version: answer?.confirmedVersion, of: userID)
            }
            guard let unchanged else { return nil }
            noteRefusal(
                of: unchanged.document, unchanged.refusal,
                headerFields: answer?.original?.headerFields, kept: lastKnown, of: userID, in: epoch
            )
            if unchanged.isIgnored { return nil }
            throw unchanged.refusal.thrown
        }
        let new = answer.flatMap {
            lastKnown?.takingOver($0.confirmedVersion, of: $0, asked: asked)
        }
        if let confirmed = new ?? lastKnown {
            refused.withLock { $0.noteAccepted(confirmed, of: userID) }
        }
        return new
    }

    /// Reports an arrived document that is not accepted, and keeps it for updaters' requests.
    private func noteRefusal(
        of document: ConfigurationState?, by vetting: any ConfigurationVetting,
        _ refusal: ConfigurationRefusal, isIgnored: Bool = false, kept: ConfigurationState?,
        of userID: UserID, in epoch: UserEpoch?
    ) {
        noteRefusal(of: document, refusal, kept: kept, of: userID, in: epoch)
        // An answer that is not authentic is not the server's document, which may be valid.
        guard let document, !document.isConfirmation, !vetting.needsOriginal else { return }
        refused.withLock {
            $0.note(.init(document, refusal, isIgnored: isIgnored), of: userID)
        }
    }

    private func newestKnownVersion(
        of userID: UserID, _ lastKnown: ConfigurationState?
    ) -> Int? {
        [lastKnown?.templateVersion, newestRefusedVersion(of: userID)].compactMap(\.self).max()
    }

    /// Checks a document that is not used because it is older than the known one.
    ///
    /// - Throws: The error of a refusal.
    func check(superseded answer: ConfigurationState, of userID: UserID) throws {
        let candidate = ConfigurationCandidate(
            answer, userID: userID.string, origin: .superseded, time: now())
        if case .refused(_, _, let refusal) = vet(candidate) { throw refusal.thrown }
    }

    /// The action for a pushed document.
    func decision(
        onPushed document: ConfigurationState, lastKnown: ConfigurationState?, of userID: UserID
    ) -> PushDecision {
        // A change cannot be applied to a document that a vetting has changed.
        if needsOriginal || (!vetting.isEmpty && lastKnown?.original != nil) { return .fetch }
        let epoch = users.epoch(of: userID)
        let candidate = ConfigurationCandidate(
            document, userID: userID.string, origin: .pushed, lastKnown: lastKnown,
            newestKnownVersion: newestKnownVersion(of: userID, lastKnown), time: now())
        switch vet(candidate) {
        case .accepted(_, isChanged: true): return .fetch
        case .accepted(let accepted, isChanged: false):
            refused.withLock { $0.noteAccepted(accepted, of: userID) }
            return .apply(accepted)
        case .refused(_, let vetting, let refusal):
            noteRefusal(
                of: document, by: vetting, refusal, kept: lastKnown, of: userID, in: epoch)
            // The download reports it, without the document.
            return .fetch
        case .ignored(_, let vetting, let refusal, _):
            noteRefusal(
                of: document, by: vetting, refusal, isIgnored: true, kept: lastKnown, of: userID,
                in: epoch)
            return .skip
        }
    }

    /// The document that a request refers to: the user's own, or the newest refused one, so that
    /// the server does not send that again.
    ///
    /// - Parameters:
    ///   - lastKnown: The user's own configuration.
    ///   - userID: The user.
    ///   - isOfUpdater: True for a request that is repeated until there is a new document. A
    ///     download by the app gets a document refused in this launch once more, to vet it again.
    /// - Returns: The configuration.
    func requestBase(
        _ lastKnown: ConfigurationState?, of userID: UserID, isOfUpdater: Bool
    ) -> ConfigurationState? {
        var base = vetting.reduce(lastKnown) { base, vetting in
            vetting.requestBase(base, forUserID: userID.string)
        }
        if isOfUpdater { base = refused.withLock { $0.requestBase(base, of: userID) } }
        // Without its original, a "not modified" answer could not be vetted.
        if needsOriginal, base?.original == nil { return lastKnown }
        return base
    }

    /// The version of the user's newest refused document; nil when none is refused.
    func newestRefusedVersion(of userID: UserID) -> Int? {
        let newest = refused.withLock { $0[userID]?.document.templateVersion }
        return (vetting.map { $0.newestRefusedVersion(forUserID: userID.string) } + [newest])
            .compactMap(\.self).max()
    }
}
