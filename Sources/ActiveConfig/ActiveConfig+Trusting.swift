import Foundation

/// Which documents may come in force: signed ones, if the app wants that, and none with which the app
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
        guard let stored else { return nil }
        var owner = userID
        var trusted: ConfigurationState
        do throws(SignatureError) {
            do throws(SignatureError) {
                trusted = try self.trusted(stored: stored, of: userID)
            } catch {
                guard let other else { throw error }
                trusted = try self.trusted(stored: stored, of: other)
                owner = other
            }
        } catch {
            log(.warning, "A stored configuration is left out. \(error)")
            return nil
        }
        guard let launchGuard = options.launchGuard,
            let refusal = launchGuard.refusal(of: trusted, userID: owner)
        else { return trusted }
        launchGuard.noteDigest(trusted.signedDocument?.digest, ofRefused: refusal.document)
        let good = launchGuard.goodConfiguration(of: owner).flatMap {
            try? self.trusted(stored: $0, of: owner)
        }.flatMap { launchGuard.refusal(of: $0, userID: owner) == nil ? $0 : nil }
        if let new = launchGuard.newRefusal(of: refusal.document) {
            noteVerdict(LaunchGuardVerdict(new, kept: good))
        }
        return good
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

    /// What an answer may bring in force; nil when nothing has changed.
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
        log(
            .warning,
            "The server still sends the configuration of \(userID.logName) with which the app died; it is "
                + "not used.")
        return nil
    }

    private func verified(
        _ answer: ConfigurationState?, asked: ConfigurationState?, lastKnown: ConfigurationState?,
        of userID: UserID
    ) throws(SignatureError) -> ConfigurationState? {
        guard let signatures = options.signatures else {
            guard var answer, answer.signedDocument?.isConfirmation != true else { return nil }
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
        let version = try signatures.version(of: document, for: userID, at: now())
        let newest = [
            lastKnown?.templateVersion,
            options.launchGuard?.lastRefused(of: userID)?.document.version,
        ].compactMap(\.self).max()
        if let newest, version < newest, !document.isConfirmation {
            throw SignatureError(.replayed, userID: userID)
        }
        if document.isConfirmation { return nil }
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
            var content = try? ConfigurationState(jsonData: body, limits: StoredRecord.limits),
            content == state
        else { throw SignatureError(.contentMismatch, userID: userID) }
        guard content.templateVersion == version else {
            throw SignatureError(.versionMismatch, userID: userID)
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

    /// Tells the launch guard what comes in force, before it does.
    func guardLaunch(_ known: KnownConfiguration?, of userID: UserID) {
        guard let launchGuard = options.launchGuard else { return }
        let isCurrent = state.withLock { $0.userID == userID || $0.readings[userID] != nil }
        guard isCurrent else { return }
        switch known?.source {
        case .downloaded?, .stored?: launchGuard.willBringInForce(known?.configuration, of: userID)
        case .genericUser?:
            // It was cleared, as a request of another user must not have it.
            launchGuard.willBringInForce(
                usable(configStore?.ownConfiguration(forUserID: nil), of: .generic), of: .generic)
        default: launchGuard.willBringInForce(nil, of: userID)
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
