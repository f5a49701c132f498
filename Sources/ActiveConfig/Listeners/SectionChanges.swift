/// A source of the active configuration, for sequences.
protocol SnapshotSource: AnyObject, Sendable {
    /// Loading blocks the thread.
    func loadedSnapshot() -> ConfigurationSnapshot
    /// Loading does not block the thread of the task.
    func loadedSnapshotInTask() async -> ConfigurationSnapshot
    /// Yields whenever a section, or what is known of downloads, may have changed; unread elements
    /// coalesce into one.
    func makeSignals() -> AsyncStream<Void>
}

/// A sequence of changes of one section, or of all.
///
/// Each iteration compares the active configuration with the one that it delivered last, so a
/// slow consumer misses no change: it gets several combined into one. The sequence ends when its
/// task is cancelled, and keeps the ``ActiveConfig`` alive until then.
public struct SectionChanges: AsyncSequence, Sendable {
    private let source: any SnapshotSource
    private let sectionName: String?

    /// Nil stands for all sections.
    init(_ source: any SnapshotSource, sectionName: String?) {
        self.source = source
        self.sectionName = sectionName
    }

    /// Starts an iteration; from now on no change is missed.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source, sectionName: sectionName)
    }

    /// An iteration over changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: any SnapshotSource
        private let sectionName: String?
        private let signals: AsyncStream<Void>
        /// The snapshot that the consumer has seen.
        private var seen: ConfigurationSnapshot?
        /// Changes to deliver, the next one last.
        private var pending: [SectionChange] = []

        init(_ source: any SnapshotSource, sectionName: String?) {
            self.source = source
            self.sectionName = sectionName
            signals = source.makeSignals()
        }

        /// The next change; nil when the task was cancelled.
        public mutating func next() async -> SectionChange? {
            await next(isolation: #isolation)
        }

        /// The next change; nil when the task was cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> SectionChange? {
            while !Task.isCancelled {
                if let change = await takeCurrent(isolation: actor) { return change }
                guard await signals.waitForNext(isolation: actor) else { return nil }
            }
            return nil
        }

        /// Does not wait.
        mutating func takeCurrent(
            isolation actor: isolated (any Actor)?
        ) async -> SectionChange? {
            if pending.isEmpty { compare(with: await source.loadedSnapshotInTask()) }
            return pending.popLast()
        }

        private mutating func compare(with current: ConfigurationSnapshot) {
            guard current !== seen else { return }
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
}

@available(*, unavailable)
extension SectionChanges.Iterator: Sendable {}

/// A sequence of one section's values: the current one first, nil when there is none, then each new
/// one.
///
/// A slow consumer gets the newest.
public struct SectionValues: AsyncSequence, Sendable {
    let changes: SectionChanges

    /// Starts an iteration.
    public func makeAsyncIterator() -> Iterator {
        Iterator(changes: changes.makeAsyncIterator())
    }

    /// An iteration over a section's values.
    public struct Iterator: AsyncIteratorProtocol {
        var changes: SectionChanges.Iterator
        private var isFirst = true

        init(changes: SectionChanges.Iterator) {
            self.changes = changes
        }

        /// The next value; the outer nil when the task was cancelled.
        public mutating func next() async -> ActiveConfigSection?? {
            await next(isolation: #isolation)
        }

        /// The next value; the outer nil when the task was cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> ActiveConfigSection?? {
            if isFirst, !Task.isCancelled {
                isFirst = false
                return .some(await changes.takeCurrent(isolation: actor)?.new)
            }
            return await changes.next(isolation: actor).map(\.new)
        }
    }
}

@available(*, unavailable)
extension SectionValues.Iterator: Sendable {}
