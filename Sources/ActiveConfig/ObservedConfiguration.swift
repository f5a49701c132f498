import Observation

/// A configuration that the main actor observes: the current user's, or a certain user's.
protocol ObservedSource: SnapshotSource, SettingsReading {
    var config: ActiveConfig { get }
    /// The status; the first use reads the store.
    var status: ConfigurationStatus { get }
    /// The configuration as the main actor sees it, created at the first observation.
    @MainActor var observed: ObservedConfiguration { get }
    /// Adds a registration, and queues the current section for it unless the caller delivers that.
    ///
    /// - Returns: The current configuration.
    @discardableResult
    func add(
        _ registration: ListenerRegistration, queuesCurrentSection: Bool
    ) -> SnapshotContents?
    /// Removes a registration.
    var remover: @Sendable (ListenerRegistration) -> Void { get }
}

extension ObservedSource {
    func values<Value>(of selection: SettingSelection<Value>) -> ConfigurationUpdates<Value> {
        ConfigurationUpdates(
            of: selection, makeSignals: { self.makeSignals() },
            load: { await self.loadedConfiguration() })
    }

    func snapshotUpdates() -> ConfigurationUpdates<ConfigurationSnapshot> {
        ConfigurationUpdates(
            makeSignals: { self.makeSignals() }, load: { await self.loadedConfiguration() },
            differs: { new, old in
                new.userID != old.userID || !new.changes(since: old.sections).isEmpty
            }, read: { $0 })
    }

    private func loadedConfiguration() async -> ConfigurationSnapshot {
        ConfigurationSnapshot(config: config, contents: await loadedSnapshotInTask())
    }
}

/// The active configuration as the main actor sees it, observed setting by setting.
///
/// It is replaced on the main actor, and then the readers of what differs are notified. So no
/// notified reader sees an old value, and no update is lost between a read and the next
/// registration: both happen on the main actor.
@MainActor
final class ObservedConfiguration {
    /// A separately observed part.
    enum Subject: Hashable, Sendable {
        case setting(SettingDefinition.Reference)
        case section(String)
        case user
        case status
        case pending
    }

    private(set) var snapshot: SnapshotContents
    private(set) var status: ConfigurationStatus
    private weak var source: (any ObservedSource)?
    private var cells: [Subject: Cell] = [:]
    private nonisolated let updates = Locked<Task<Void, Never>?>(nil)

    /// Loads the configuration and follows it.
    init(_ source: any ObservedSource) {
        self.source = source
        let signals = source.makeSignals()
        snapshot = source.loadedSnapshot()
        status = source.status
        let task = Task { [weak self] in
            for await _ in signals {
                guard let self else { return }
                update()
            }
        }
        updates.withLock { $0 = task }
    }

    deinit { updates.withLock { $0 }?.cancel() }

    /// Registers the access with the current observation tracking.
    func track(_ subject: Subject) { cell(of: subject).access() }

    /// Registers the access to a setting with the current observation tracking.
    func track<Value>(_ key: SettingKey<Value>) {
        let cell = cell(of: .setting(key.definition))
        cell.add(default: DecodedValue(key.defaultValue))
        cell.access()
    }

    private func cell(of subject: Subject) -> Cell {
        if let cell = cells[subject] { return cell }
        let cell = Cell()
        cells[subject] = cell
        return cell
    }

    /// Adopts the active configuration, then notifies the readers of what differs.
    func update() {
        guard let source else { return }
        let current = (source.loadedSnapshot(), source.status)
        if current.0 === snapshot, current.1 == status { return }
        let old = (snapshot, status)
        (snapshot, status) = current
        for (subject, cell) in cells where differs(subject, cell, from: old) { cell.notify() }
    }

    private func differs(
        _ subject: Subject, _ cell: Cell, from former: (SnapshotContents, ConfigurationStatus)
    ) -> Bool {
        let (old, oldStatus) = former
        return switch subject {
        case .setting(let definition):
            cell.defaults.contains {
                definition.object.differs(in: snapshot, from: old, default: $0)
            }
        case .section(let name):
            ActiveConfigSection.isChange(from: old.sections[name], to: snapshot.sections[name])
        case .user: snapshot.userID != old.userID
        case .status: status != oldStatus
        case .pending: snapshot.pendingChanges != old.pendingChanges
        }
    }

    /// Identity for Observation: it has no value, only changes.
    private final class Cell: Observable {
        private let registrar = ObservationRegistrar()
        private let changes = 0
        /// Defaults of the keys by which a setting was read; defaults of types that cannot be
        /// compared count as one.
        private(set) var defaults: [any DecodedSetting] = []

        func add(default value: any DecodedSetting) {
            let isComparable = value.isEqual(to: value)
            let isKnown = defaults.contains { !isComparable || $0.isEqual(to: value) }
            if !isKnown { defaults.append(value) }
        }

        func access() { registrar.access(self, keyPath: \.changes) }

        func notify() { registrar.withMutation(of: self, keyPath: \.changes) {} }
    }
}

extension Locked<ObservedConfiguration?> {
    /// The configuration of a source, created at first use.
    @MainActor
    func observed(_ source: any ObservedSource) -> ObservedConfiguration {
        if let known = withLock({ $0 }) { return known }
        // Only the main actor creates it, so there is no race.
        let new = ObservedConfiguration(source)
        withLock { $0 = new }
        return new
    }
}
