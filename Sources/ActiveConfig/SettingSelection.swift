import Dispatch

/// A setting or a whole section to follow by a sequence, a closure or a property.
struct SettingSelection<Value: Sendable>: Sendable {
    let sectionName: String
    /// The setting, such as `Checkout.isOn`, or the section's name.
    let description: String
    /// The value without any configuration.
    let standard: @Sendable () -> Value
    let read: @Sendable (ActiveConfig, SnapshotContents) -> Value
    /// True when two configurations give different values.
    let differs: @Sendable (_ new: SnapshotContents, _ old: SnapshotContents) -> Bool
    /// Registers the access with the current observation tracking.
    let track: @MainActor @Sendable (ObservedConfiguration) -> Void

    init(_ key: SettingKey<Value>) {
        let (definition, standard) = (key.definition.object, DecodedValue(key.defaultValue))
        sectionName = key.sectionName
        description = key.description
        self.standard = { key.defaultValue }
        read = { $0.value(of: key, in: $1) }
        differs = { definition.differs(in: $0, from: $1, default: standard) }
        track = { $0.track(key) }
    }

    init(_ type: Value.Type) where Value: SettingsSection {
        let name = type.sectionName
        (sectionName, description) = (name, name)
        standard = { type.init() }
        read = { $0.section(type, in: $1) }
        differs = { ActiveConfigSection.isChange(from: $1.sections[name], to: $0.sections[name]) }
        track = { $0.track(.section(name)) }
    }

    /// A registration that calls `body` with the current value, and then with each new one.
    func registration(
        _ config: ActiveConfig, _ body: @escaping @Sendable (Value) -> Void
    ) -> ListenerRegistration {
        makeRegistration(config, on: nil, body)
    }

    /// A registration that calls `body` on the main actor; `queue` is nil if the listener queue is
    /// the main queue.
    func registration(
        _ config: ActiveConfig, on queue: DispatchQueue?,
        _ body: @escaping @MainActor (Value) -> Void
    ) -> ListenerRegistration {
        makeRegistration(config, on: queue) { value in MainActor.assumeIsolated { body(value) } }
    }

    private func makeRegistration(
        _ config: ActiveConfig, on queue: DispatchQueue?,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> ListenerRegistration {
        let seen = Locked<SnapshotContents?>(nil)
        return ListenerRegistration(
            sectionName: sectionName, on: queue, isCalledWithoutSection: true
        ) { [weak config] _, contents in
            guard let config else { return }
            let before = seen.withLock { seen in
                defer { seen = contents }
                return seen
            }
            if before.map({ differs(contents, $0) }) ?? true { body(read(config, contents)) }
        }
    }
}

extension ConfigurationUpdates {
    /// The values: the current one first, then each new one.
    ///
    /// Equal values are skipped.
    ///
    /// - Parameters:
    ///   - selection: The setting or section.
    ///   - makeSignals: Yields whenever the result of `load` may have changed.
    ///   - load: The active configuration.
    init(
        of selection: SettingSelection<Element>,
        makeSignals: @escaping @Sendable () -> AsyncStream<Void>,
        load: @escaping @Sendable () async -> ConfigurationSnapshot
    ) {
        self.init(makeSignals: makeSignals, load: load, differs: selection.differs) { snapshot in
            selection.read(snapshot.config, snapshot.contents)
        }
    }

    /// What is read from the active configuration: the current value first, then each new one.
    ///
    /// - Parameters:
    ///   - makeSignals: Yields whenever the result of `load` may have changed.
    ///   - load: The active configuration.
    ///   - differs: True when two configurations give different values.
    ///   - read: The value in a configuration.
    init(
        makeSignals: @escaping @Sendable () -> AsyncStream<Void>,
        load: @escaping @Sendable () async -> ConfigurationSnapshot,
        differs: @escaping @Sendable (_ new: SnapshotContents, _ old: SnapshotContents) -> Bool,
        read: @escaping @Sendable (ConfigurationSnapshot) -> Element
    ) {
        self.init {
            // The configuration of the consumer's last value; nil before the first.
            let seen = Locked<SnapshotContents?>(nil)
            return Iteration(signals: makeSignals()) {
                let snapshot = await load()
                let before = seen.withLock { seen in
                    defer { seen = snapshot.contents }
                    return seen
                }
                let isNew = before.map { differs(snapshot.contents, $0) } ?? true
                return isNew ? read(snapshot) : nil
            }
        }
    }
}
