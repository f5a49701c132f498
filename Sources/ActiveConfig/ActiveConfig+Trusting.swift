import Foundation

/// Which documents may become active: signed ones, if the app wants that, and none with which the app
/// died at its launches.
extension ActiveConfig {
    /// What the store has of a user, or what the launch guard has instead; nil when it must not be
    /// used.
    ///
    /// - Parameters:
    ///   - stored: The store's configuration.
    ///   - userID: Its owner.
    ///   - other: The other user whose it may be, as with a store that falls back by itself.
    /// - Returns: The configuration.
    func usable(
        _ stored: ConfigurationState?, of userID: UserID, orOf other: UserID? = nil
    ) -> ConfigurationState? {
        guard let stored, let (trusted, owner) = verified(stored: stored, of: userID, orOf: other)
        else { return nil }
        guard let launchGuard = options.launchGuard else { return trusted }
        lazy var good = launchGuard.goodConfiguration(of: owner).flatMap {
            try? self.trusted(stored: $0, of: owner)
        }.flatMap { launchGuard.refusal(of: $0, userID: owner) == nil ? $0 : nil }
        return isRefused(trusted, of: owner, kept: { good }) ? good : trusted
    }

    /// A user's pending configuration with its signed bytes; nil when it must not be used.
    func usable(pending: ConfigurationState, of userID: UserID) -> ConfigurationState? {
        if options.signatures != nil, verified(stored: pending, of: userID) == nil { return nil }
        let isRefused = isRefused(pending, of: userID) {
            usable(configStore?.ownConfiguration(forUserID: userID.string), of: userID)
        }
        return isRefused ? nil : pending
    }

    /// A stored document that may be used, and whose it is; nil, and logged, when it is not signed as
    /// the app wants it.
    private func verified(
        stored: ConfigurationState, of userID: UserID, orOf other: UserID? = nil
    ) -> (configuration: ConfigurationState, owner: UserID)? {
        do throws(SignatureError) {
            do throws(SignatureError) {
                return (try trusted(stored: stored, of: userID), userID)
            } catch {
                guard let other else { throw error }
                return (try trusted(stored: stored, of: other), other)
            }
        } catch {
            log(.warning, "A stored configuration is left out. \(error)")
            return nil
        }
    }

    /// Whether the launch guard refuses a document; a refusal that is new is reported.
    ///
    /// - Parameters:
    ///   - configuration: The document.
    ///   - userID: Its owner.
    ///   - kept: Returns what is used instead, for the report.
    /// - Returns: True when the document must not be used.
    private func isRefused(
        _ configuration: ConfigurationState, of userID: UserID, kept: () -> ConfigurationState?
    ) -> Bool {
        guard let launchGuard = options.launchGuard,
            let refusal = launchGuard.refusal(of: configuration, userID: userID)
        else { return false }
        launchGuard.noteDigest(configuration.signedDocument?.digest, ofRefused: refusal.document)
        if let new = launchGuard.newRefusal(of: refusal.document) {
            noteVerdict(LaunchGuardVerdict(new, kept: kept()))
        }
        return true
    }

    private func trusted(
        stored: ConfigurationState, of userID: UserID
    ) throws(SignatureError) -> ConfigurationState {
        guard let signatures = options.signatures else { return stored.keptInMemory }
        guard let document = stored.signedDocument, document.body != nil else {
            throw SignatureError(.unsigned, userID: userID)
        }
        let kept = document.withoutBody
        let version = try signatures.version(ofStored: kept, for: userID)
        var content = try content(of: document, is: stored, version: version, of: userID)
        content.signedDocument = kept
        return content
    }

    /// What an answer may activate; nil when nothing has changed.
    ///
    /// - Parameters:
    ///   - answer: The downloader's answer.
    ///   - asked: The configuration that the request was about.
    ///   - lastKnown: The user's own configuration.
    ///   - userID: The user.
    /// - Returns: The configuration.
    /// - Throws: ``SignatureError``.
    func trusted(
        _ answer: ConfigurationState?, asked: ConfigurationState?, lastKnown: ConfigurationState?,
        of userID: UserID
    ) throws -> ConfigurationState? {
        let trusted: ConfigurationState?
        do throws(SignatureError) {
            trusted = try verified(answer, asked: asked, lastKnown: lastKnown, of: userID)
        } catch {
            noteRefusal(of: answer, for: error, kept: lastKnown, of: userID)
            throw error
        }
        guard let trusted, let launchGuard = options.launchGuard,
            launchGuard.refusal(of: trusted, userID: userID) != nil
        else { return trusted }
        launchGuard.noteVersion(of: trusted, userID: userID)
        log(
            .warning,
            "The server still sends the configuration of \(userID.logName) with which the app died; it is "
                + "not used.")
        return nil
    }

    /// Checks the signature of a document that is not used, since it is older than the known one.
    ///
    /// - Throws: ``SignatureError``.
    func checkOlder(_ answer: ConfigurationState, of userID: UserID) throws(SignatureError) {
        guard let signatures = options.signatures else { return }
        guard let document = answer.signedDocument else {
            throw SignatureError(.unsigned, userID: userID)
        }
        _ = try signatures.version(of: document, for: userID, at: now())
    }

