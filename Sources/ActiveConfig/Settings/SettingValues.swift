/// A sequence of a setting's values: the current one first, then each new one.
///
/// An equal value is none. A slow consumer gets the newest. The sequence ends when its task is
/// cancelled, and keeps the ``ActiveConfig`` alive until then.
public struct SettingValues<Value: Sendable>: AsyncSequence, Sendable {
    /// A configuration, and what reads the setting's value in it.
    typealias Loaded = (snapshot: ConfigurationSnapshot, read: @Sendable () -> Value)

    private let key: SettingKey<Value>
    private let makeSignals: @Sendable () -> AsyncStream<Void>
    private let load: @Sendable () async -> Loaded

    /// `makeSignals` yields whenever what `load` returns may have changed.
    init(
        of key: SettingKey<Value>, makeSignals: @escaping @Sendable () -> AsyncStream<Void>,
        load: @escaping @Sendable () async -> Loaded
    ) {
        self.key = key
        self.makeSignals = makeSignals
        self.load = load
    }

    /// Starts an iteration; from now on no change is missed.
    public func makeAsyncIterator() -> Iterator {
        Iterator(of: key, signals: makeSignals(), load: load)
    }

    /// An iteration over a setting's values.
    public struct Iterator: AsyncIteratorProtocol {
        private let key: SettingKey<Value>
        private let standard: DecodedValue<Value>
        private let signals: AsyncStream<Void>
        private let load: @Sendable () async -> Loaded
        /// The configuration that the consumer's value was read from; nil before the first.
        private var seen: ConfigurationSnapshot?

        init(
            of key: SettingKey<Value>, signals: AsyncStream<Void>,
            load: @escaping @Sendable () async -> Loaded
        ) {
            self.key = key
            standard = DecodedValue(key.defaultValue)
            self.signals = signals
            self.load = load
        }

        /// The next value; nil when the task was cancelled.
        public mutating func next() async -> Value? {
            await next(isolation: #isolation)
        }

        /// The next value; nil when the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
            while !Task.isCancelled {
                let (snapshot, read) = await load()
                let definition = key.definition.object
                let before = seen
                seen = snapshot
                let isNew =
                    before.map { definition.differs(in: snapshot, from: $0, default: standard) }
                if isNew ?? true { return read() }
                guard await signals.waitForNext(isolation: actor) else { return nil }
            }
            return nil
        }
    }
}

@available(*, unavailable)
extension SettingValues.Iterator: Sendable {}

extension SettingDefinition {
    /// True when two configurations give different values, `standard` where they have none.
    func differs(
        in new: ConfigurationSnapshot, from old: ConfigurationSnapshot,
        default standard: any DecodedSetting
    ) -> Bool {
        let (values, before) = (new.candidates(for: path), old.candidates(for: path))
        if new === old || values.elementsEqual(before, by: { $0.isEquivalent(to: $1) }) {
            return false
        }
        switch (value(in: new), value(in: old)) {
        case (nil, nil): return false
        case (let new, let old): return !(new ?? standard).isEqual(to: old ?? standard)
        }
    }

    /// The value in a configuration; nil when it has none of the type.
    private func value(in snapshot: ConfigurationSnapshot) -> (any DecodedSetting)? {
        snapshot.candidates(for: path).lazy.compactMap { try? self.reader.read($0) }.first
    }
}

extension ConfigurationSnapshot {
    /// All values of a setting, the highest first; the next counts when one is of another type.
    func candidates(for setting: SettingPath) -> [SettingValue] {
        layers(ofKey: setting.name, inSection: setting.sectionName).map(\.value)
    }
}
