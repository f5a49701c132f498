/// A source of the active configuration, for sequences.
protocol SnapshotSource: AnyObject, Sendable {
    /// Loading blocks the thread.
    func loadedSnapshot() -> SnapshotContents
    /// Loading does not block the thread of the task.
    func loadedSnapshotInTask() async -> SnapshotContents
    /// Yields whenever a section or the status may have changed; unread elements coalesce into one.
    func makeSignals() -> AsyncStream<Void>
}

/// The changes that a consumer has not seen yet.
///
/// Each iteration compares the active configuration with the one that it delivered last, so a slow consumer
/// misses no change.
private struct SectionComparison: Sendable {
    /// Nil stands for all sections.
    let sectionName: String?
    /// The snapshot that the consumer has seen.
    var seen: SnapshotContents?
    /// Changes to deliver, the next one last.
    var pending: [SectionChange] = []

    mutating func compare(with current: SnapshotContents) {
        guard pending.isEmpty, current !== seen else { return }
        if let sectionName {
            let change = current.change(
                ofSectionNamed: sectionName, since: seen?.sections[sectionName])
            pending = change.map { [$0] } ?? []
        } else {
            pending = current.changes(since: seen?.sections ?? NameTable([:])).reversed()
        }
        seen = current
    }
}

extension ConfigurationUpdates<SectionChange> {
    /// The changes of a section, or of all.
    init(of source: any SnapshotSource, changesInSection sectionName: String?) {
        self.init {
            let signals = source.makeSignals()
            let comparison = Locked(SectionComparison(sectionName: sectionName))
            return Iteration(signals: signals) {
                if let change = comparison.withLock({ $0.pending.popLast() }) { return change }
                let current = await source.loadedSnapshotInTask()
                return comparison.withLock { comparison in
                    comparison.compare(with: current)
                    return comparison.pending.popLast()
                }
            }
        }
    }
}

extension ConfigurationUpdates<ActiveConfigSection?> {
    /// The values of a section: the current one first, nil when there is none, then each new one.
    init(of source: any SnapshotSource, sectionName: String) {
        let changes = ConfigurationUpdates<SectionChange>(
            of: source, changesInSection: sectionName)
        self.init {
            let changes = changes.makeAsyncIterator().iteration
            let isFirst = Locked(true)
            return Iteration(signals: changes.signals) {
                let change = await changes.next()
                let isFirst = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                return isFirst ? .some(change?.new) : change.map(\.new)
            }
        }
    }
}
