/// A sequence of a setting's values: the current one first, then each new one.
///
/// An equal value is none. A slow consumer gets the newest. The sequence ends when its task is
/// cancelled, and keeps the ``ActiveConfig`` alive until then.
public struct SettingValues<Value: Sendable>: AsyncSequence, Sendable {
    private let source: any SnapshotSource
    private let definition: SettingDefinition.Reference
    private let read: @Sendable (ConfigurationSnapshot) -> Value

    init(
        _ source: any SnapshotSource, definition: SettingDefinition.Reference,
        read: @escaping @Sendable (ConfigurationSnapshot) -> Value
    ) {
        self.source = source
        self.definition = definition
        self.read = read
    }

    /// Starts an iteration; from now on no change is missed.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source, definition: definition, read: read)
    }

    /// An iteration over a setting's values.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: any SnapshotSource
        private let definition: SettingDefinition.Reference
        private let read: @Sendable (ConfigurationSnapshot) -> Value
        private let signals: AsyncStream<Void>
        /// The values that the consumer's value was read from; nil before the first.
        private var seen: [SettingValue]?

        init(
            _ source: any SnapshotSource, definition: SettingDefinition.Reference,
            read: @escaping @Sendable (ConfigurationSnapshot) -> Value
        ) {
            self.source = source
            self.definition = definition
            self.read = read
            signals = source.makeSignals()
        }

        /// The next value; nil when the task was cancelled.
        public mutating func next() async -> Value? {
            await next(isolation: #isolation)
        }

        /// The next value; nil when the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            while !Task.isCancelled {
                let snapshot = await source.loadedSnapshotInTask()
                let candidates = snapshot.candidates(for: definition.object.path)
                if candidates != seen {
                    seen = candidates
                    return read(snapshot)
                }
                guard await signals.waitForNext(isolation: actor) else { return nil }
            }
            return nil
        }
    }
}

@available(*, unavailable)
extension SettingValues.Iterator: Sendable {}

extension ConfigurationSnapshot {
    /// The values of a setting, the one in force first, then that of the in-app defaults, to use when
    /// the first is of another type.
    func candidates(for setting: SettingPath) -> [SettingValue] {
        let inForce = sections[setting.sectionName]?[setting.name]
        let beneath = layers.defaults[setting.sectionName]?[setting.name]
        return [inForce, beneath].compactMap { $0 }
    }
}
