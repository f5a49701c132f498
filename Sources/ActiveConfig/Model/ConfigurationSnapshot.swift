/// A configuration in force: whose it is, why, and its sections ready for reading.
///
/// Immutable; the coordinator replaces it as a whole.
final class ConfigurationSnapshot: Sendable {
    /// The user whose configuration is in force.
    let userID: UserID
    /// The configuration.
    let configuration: ConfigurationState
    /// The sections, for fast reading.
    let sections: NameTable<ActiveConfigSection>
    /// Why it came in force.
    let reason: SectionChange.Reason
    /// Whether it is known to be the user's own, and no fallback.
    let isOwn: Bool

    /// Makes a snapshot.
    init(
        userID: UserID, configuration: ConfigurationState, reason: SectionChange.Reason,
        isOwn: Bool
    ) {
        self.userID = userID
        self.configuration = configuration
        self.sections = NameTable(configuration.sections)
        self.reason = reason
        self.isOwn = isOwn
    }

    /// The sections that differ from those of `old`, sorted by name.
    func changes(since old: NameTable<ActiveConfigSection>) -> [SectionChange] {
        var changes: [SectionChange] = []
        for entry in sections.entries {
            let before = old.value(ofName: entry.name, hash: entry.hash)
            if before != entry.value { changes.append(change(entry.name, before, entry.value)) }
        }
        for entry in old.entries
        where sections.find(entry.name, hash: entry.hash) == nil {
            changes.append(change(entry.name, entry.value, nil))
        }
        return changes.sorted { $0.sectionName < $1.sectionName }
    }

    /// The change of one section, if it differs from what it was.
    func change(ofSectionNamed name: String, since old: ActiveConfigSection?) -> SectionChange? {
        let new = sections[name]
        return new == old ? nil : change(name, old, new)
    }

    private func change(
        _ name: String, _ old: ActiveConfigSection?, _ new: ActiveConfigSection?
    ) -> SectionChange {
        SectionChange(
            sectionName: name, old: old, new: new, userID: userID.string, reason: reason)
    }
}

extension ConfigurationState {
    /// What is in force for a user without any configuration.
    static let empty = ConfigurationState(meta: [:], sections: [:])
}
