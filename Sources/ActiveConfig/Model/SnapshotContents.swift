/// An active configuration: a user's document with the layers beneath and above it, ready to be
/// read.
///
/// ``Front`` replaces it as a whole.
final class SnapshotContents: Sendable {
    let userID: UserID
    let known: KnownConfiguration
    let layers: ConfigurationLayers
    /// The document's sections with the layers applied.
    let sections: NameTable<ActiveConfigSection>
    let reason: SectionChange.Reason
    let epoch: UserEpoch
    /// True for the preview of a pending document: reads of it are not reported.
    let isPending: Bool
    /// Unique per configuration in the process, never 0.
    let generation: UInt64
    let decoded: DecodedSettings

    private static let lastGeneration = Locked<UInt64>(0)

    private static func nextGeneration() -> UInt64 {
        lastGeneration.withLock { last in
            last += 1
            return last
        }
    }

    convenience init(
        userID: UserID, known: KnownConfiguration, layers: ConfigurationLayers,
        reason: SectionChange.Reason, epoch: UserEpoch, isPending: Bool = false,
        previous: SnapshotContents? = nil
    ) {
        self.init(
            userID: userID, known: known, layers: layers,
            sections: layers.applied(to: known.configuration.sections), reason: reason,
            epoch: epoch, isPending: isPending, previous: previous)
    }

    /// `sections` are the document's with the layers applied.
    ///
    /// Reuses what was decoded from unchanged sections of `previous`, if that is the same user's.
    init(
        userID: UserID, known: KnownConfiguration, layers: ConfigurationLayers,
        sections: NameTable<ActiveConfigSection>, reason: SectionChange.Reason,
        epoch: UserEpoch, isPending: Bool = false,
        previous: SnapshotContents? = nil
    ) {
        self.userID = userID
        self.known = known
        self.layers = layers
        self.sections = sections
        self.reason = reason
        self.epoch = epoch
        self.isPending = isPending
        generation = Self.nextGeneration()
        guard let previous, previous.userID == userID else {
            decoded = DecodedSettings()
            return
        }
        let (old, new) = (previous.known.configuration.sections, known.configuration.sections)
        // Problems are reported once per document. Compared only if anything was decoded.
        lazy var isSameDocument = old == new
        decoded = DecodedSettings(previous.decoded) { name, hasProblems in
            (isSameDocument || !hasProblems && new[name] == old[name])
                && layers.hasSection(name, as: previous.layers)
        }
    }

    /// The same configuration for another user, with or without what was decoded from it; problems
    /// are always recorded once for all users.
    init(_ other: SnapshotContents, of userID: UserID, sharingDecoded: Bool) {
        self.userID = userID
        (known, layers, sections) = (other.known, other.layers, other.sections)
        (reason, epoch, isPending) = (other.reason, other.epoch, other.isPending)
        generation = other.generation
        decoded = sharingDecoded ? other.decoded : DecodedSettings(recordingIn: other.decoded)
    }

    /// True for the same document object, not merely an equal one, with the same layers.
    func isOfSameContent(as other: SnapshotContents) -> Bool {
        known === other.known && layers == other.layers
    }

    /// The document.
    var configuration: ConfigurationState { known.configuration }
    /// The source of the document.
    var source: SettingSource { known.source }

    /// The source of a section of the document: sections can become active before their document.
    func source(ofSection sectionName: String) -> SettingSource {
        guard let pending = known.pending, pending.adopted.contains(sectionName) else {
            return source
        }
        return pending.source
    }

    /// The contents with the pending document activated; nil when none is pending.
    var pending: SnapshotContents? {
        known.pending.map {
            SnapshotContents(
                userID: userID,
                known: KnownConfiguration($0.configuration, source: $0.source, isOwn: true),
                layers: layers, reason: .activated, epoch: epoch, isPending: true)
        }
    }

    /// The changes that activating the pending document would make, sorted by section.
    var pendingChanges: [SectionChange] { pending?.changes(since: sections) ?? [] }

    /// All values of a setting, the highest layer first.
    func layers(
        ofKey key: String, inSection sectionName: String
    ) -> [(source: SettingSource, value: SettingValue)] {
        [
            (.override, layers.overrides[sectionName]?[key]),
            (source(ofSection: sectionName), configuration.sections[sectionName]?[key]),
            (.default, layers.defaults[sectionName]?[key]),
        ].compactMap { source, value in value.map { (source, $0) } }
    }

    /// A section's layers, the highest first; empty when there is no such section.
    func objects(ofSection sectionName: String) -> [[String: SettingValue]] {
        [
            layers.overrides[sectionName], configuration.sections[sectionName]?.settings,
            layers.defaults[sectionName],
        ].compactMap { $0 }
    }

    /// Sorted by name.
    func changes(since old: NameTable<ActiveConfigSection>) -> [SectionChange] {
        var changes: [SectionChange] = []
        for entry in sections.entries {
            let before = old.value(ofName: entry.name, hash: entry.hash)
            if ActiveConfigSection.isChange(from: before, to: entry.value) {
                changes.append(change(entry.name, before, entry.value))
            }
        }
        for entry in old.entries
        where sections.find(entry.name, hash: entry.hash) == nil {
            changes.append(change(entry.name, entry.value, nil))
        }
        return changes.sorted { $0.sectionName.precedes($1.sectionName) }
    }

    func change(ofSectionNamed name: String, since old: ActiveConfigSection?) -> SectionChange? {
        let new = sections[name]
        return ActiveConfigSection.isChange(from: old, to: new) ? change(name, old, new) : nil
    }

    private func change(
        _ name: String, _ old: ActiveConfigSection?, _ new: ActiveConfigSection?
    ) -> SectionChange {
        SectionChange(
            sectionName: name, old: old, new: new, userID: userID.string, reason: reason)
    }
}

extension ConfigurationState {
    static let empty = ConfigurationState(meta: [:], sections: [:])
}
