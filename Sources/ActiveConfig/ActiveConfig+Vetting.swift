/// Which documents may become active: those that every ``ConfigurationVetting`` of the options accepts.
extension ActiveConfig {
    /// The verdict of all vettings.
    private enum Vetted {
        case accepted(ConfigurationState)
        case refused(ConfigurationRefusal)
        case ignored(
            ConfigurationCandidate, by: any ConfigurationVetting, ConfigurationRefusal,
            using: ConfigurationState?)
    }

    /// Asks one after the other, until one does not accept the document.
    private func vet(_ candidate: ConfigurationCandidate) -> Vetted {
        var candidate = candidate
        // An answer without a document has nothing but header fields to decide on.
        let asked =
            candidate.origin == .confirmed ? vetting.filter(\.needsOriginal) : vetting
        for vetting in asked {
            switch vetting.vet(candidate).kind {
            case .accept(var document?):
                // What is changed in it is changed anew whenever it is read from the bytes.
                document.original = document.original ?? candidate.document.original
                document.entityTag = document.entityTag ?? candidate.document.entityTag
                candidate.document = document
            case .accept(nil): break
            case .refuse(let refusal): return .refused(refusal)
            case .ignore(let refusal, let replacement):
                return .ignored(candidate, by: vetting, refusal, using: replacement)
            }
        }
        return .accepted(candidate.document)
    }

    private func vet(stored: ConfigurationState, of userID: UserID) -> Vetted {
        vet(
            ConfigurationCandidate(
                stored, userID: userID.string, origin: .stored, time: now()))
    }

    /// What the store has of a user, or what is used instead; nil when there is nothing that may be used.
    ///
    /// - Parameters:
    ///   - stored: The store's configuration.
    ///   - userID: Its owner.
    ///   - other: The other user whose it may be, as with a store that falls back by itself.
    /// - Returns: The configuration.
    func usable(
        _ stored: ConfigurationState?, of userID: UserID, orOf other: UserID? = nil
    ) -> ConfigurationState? {
        guard let stored else { return nil }
        if vetting.isEmpty { return stored.keptInMemory }
        var owner = userID
        var vetted = vet(stored: stored, of: owner)
        if case .refused = vetted, let other {
            owner = other
            vetted = vet(stored: stored, of: owner)
        }
        switch vetted {
        case .accepted(let document): return document.keptInMemory
        case .refused(let refusal):
            logRefusal(refusal)
            return nil
        case .ignored(let candidate, let vetting, let refusal, let replacement):
            let kept = replacement.flatMap { replacement -> ConfigurationState? in
                guard case .accepted(let document) = vet(stored: replacement, of: owner) else {
                    return nil
                }
                return document.keptInMemory
            }
            noteIgnored(candidate, by: vetting, refusal, kept: kept)
            return kept
        }
    }

    /// A user's pending configuration with its original; nil when it must not be used.
    func usable(pending: ConfigurationState, of userID: UserID) -> ConfigurationState? {
        if vetting.isEmpty { return pending }
        switch vet(stored: pending, of: userID) {
        case .accepted(var document):
            document.original = pending.original
            return document
        case .refused(let refusal): logRefusal(refusal)
        case .ignored(let candidate, let vetting, let refusal, _):
            noteIgnored(
                candidate, by: vetting, refusal,
                kept: usable(configStore?.ownConfiguration(forUserID: userID.string), of: userID))
        }
        return nil
    }

    private func logRefusal(_ refusal: ConfigurationRefusal) {
        log(.warning, "A stored configuration is left out. \(refusal)")
    }

    /// Reports a stored document that is not used any more.
    private func noteIgnored(
        _ candidate: ConfigurationCandidate, by vetting: any ConfigurationVetting,
        _ refusal: ConfigurationRefusal, kept: ConfigurationState?
    ) {
        vetting.didIgnore(candidate, using: kept)
        observers.tellRefusalOfLaunch(
            ConfigurationEvent(
                .refused(refusal, keptVersion: kept?.templateVersion), userID: candidate.userID,
                document: candidate.document, time: candidate.time))
    }

    /// What an answer may activate; nil when nothing has changed.
    ///
    /// - Parameters:
    ///   - answer: The downloader's answer.
    ///   - asked: The configuration that the request was about.
    ///   - lastKnown: The user's own configuration.
    ///   - userID: The user.
    /// - Returns: The configuration.
    /// - Throws: The error of a refusal.
    func usable(
        answer: ConfigurationState?, asked: ConfigurationState?, lastKnown: ConfigurationState?,
        of userID: UserID
    ) throws -> ConfigurationState? {
        let isDocument = answer?.isConfirmation == false
        // Without an answer there is no original, which a vetting may insist on.
        var unchanged = asked ?? .empty
        unchanged.original = nil
        let candidate = ConfigurationCandidate(
            answer ?? unchanged, userID: userID.string,
            origin: isDocument ? .downloaded : .confirmed, lastKnown: lastKnown, requestBase: asked,
            newestKnownVersion: newestKnownVersion(of: userID, lastKnown), time: now())
        switch vet(candidate) {
        case .accepted(var document):
            guard isDocument else {
                return answer.flatMap { _ in
                    lastKnown?.takingOver(document.confirmedVersion, of: document, asked: asked)
                }
            }
            if !needsOriginal { document.original = nil }
            return document
        case .refused(let refusal):
            noteRefusal(of: answer, refusal, kept: lastKnown, of: userID)
            throw refusal.thrown
        case .ignored(let candidate, let vetting, _, _):
            vetting.didIgnore(candidate, using: lastKnown)
            return nil
        }
    }

