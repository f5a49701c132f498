/// A configuration in force, with its sections ready for reading.
///
/// The coordinator replaces it as a whole.
final class ConfigurationSnapshot: Sendable {
    let userID: UserID
    let configuration: ConfigurationState
    let sections: NameTable<ActiveConfigSection>
    let reason: SectionChange.Reason
    /// True when it is known to be the user's own, not a fallback.
    let isOwn: Bool

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

    /// Sorted by name.
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
        return changes.sorted { $0.sectionName.precedes($1.sectionName) }
    }

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
    static let empty = ConfigurationState(meta: [:], sections: [:])
}
