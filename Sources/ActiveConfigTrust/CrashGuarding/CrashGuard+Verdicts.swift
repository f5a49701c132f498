public import ActiveConfig
public import Foundation

/// Which documents the guard refuses, and its reports.
extension CrashGuard {
    /// Posted when a document is refused for the first time.
    ///
    /// Its `userInfo` has the user ID, and the ``CrashGuardVerdict`` as ``verdictKey``; its object is the
    /// `ActiveConfig`.
    public static let verdictNotification = Notification.Name(
        "ActiveConfigCrashGuardVerdictNotification")

    /// The key of the notification's `userInfo` for the ``CrashGuardVerdict``.
    public static let verdictKey = "crash_guard_verdict"

    /// Twice the maximum number of refusals at a launch.
    private static let maximumVerdictCount = 128

    /// The last decision in this launch; nil when there was none.
    ///
    /// Reads the store, unless it has been read before.
    public var verdict: CrashGuardVerdict? {
        _ = state.withLock { $0.context }?.config?.currentConfiguration
        return state.withLock { $0.verdicts.last }
    }

    /// Ignores a document with which the app has crashed too often.
    public func vet(_ candidate: ConfigurationCandidate) -> VettingVerdict {
        let (document, userID) = (candidate.document, UserID(candidate.userID))
        guard [.stored, .downloaded, .pushed].contains(candidate.origin),
            let refusal = refusal(of: document, userID: userID)
        else { return .accept }
        let isStored = candidate.origin == .stored
        if isStored { noteDigest(document.original?.digest, ofRefused: refusal.document) }
        return .ignore(
            ConfigurationRefusal(
                "The app died \(refusal.crashCount) times after it became active"),
            using: isStored ? goodConfiguration(of: userID) : nil)
    }

    /// Reports a new refusal, and a server that sends the document again.
    public func didIgnore(
        _ candidate: ConfigurationCandidate, using replacement: ConfigurationState?
    ) {
        let userID = UserID(candidate.userID)
        guard candidate.origin == .stored else {
            noteVersion(of: candidate.document, userID: userID)
            state.withLock { $0.context }?.log(
                .warning,
                "The server still sends the configuration of \(userID.logName) with which the app died; "
                    + "the crash guard refuses it.")
            return
        }
        guard
            let refusal = newRefusal(of: LaunchRecord.Document(candidate.document, of: userID))
        else { return }
        report(CrashGuardVerdict(refusal, kept: replacement))
    }

    /// The refusal of a document, if it must not be used.
    func refusal(
        of configuration: ConfigurationState, userID: UserID
    ) -> LaunchRecord.Count? {
        guard let record = judgedRecord() else { return nil }
        let found = record.refused.contains { UserID($0.document.userID) == userID }
        return found ? record.refusal(of: LaunchRecord.Document(configuration, of: userID)) : nil
    }

    /// The user's newest refused document; a request asks for another one.
    func lastRefused(of userID: UserID) -> LaunchRecord.Count? {
        judgedRecord()?.lastRefused(of: userID)
    }

    /// The user's last document that proved good.
    func goodConfiguration(of userID: UserID) -> ConfigurationState? {
        guard let context = state.withLock({ $0.context }) else { return nil }
        do {
            guard let data = try context.store.clientState(named: Self.copyName(of: userID)) else {
                return nil
            }
            return try StoredRecord(data, of: userID).configuration()
        } catch {
            context.log(
                .warning,
                "The last good configuration of \(userID.logName) is lost: \(error.logDescription)")
            return nil
        }
    }

    /// Keeps the digest of a refused signed document, for requests.
    func noteDigest(_ digest: String?, ofRefused document: LaunchRecord.Document) {
        guard let digest, let record = state.withLock({ $0.context?.record }),
            // An update reads the store, and this is called at each read of the document.
            record.value.refused.contains(where: {
                $0.document == document && $0.contentDigest == nil
            })
        else { return }
        record.update { record in
            for index in record.refused.indices
            where record.refused[index].document == document
                && record.refused[index].contentDigest == nil
            {
                record.refused[index].contentDigest = digest
            }
        }
    }

    /// Keeps a later version under which the server has sent a refused document, for requests.
    func noteVersion(of configuration: ConfigurationState, userID: UserID) {
        let document = LaunchRecord.Document(configuration, of: userID)
        @Sendable func isOlder(_ refused: LaunchRecord.Count) -> Bool {
            refused.document == document
                && refused.document.version ?? 0 < document.version ?? 0
        }
        guard let record = state.withLock({ $0.context?.record }),
            record.value.refused.contains(where: isOlder)
        else { return }
        record.update { record in
            for index in record.refused.indices where isOlder(record.refused[index]) {
                record.refused[index].document = document
                record.refused[index].contentDigest = configuration.original?.digest
            }
        }
    }

    /// The refusal of a document, if it is new in this launch.
    func newRefusal(of document: LaunchRecord.Document) -> LaunchRecord.Count? {
        state.withLock { $0.newRefusals[document] }
    }

    /// Reports a verdict once.
    private func report(_ new: CrashGuardVerdict) {
        let isNew = state.withLock { state in
            if state.verdicts.contains(new) { return false }
            state.verdicts.append(new)
            state.verdicts.removeFirst(max(state.verdicts.count - Self.maximumVerdictCount, 0))
            return true
        }
        guard isNew, let context = state.withLock({ $0.context }) else { return }
        context.log(.error, "\(new)")
        guard let config = context.config else { return }
        config.listenerQueue.async {
            config.notificationCenter.post(
                name: Self.verdictNotification, object: config,
                userInfo: [
                    ActiveConfig.NotificationKey.userID: new.userID ?? NSNull(),
                    Self.verdictKey: new,
                ])
        }
    }

    /// The newest refused document, so that the server does not send it again.
    public func requestBase(
        _ lastKnown: ConfigurationState?, forUserID userID: String?
    ) -> ConfigurationState? {
        guard let refused = lastRefused(of: UserID(userID)),
            let tag = refused.document.entityTag,
            refused.document.version ?? 0 > lastKnown?.templateVersion ?? 0
        else { return lastKnown }
        var asked = lastKnown ?? ConfigurationState(meta: [:], sections: [:])
        asked.entityTag = tag
        asked.original = refused.contentDigest.map { .known(digest: $0, entityTag: tag) }
        return asked
    }

    /// The version of the user's newest refused document; nil when there is none.
    public func newestRefusedVersion(forUserID userID: String?) -> Int? {
        lastRefused(of: UserID(userID))?.document.version
    }
}

extension CrashGuardVerdict {
    fileprivate init(_ refusal: LaunchRecord.Count, kept: ConfigurationState?) {
        let document = refusal.document
        self.init(
            userID: document.userID, entityTag: document.entityTag,
            templateVersion: document.version, crashCount: refusal.crashCount,
            replacement: kept == nil ? .fallback : .previous,
            keptTemplateVersion: kept?.templateVersion)
    }
}
