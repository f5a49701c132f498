/// A sequence of changes of one section, or of all.
///
/// Each iteration compares what is in force with what it gave last, so that a slow consumer loses
/// no change: it gets one that sums up several. It ends when its task is cancelled, and keeps the
/// ``ActiveConfig`` alive until then.
public struct SectionChanges: AsyncSequence, Sendable {
    private let activeConfig: ActiveConfig
    private let sectionName: String?

    /// Makes a sequence of one section's changes, or with nil of all sections'.
    init(_ activeConfig: ActiveConfig, sectionName: String?) {
        self.activeConfig = activeConfig
        self.sectionName = sectionName
    }

    /// Starts an iteration; from now on no change is missed.
    public func makeAsyncIterator() -> Iterator {
        Iterator(activeConfig, sectionName: sectionName)
    }

    /// An iteration over changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let activeConfig: ActiveConfig
        private let sectionName: String?
        private var signals: AsyncStream<Void>.Iterator
        /// What the consumer knows.
        private var seen: ConfigurationSnapshot?
        /// Changes that were found and not given yet, the next one last.
        private var pending: [SectionChange] = []

        init(_ activeConfig: ActiveConfig, sectionName: String?) {
            self.activeConfig = activeConfig
            self.sectionName = sectionName
            signals = activeConfig.makeSignals().makeAsyncIterator()
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
                guard await signals.next(isolation: actor) != nil else { return nil }
            }
            return nil
        }

        /// The next change, if there is one already.
        mutating func takeCurrent(
            isolation actor: isolated (any Actor)?
        ) async -> SectionChange? {
            if pending.isEmpty { compare(with: await activeConfig.loadedSnapshotInTask()) }
            return pending.popLast()
        }

        /// Compares what is in force with what the consumer knows.
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

extension ActiveConfig {
    /// A stream with an element whenever a section may have changed; several are one.
    fileprivate func makeSignals() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.nextSignalID += 1
            state.signals[state.nextSignalID] = continuation
            return state.nextSignalID
        }
        continuation.onTermination = { [weak self] _ in
            // Released when the lock is.
            _ = self?.state.withLock { $0.signals.removeValue(forKey: id) }
        }
        return stream
    }
}

@available(*, unavailable)
extension SectionChanges.Iterator: Sendable {}