    private func newestKnownVersion(
        of userID: UserID, _ lastKnown: ConfigurationState?
    ) -> Int? {
        [lastKnown?.templateVersion, newestRefusedVersion(of: userID)].compactMap(\.self).max()
    }

    /// Checks a document that is not used, since it is older than the known one.
    ///
    /// - Throws: The error of a refusal.
    func check(superseded answer: ConfigurationState, of userID: UserID) throws {
        let candidate = ConfigurationCandidate(
            answer, userID: userID.string, origin: .superseded, time: now())
        if case .refused(let refusal) = vet(candidate) { throw refusal.thrown }
    }

    /// What is to happen with a document that was pushed.
    func decision(
        onPushed document: ConfigurationState, lastKnown: ConfigurationState?, of userID: UserID
    ) -> PushDecision {
        if needsOriginal { return .fetch }
        let candidate = ConfigurationCandidate(
            document, userID: userID.string, origin: .pushed, lastKnown: lastKnown,
            newestKnownVersion: newestKnownVersion(of: userID, lastKnown), time: now())
        switch vet(candidate) {
        case .accepted(let document): return .apply(document)
        // The download of the whole document says why.
        case .refused: return .fetch
        case .ignored: return .skip
        }
    }

    /// What a request is about: the user's own configuration, or the newest one that is refused, so
    /// that the server does not send that again.
    func requestBase(
        _ lastKnown: ConfigurationState?, of userID: UserID
    ) -> ConfigurationState? {
        let base = vetting.reduce(lastKnown) { base, vetting in
            vetting.requestBase(base, forUserID: userID.string)
        }
        // Without its original, the answer that it is unchanged could not be decided on.
        if needsOriginal, base?.original == nil { return lastKnown }
        return base
    }

    /// The version of the user's newest document that is refused; nil when none is.
    func newestRefusedVersion(of userID: UserID) -> Int? {
        vetting.compactMap { $0.newestRefusedVersion(forUserID: userID.string) }.max()
    }

    /// The document that an event activates for the current user, as if nothing else happened until then;
    /// nil when there is no vetting, or none is activated.
    func activation(
        of entry: UserEntry, after event: UserEvent
    ) -> ConfigurationActivation? {
        let isStale =
            event.revision.map { $0 != entry.documents.revision } == true
            || event.genericRevision.map { $0 != generic.documents.revision } == true
        if vetting.isEmpty || isStale { return nil }
        let current = event.isSwitch ? entry : state.withLock { $0.entry }
        let documents = event.event.map { self.state(of: entry, after: $0) } ?? entry.documents
        if entry === current {
            return .init(documents.active, of: entry.userID, generic: generic.documents.active)
        }
        guard entry === generic, fallsBackToGeneric, current.documents.isFallback else {
            return nil
        }
        let following = documents.active.map {
            current.documents.after(.fallbackChanged($0.asFallback))
        }
        return .init(following?.active, of: current.userID, generic: documents.active)
    }

    /// Tells the vettings which document is active by now.
    func settleActivation() {
        let (activation, number) = transitions.withLock { transitions in
            transitions.activationCount += 1
            let entry = transitions.entry
            return (
                ConfigurationActivation(
                    entry.documents.active, of: entry.userID, generic: generic.documents.active),
                transitions.activationCount
            )
        }
        for vetting in vetting { vetting.didActivate(activation, number: number) }
    }
}

extension ConfigurationActivation {
    /// The document of which a user's active configuration is.
    ///
    /// - Parameters:
    ///   - known: The active configuration; nil before it is loaded.
    ///   - userID: The user.
    ///   - generic: That of the generic user, whose document it may be.
    init(_ known: KnownConfiguration?, of userID: UserID, generic: KnownConfiguration?) {
        // Its active sections are new, the others were there before.
        if let pending = known?.pending, pending.isPartlyActive {
            self.init(pending.configuration, userID: userID.string, isWhole: false)
            return
        }
        switch known?.source {
        case .downloaded?, .stored?: self.init(known?.configuration, userID: userID.string)
        case .genericUser?:
            self.init(
                generic.flatMap { $0.isOwn ? $0.configuration : nil }, userID: nil)
        default: self.init(nil, userID: userID.string)
        }
    }
}

extension ConfigurationState {
    /// Without the bytes of its original, of which memory needs the digest only.
    var keptInMemory: ConfigurationState {
        guard let original, original.body != nil else { return self }
        var state = self
        state.original = original.withoutBody
        return state
    }
}
