public import Foundation

/// What is reported of configurations: to the launch guard's owner, to acknowledgers, to recorders of
/// exposures.
extension ActiveConfig {
    /// Posted when the launch guard refuses a document for the first time.
    ///
    /// Its `userInfo` has the user ID, and the ``LaunchGuardVerdict`` as
    /// ``NotificationKey/launchGuardVerdict``.
    public static let launchGuardVerdictNotification = Notification.Name(
        "ActiveConfigLaunchGuardVerdictNotification")

    /// The launch guard's last decision in this launch; nil when it had nothing to do.
    ///
    /// The store is read, unless something has been read before.
    public var launchGuardVerdict: LaunchGuardVerdict? {
        guard options.launchGuard != nil else { return nil }
        loadedSnapshot()
        return verdicts.withLock { $0.last }
    }

    /// Reports a verdict, once.
    func noteVerdict(_ new: LaunchGuardVerdict) {
        let isNew = verdicts.withLock { verdicts in
            if verdicts.contains(new) { return false }
            verdicts.append(new)
            verdicts.removeFirst(max(verdicts.count - Self.maximumVerdictCount, 0))
            return true
        }
        guard isNew else { return }
        log(.error, "\(new)")
        listenerQueue.async { [self] in
            notificationCenter.post(
                name: Self.launchGuardVerdictNotification, object: self,
                userInfo: [
                    NotificationKey.userID: new.userID ?? NSNull(),
                    NotificationKey.launchGuardVerdict: new,
                ])
        }
        if let outcome = outcome(of: new) { outcomes.tell(outcome) }
    }

    /// Twice as many as a launch guard refuses documents at a launch.
    private static let maximumVerdictCount = 128

    /// What was decided before anybody wanted to know.
    var earlierOutcomes: [ConfigurationOutcome] { verdicts.withLock { $0 }.compactMap(outcome) }

    private func outcome(of verdict: LaunchGuardVerdict) -> ConfigurationOutcome? {
        guard let version = verdict.templateVersion else { return nil }
        let reason = "The app died \(verdict.crashCount) times after it became active"
        return ConfigurationOutcome(
            userID: UserID(verdict.userID), version: version, entityTag: verdict.entityTag,
            share: nil, verdict: .refused("\(reason); \(Self.kept(verdict.keptVersion))"))
    }

    /// Reports the version of a download that ended well, if it is active.
    func noteActive(_ configuration: ConfigurationState?, of userID: UserID) {
        guard !outcomes.isEmpty, let configuration, let version = configuration.templateVersion,
            state.withLock({ $0.userID == userID }) || users.usedEntry(of: userID) != nil
        else { return }
        outcomes.tell(
            ConfigurationOutcome(
                userID: userID, version: version, entityTag: configuration.entityTag,
                share: configuration.acknowledgementShare, verdict: .active))
    }

    /// Reports the active version once more, when the server asks whether it is.
    func noteActive(of userID: UserID, share: Double?) {
        guard !outcomes.isEmpty, let share, (0...1).contains(share) else { return }
        let current = state.withLock { $0.snapshot }
        let snapshot =
            current?.userID == userID ? current : users.usedEntry(of: userID)?.snapshot
        var configuration = snapshot?.configuration
        configuration?.acknowledgementShare = share
        noteActive(configuration, of: userID)
    }

    /// Reports an answer that is not used.
    func noteRefusal(
        of answer: ConfigurationState?, for error: any Error, kept: ConfigurationState?,
        of userID: UserID
    ) {
        guard !outcomes.isEmpty, let answer, let version = answer.templateVersion,
            !answer.isConfirmation
        else { return }
        outcomes.tell(
            ConfigurationOutcome(
                userID: userID, version: version, entityTag: answer.entityTag,
                share: answer.acknowledgementShare,
                verdict: .refused("\(Self.reason(error)); \(Self.kept(kept?.templateVersion))")))
    }

    private static func kept(_ version: Int?) -> String {
        version.map { "version \($0) stays active." } ?? "no version is active."
    }

    /// The reason without the user, who is in the path of the request.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as SignatureError: "The document cannot be trusted: \(error.code)"
        case let error as ConfigurationFormatError: "The document cannot be used: \(error.code)"
        default: "The document cannot be used"
        }
    }

    /// Records that a value was read, if anybody wants to know.
    ///
    /// - Parameters:
    ///   - setting: The setting.
    ///   - value: The value; nil is the key's default.
    ///   - source: Where it comes from.
    ///   - snapshot: The configuration that it was read from.
    func expose(
        _ setting: SettingPath, _ value: SettingValue?, from source: SettingSource,
        in snapshot: ConfigurationSnapshot
    ) {
        guard let exposures = options.exposures else { return }
        let isMasked = isSecret(setting)
        exposures.record(
            Exposure(
                userID: snapshot.userID.string, setting: setting, value: isMasked ? nil : value,
                isMasked: isMasked, source: source,
                templateVersion: snapshot.configuration.templateVersion,
                experiments: snapshot.configuration.experiments, time: now()),
            value: value)
    }

    /// Records that a whole section was read.
    func exposeSection(named sectionName: String, in snapshot: ConfigurationSnapshot) {
        guard options.exposures != nil else { return }
        for key in snapshot.sections[sectionName]?.settingKeys ?? [] {
            guard let top = snapshot.layers(ofKey: key, inSection: sectionName).first else {
                continue
            }
            expose(
                SettingPath(sectionName: sectionName, name: key), top.value, from: top.source,
                in: snapshot)
        }
    }
}