    private func verified(
        _ answer: ConfigurationState?, asked: ConfigurationState?, lastKnown: ConfigurationState?,
        of userID: UserID
    ) throws(SignatureError) -> ConfigurationState? {
        guard let signatures = options.signatures else {
            guard var answer else { return nil }
            if answer.isConfirmation {
                return lastKnown?.takingOver(answer.confirmedVersion, of: answer, asked: asked)
            }
            answer.signedDocument = nil
            return answer
        }
        guard let answer, let document = answer.signedDocument else {
            throw SignatureError(.unsigned, userID: userID)
        }
        let isOther =
            asked?.signedDocument == nil
            || document.entityTag.map(EntityTag.strong) != asked?.entityTag.map(EntityTag.strong)
        if document.isConfirmation, isOther {
            throw SignatureError(.otherDocument, userID: userID)
        }
        let (version, isOfContent) = try signatures.statement(
            of: document, for: userID, at: now())
        if document.isConfirmation {
            return lastKnown?.takingOver(isOfContent ? version : nil, of: answer, asked: asked)
        }
        let newest = [
            lastKnown?.templateVersion,
            options.launchGuard?.lastRefused(of: userID)?.document.version,
        ].compactMap(\.self).max()
        if let newest, version < newest { throw SignatureError(.replayed, userID: userID) }
        var content = try content(of: document, is: answer, version: version, of: userID)
        content.signedDocument = document
        return content
    }

    /// Reads the signed bytes, and nothing else.
    private func content(
        of document: SignedDocument, is state: ConfigurationState, version: Int, of userID: UserID
    ) throws(SignatureError) -> ConfigurationState {
        // What a downloader or a store has made of the bytes is not what was signed.
        guard let body = document.body,
            var content = document.knownConfiguration
                ?? (try? ConfigurationState(jsonData: body, limits: StoredRecord.limits))
        else { throw SignatureError(.contentMismatch, userID: userID) }
        let versionKey = ConfigurationState.MetaKey.templateVersion
        var signed = state
        // A later version that was confirmed is not in the bytes.
        if document.confirmation != nil { signed.meta[versionKey] = content.meta[versionKey] }
        guard content.hasSameValues(as: signed) else {
            throw SignatureError(.contentMismatch, userID: userID)
        }
        guard content.templateVersion == version else {
            throw SignatureError(.versionMismatch, userID: userID)
        }
        if let later = options.signatures?.confirmedVersion(of: document, for: userID),
            later > version
        {
            content.meta[versionKey] = .integer(later)
        }
        content.entityTag = document.entityTag
        content.acknowledgementShare = state.acknowledgementShare
        return content
    }

    /// What a request is about: the user's own configuration, or the newest one that is refused, so
    /// that the server does not send that again.
    func askedAbout(
        _ lastKnown: ConfigurationState?, of userID: UserID
    ) -> ConfigurationState? {
        guard let refused = options.launchGuard?.lastRefused(of: userID),
            let tag = refused.document.entityTag,
            refused.document.version ?? 0 > lastKnown?.templateVersion ?? 0
        else { return lastKnown }
        var asked = lastKnown ?? .empty
        // Without its digest, the answer that it is unchanged could not be verified.
        if options.signatures != nil, refused.contentDigest == nil { return lastKnown }
        asked.entityTag = tag
        asked.signedDocument = refused.contentDigest.map { .known(digest: $0, entityTag: tag) }
        return asked
    }

    /// The document that an event activates for the current user, as if nothing else happened until then;
    /// nil when there is no launch guard, or none is activated.
    func launchCandidate(
        of entry: UserEntry, after event: UserEvent
    ) -> LaunchGuard.Candidate? {
        let isStale =
            event.revision.map { $0 != entry.documents.revision } == true
            || event.genericRevision.map { $0 != generic.documents.revision } == true
        guard options.launchGuard != nil, !isStale else { return nil }
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

    /// Has the launch guard watch the document that is active by now.
    func settleLaunch() {
        let (candidate, number) = transitions.withLock { transitions in
            transitions.candidateCount += 1
            let entry = transitions.entry
            return (
                LaunchGuard.Candidate(
                    entry.documents.active, of: entry.userID, generic: generic.documents.active),
                transitions.candidateCount
            )
        }
        options.launchGuard?.didActivate(candidate, number: number)
    }
}

extension LaunchGuard.Candidate {
    /// The document of which a user's active configuration is.
    ///
    /// - Parameters:
    ///   - known: The active configuration; nil before it is loaded.
    ///   - userID: The user.
    ///   - generic: That of the generic user, whose document it may be.
    init(_ known: KnownConfiguration?, of userID: UserID, generic: KnownConfiguration?) {
        // Its active sections are new, the others were there before.
        if let pending = known?.pending, pending.isPartlyActive {
            self.init(configuration: pending.configuration, userID: userID, isWhole: false)
            return
        }
        switch known?.source {
        case .downloaded?, .stored?:
            self.init(configuration: known?.configuration, userID: userID)
        case .genericUser?:
            self.init(
                configuration: generic.flatMap { $0.isOwn ? $0.configuration : nil },
                userID: .generic)
        default: self.init(configuration: nil, userID: userID)
        }
    }
}

extension ConfigurationState {
    /// Without the bytes of a signed document, of which memory needs the digest only.
    var keptInMemory: ConfigurationState {
        guard let signedDocument, signedDocument.body != nil else { return self }
        var state = self
        state.signedDocument = signedDocument.withoutBody
        return state
    }
}

extension LaunchGuardVerdict {
    fileprivate init(_ refusal: LaunchRecord.Count, kept: ConfigurationState?) {
        let document = refusal.document
        self.init(
            userID: document.userID, entityTag: document.entityTag,
            templateVersion: document.version, crashCount: refusal.crashCount,
            replacement: kept == nil ? .fallback : .previous, keptVersion: kept?.templateVersion)
    }
}
