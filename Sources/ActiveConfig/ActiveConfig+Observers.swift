/// Observers, and the events they receive.
extension ActiveConfig {
    /// Adds an observer.
    ///
    /// It receives later events, and the refusals of this launch so far. A value that was read
    /// before is not reported again while it stays the same.
    ///
    /// - Parameter observer: The observer.
    /// - Returns: A subscription; the observer is held until it is cancelled or released.
    public func addObserver(_ observer: some ConfigurationObserving) -> ActiveConfigSubscription {
        let number = observers.add(observer)
        return ActiveConfigSubscription { [observers] in observers.remove(number) }
    }

    /// Reports that a document is active, which an answer with these header fields brought or
    /// confirmed.
    func noteActive(
        _ configuration: ConfigurationState?, of userID: UserID, in epoch: UserEpoch,
        headerFields: [String: String] = [:]
    ) {
        guard !observers.isEmpty, let configuration,
            state.withLock({ $0.userID == userID }) || users.usedEntry(of: userID) != nil
        else { return }
        observers.tell(
            ConfigurationEvent(
                .active, userID: userID.string, document: configuration, headerFields: headerFields,
                time: now(), epoch: epoch))
    }

    /// Reports the active document again, confirmed by the server with these header fields.
    func noteActive(of userID: UserID, headerFields: [String: String]) {
        guard !observers.isEmpty else { return }
        let current = state.withLock { $0.snapshot }
        let snapshot =
            current?.userID == userID ? current : users.usedEntry(of: userID)?.snapshot
        guard let snapshot else { return }
        noteActive(
            snapshot.configuration, of: userID, in: snapshot.epoch, headerFields: headerFields)
    }

    /// Reports a read of a value.
    ///
    /// - Parameters:
    ///   - setting: The setting.
    ///   - value: The value; nil is the key's default.
    ///   - source: The value's source.
    ///   - snapshot: The configuration that it was read from.
    func noteRead(
        _ setting: SettingPath, _ value: SettingValue?, from source: SettingSource,
        in snapshot: SnapshotContents
    ) {
        guard !observers.isEmpty, !snapshot.isPending else { return }
        let read = SettingRead(setting, value, isMasked: isSecret(setting), from: source)
        observers.tell(
            ConfigurationEvent(
                .read(read), userID: snapshot.userID.string, document: snapshot.configuration,
                time: now(), epoch: snapshot.epoch))
    }

    /// Reports a read of a whole section.
    func noteRead(sectionNamed sectionName: String, in snapshot: SnapshotContents) {
        guard !observers.isEmpty, !snapshot.isPending else { return }
        for key in snapshot.sections[sectionName]?.settingKeys ?? [] {
            guard let top = snapshot.layers(ofKey: key, inSection: sectionName).first else {
                continue
            }
            noteRead(
                SettingPath(sectionName, key), top.value, from: top.source,
                in: snapshot)
        }
    }
}
