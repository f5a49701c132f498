/// What readers see: the current user, the active configurations of all users in memory, and the
/// order in which they change.
///
/// Two private locks order all changes:
///
/// - `writer` serializes the decisions on events and the comparisons of configurations. It knows
///   the current user, what readers of that user saw last, and the layers.
/// - `readers` guards what a read of the current user needs, and the listeners. A delivery is put
///   on the listener queue under it, so that deliveries come in the order of the changes.
///
/// They are apart so that no read waits for a comparison. `readers` is taken under `writer`, never
/// the other way around. No code of the app runs under either lock: stores and vettings are called
/// before it is taken, and replaced values are released after it, since their `deinit` may be the
/// app's.
final class Front: Sendable {
    /// What decisions and comparisons read and change; guarded by `writer`.
    private struct Writer {
        /// The current user.
        var entry: UserEntry
        /// What readers of the current configuration see; nil before the first load.
        var snapshot: SnapshotContents?
        /// What lies beneath and above each user's document.
        var layers: ConfigurationLayers
        /// Number of activations that were reported to the vettings.
        var activationCount = 0
        private var lent: (active: KnownConfiguration, fallback: KnownConfiguration)?

        init(_ entry: UserEntry, _ layers: ConfigurationLayers) {
            (self.entry, self.layers) = (entry, layers)
        }

        /// The generic user for the decisions on others: one fallback for all who follow, so that
        /// they share what is derived from it.
        mutating func generic(_ user: UserEntry) -> UserDocuments.Generic {
            let documents = user.documents
            guard let active = documents.active else {
                return UserDocuments.Generic(revision: documents.revision)
            }
            let fallback =
                if let lent, lent.active === active { lent.fallback } else { active.asFallback }
            lent = (active, fallback)
            return UserDocuments.Generic(fallback: fallback, revision: documents.revision)
        }
    }

    private struct Readers {
        /// The current user.
        var entry: UserEntry
        /// Nil until first use, so that the store is not read unnecessarily.
        private(set) var snapshot: SnapshotContents?
        /// Values of keys in the snapshot, by slot, which the snapshot has too; nil: not read yet.
        var decoded: ContiguousArray<(any DecodedSetting)?> = []
        /// Settings whose values are masked.
        var secrets: Set<SettingPath> = []
        /// Registrations by section.
        var listeners = ListenerTable()

        init(_ entry: UserEntry) { self.entry = entry }

        mutating func show(
            _ new: SnapshotContents?, _ scalars: ScalarCache, _ replicas: SectionReplicas
        ) {
            snapshot = new
            decoded = []
            guard let new else { return }
            scalars.activate(generation: new.generation)
            replicas.activate(new.sections)
        }
    }

    /// An event, and how it is reported.
    struct Change: Sendable {
        /// Nil for a switch to what is in memory, and for an arrival that changes no document.
        let event: UserDocuments.Event?
        let reason: SectionChange.Reason
        /// The number of the user's takeovers when the change was decided, which is stale after another
        /// one; nil: it applies to whatever the user has.
        var takeovers: Int?
        /// True when the user becomes the current one.
        var isSwitch = false
        /// The sections that readers are assumed to have seen before the first switch; nil: none.
        var initialSections: [String: ActiveConfigSection]?
        /// The end of a download, or a push.
        var arrival: Arrival?
    }

    private enum Step {
        case done(UserTransition)
        case unchanged
        /// The vettings must be notified before readers see the activation.
        case announce(ConfigurationActivation)
    }

    /// The generic user, to whom others fall back.
    let generic: UserEntry
    /// The users in memory.
    let table: UserTable
    let queue: ListenerQueue
    /// Wakes running iterations of sequences of the current user.
    let signals = ChangeSignals()
    let running = RunningDownloads()
    let firstDownload: FirstDownload
    private let vettings: Vettings
    private let policy: ActivationPolicy
    private let writer: Locked<Writer>
    private let readers: Locked<Readers>
    /// The values of scalar settings, readable without a lock.
    private let scalars: ScalarCache
    /// The active sections, readable without the lock `readers`.
    private let replicas: SectionReplicas

    init(
        _ table: UserTable, _ vettings: Vettings, _ firstDownload: FirstDownload,
        _ queue: ListenerQueue, policy: ActivationPolicy, layers: ConfigurationLayers,
        scalars: ScalarCache, replicas: SectionReplicas
    ) {
        generic = table.entry(of: .generic, isKept: false)
        (self.table, self.vettings, self.firstDownload) = (table, vettings, firstDownload)
        (self.queue, self.policy) = (queue, policy)
        (self.scalars, self.replicas) = (scalars, replicas)
        writer = Locked(Writer(generic, layers))
        readers = Locked(Readers(generic))
    }

    // MARK: Changes

    /// Applies a change to a user and to those who follow that user.
    ///
    /// The vettings are called before an activation, and afterwards with the then active document.
    ///
    /// - Returns: The transition, and whether another document became active for the generic user;
    ///   nil when nothing is changed: the event's content has to be read again, the change has to be
    ///   decided again, or its download was abandoned.
    func apply(
        _ change: Change, to entry: UserEntry
    ) -> (transition: UserTransition, isGenericChanged: Bool)? {
        queue.keepingConfig {
            var announced: ConfigurationActivation?
            while true {
                var pass = TransitionPass()
                let step = writer.withLock { writer in
                    commit(change, to: entry, announced, in: &writer, &pass)
                }
                if case .announce(let activation) = step {
                    vettings.willActivate(activation)
                    announced = activation
                    continue
                }
                if !vettings.isEmpty, announced != nil || pass.isActiveChanged {
                    settleActivation()
                }
                pass.end(signals)
                guard case .done(let transition) = step else { return nil }
                return (transition, pass.isGenericChanged)
            }
        }
    }

    private func commit(
        _ change: Change, to entry: UserEntry, _ announced: ConfigurationActivation?,
        in writer: inout Writer, _ pass: inout TransitionPass
    ) -> Step {
        let (current, active) = (writer.entry, writer.entry.documents.active)
        let (before, old) = entry.current
        var after = before
        if let takeovers = change.takeovers, takeovers != before.takeovers { return .unchanged }
        if let event = change.event, !after.handle(event, beside: writer.generic(generic)) {
            return .unchanged
        }
        if !vettings.isEmpty,
            let activation = activation(by: change, of: entry, from: before, to: after, current),
            announced.map(activation.isSame) != true
        {
            return .announce(activation)
        }
        if let download = change.arrival?.download, !running.end(download, of: entry.userID) {
            return .unchanged
        }
        let transition = publish(
            after, of: entry, from: (before, old), change, in: &writer, &pass)
        if entry === generic, after.active !== before.active {
            pass.isGenericChanged = true
            passOn(change, in: &writer, &pass)
        }
        // After the sections of all users.
        if let arrival = change.arrival {
            let events = arrival.events(transition, of: entry.userID, firstDownload)
            readers.withLock { _ in queue.queue(Delivery(events: events)) }
        }
        pass.isActiveChanged = writer.entry !== current || current.documents.active !== active
        return .done(transition)
    }

    /// The document that becomes active for the current user; nil when it stays.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - entry: Its user.
    ///   - before: The user's documents before it.
    ///   - after: The user's documents after it.
    ///   - current: The current user before it.
    /// - Returns: The activation.
    private func activation(
        by change: Change, of entry: UserEntry, from before: UserDocuments,
        to after: UserDocuments, _ current: UserEntry
    ) -> ConfigurationActivation? {
        if entry === current || change.isSwitch {
            if after.active === before.active, entry === current { return nil }
            let lent = entry === generic ? after.active : generic.documents.active
            return .init(after.active, of: entry.userID, generic: lent)
        }
        guard entry === generic, after.active !== before.active else { return nil }
        var documents = current.documents
        guard documents.isFollower else { return nil }
        let lent = UserDocuments.Generic(
            fallback: after.active?.asFallback ?? .none, revision: after.revision)
        documents.handle(.fallbackChanged, beside: lent)
        return .init(documents.active, of: current.userID, generic: after.active)
    }

    /// Reports the active document to the vettings.
    private func settleActivation() {
        let (activation, number) = writer.withLock { writer in
            writer.activationCount += 1
            let entry = writer.entry
            return (
                ConfigurationActivation(
                    entry.documents.active, of: entry.userID, generic: generic.documents.active),
                writer.activationCount
            )
        }
        vettings.didActivate(activation, number: number)
    }

    /// Hands the generic user's configuration to users who follow that user.
    private func passOn(_ change: Change, in writer: inout Writer, _ pass: inout TransitionPass) {
        let lent = writer.generic(generic)
        for entry in inMemory(&pass) where entry !== generic {
            let current = entry.current
            guard current.documents.isFollower else { continue }
            var documents = current.documents
            documents.handle(.fallbackChanged, beside: lent)
            _ = publish(
                documents, of: entry, from: current,
                Change(event: nil, reason: change.reason), in: &writer, &pass)
        }
    }

    /// The users in memory.
    private func inMemory(_ pass: inout TransitionPass) -> [UserEntry] {
        let entries = table.livingEntries
        pass.released.append(entries)
        return entries
    }

    /// Publishes a user's documents: makes the snapshot, compares it with the previous one, and
    /// queues the deliveries of the sections.
    ///
    /// A switch is compared with what readers saw last, of any user.
    private func publish(
        _ documents: UserDocuments, of entry: UserEntry,
        from former: (documents: UserDocuments, snapshot: SnapshotContents?),
        _ change: Change, in writer: inout Writer, _ pass: inout TransitionPass
    ) -> UserTransition {
        let (current, shown, layers) = (writer.entry, writer.snapshot, writer.layers)
        let isCurrent = entry === current || change.isSwitch
        let old = former.snapshot
        pass.released.append([old, shown].compactMap(\.self) + [current])
        var (new, shared) = (old, documents)
        if let known = documents.active,
            known !== former.documents.active || old?.layers != layers || change.isSwitch
                || old?.epoch.isSame(as: documents.epoch) == false
        {
            let snapshot = table.snapshot(
                of: entry.userID, known: known, layers: layers, reason: change.reason,
                epoch: documents.epoch,
                // A user known again is reported again.
                previous: old.flatMap { $0.epoch.isSame(as: documents.epoch) ? $0 : nil })
            new = snapshot
            shared.share(snapshot.known)
        }
        let differences = pass.changes(from: old, to: new)
        let transition = UserTransition(
            new: new,
            changes: isCurrent ? differences.map { $0.of(entry.userID) } : differences,
            isCurrent: isCurrent)
        let seen =
            shown?.sections ?? change.initialSections.map { layers.applied(to: $0) }
            ?? new?.sections
        let changes =
            change.isSwitch
            ? seen.flatMap { new?.changes(since: $0) } ?? [] : transition.changes
        if isCurrent, entry !== current || new !== shown { show(new, of: entry, changes) }
        // The status and the pending changes can differ even if no section does.
        let isOtherDocument = old.map { $0.known !== new?.known } ?? false
        if isCurrent {
            pass.isCurrentChanged =
                pass.isCurrentChanged || !changes.isEmpty || isOtherDocument
                || writer.entry !== entry
            (writer.entry, writer.snapshot) = (entry, new)
        }
        entry.publish(shared, new, transition.changes)
        if !transition.changes.isEmpty || isOtherDocument { pass.changed.append(entry) }
        pass.released.append(table.hold(entry, isToBeHeld(shared)))
        return transition
    }

    /// Shows readers the current user's configuration, and queues the changed sections.
    private func show(
        _ snapshot: SnapshotContents?, of entry: UserEntry, _ changes: [SectionChange]
    ) {
        readers.withLock { readers in
            readers.entry = entry
            readers.show(snapshot, scalars, replicas)
            queue.queue(
                Delivery(
                    changes: changes.map { ($0, readers.listeners[$0.sectionName]) },
                    contents: snapshot))
        }
    }

    /// True when the next load would not find the user's current state.
    private func isToBeHeld(_ documents: UserDocuments) -> Bool {
        documents.isUnstored || (documents.active != nil && !policy.isImmediate)
    }

    /// Changes the layers beneath and above all documents.
    func changeLayers(
        reason: SectionChange.Reason, _ change: (inout ConfigurationLayers) -> Void
    ) {
        var pass = TransitionPass()
        writer.withLock { writer in
            let old = writer.layers
            change(&writer.layers)
            // Otherwise everything would be decoded, and each problem reported, again.
            if writer.layers == old { return }
            for entry in inMemory(&pass) where entry.snapshot != nil {
                let current = entry.current
                _ = publish(
                    current.documents, of: entry, from: current,
                    Change(event: nil, reason: reason), in: &writer, &pass)
            }
        }
        pass.end(signals)
    }

    var layers: ConfigurationLayers { writer.withLock { $0.layers } }

    // MARK: Downloads

    /// The user's running download, or a new one, which the caller has to start.
    func join(_ userID: UserID) -> (download: JoinedDownload, isNew: Bool) {
        queue.keepingConfig {
            readers.withLock { _ in
                let joined = running.join(userID)
                if joined.abandoned != nil {
                    // Reported before any event of the new download.
                    queue.queue(Delivery(events: [.downloadFailed(userID, CancellationError())]))
                }
                return (joined.download, joined.isNew)
            }
        }
    }

    /// Ends a failed download, and reports it unless `join` has already done so and replaced it.
    func fail(_ download: JoinedDownload, of userID: UserID, with error: any Error) {
        queue.keepingConfig {
            readers.withLock { _ in
                guard running.remove(download, of: userID) else { return }
                queue.queue(Delivery(events: [.downloadFailed(userID, error)]))
            }
        }
    }

    // MARK: Reading

    /// The current user.
    var entry: UserEntry { readers.withLock { $0.entry } }

    /// The current user, and the configuration; nil before the first load.
    var current: (entry: UserEntry, snapshot: SnapshotContents?) {
        readers.withLock { ($0.entry, $0.snapshot) }
    }

    /// A decoded value of the active configuration; nil: not read yet.
    @inline(__always)
    func decoded(slot: Int) -> (any DecodedSetting)? {
        readers.withLock { readers in
            slot < readers.decoded.count ? readers.decoded[slot] : nil
        }
    }

    /// Keeps a value that was read from a snapshot, if that snapshot is active.
    func keep(_ value: any DecodedSetting, slot: Int, of snapshot: SnapshotContents) {
        readers.withLock { readers in
            guard snapshot === readers.snapshot, slot < ScalarCache.capacity else { return }
            while readers.decoded.count <= slot { readers.decoded.append(nil) }
            readers.decoded[slot] = value
        }
    }

    /// Settings whose values are masked.
    var secrets: Set<SettingPath> { readers.withLock { $0.secrets } }

    func markSecret(_ path: SettingPath) { readers.withLock { _ = $0.secrets.insert(path) } }

    func isSecret(_ setting: SettingPath) -> Bool {
        SettingDefinition.isSecret(setting)
            || readers.withLock { $0.secrets.contains(setting) }
    }

    // MARK: Listening

    /// Adds a registration unless `find` returns one, and queues the current section for it.
    ///
    /// - Returns: The current configuration; nil before the first load.
    func register(
        _ registration: ListenerRegistration, queuesCurrentSection: Bool = true,
        unless find: (ListenerTable) -> ListenerRegistration? = { _ in nil }
    ) -> SnapshotContents? {
        let config = queue.config
        let (contents, crowd) = readers.withLock {
            readers -> (SnapshotContents?, [ListenerRegistration]) in
            let known = find(readers.listeners)
            let contents = readers.snapshot
            if queuesCurrentSection {
                registration.deliverFirst(of: contents) { section, contents in
                    queue.async {
                        withExtendedLifetime(config) {
                            (known ?? registration).deliver(section, of: contents)
                        }
                    }
                }
            }
            return (contents, known == nil ? readers.listeners.add(registration) : [])
        }
        if !crowd.isEmpty {
            let gone = crowd.filter(\.isGone)
            readers.withLock { $0.listeners.prune(gone) }
        }
        return contents
    }

    /// Removes the registration of a listener for a section.
    func removeListener(_ listener: ObjectIdentifier, sectionName: String) {
        let removed = readers.withLock { readers in
            let found = readers.listeners.registration(
                ofListener: listener, sectionName: sectionName)
            if let found { readers.listeners.remove(found) }
            return found
        }
        removed?.cancel()
    }

    func remove(_ registration: ListenerRegistration) {
        readers.withLock { $0.listeners.remove(registration) }
    }

    /// Signals sequences and observers that something may have changed, for one user or for all.
    func signalChange(of userID: UserID? = nil) {
        signals.yield()
        if let userID {
            table.usedEntry(of: userID)?.signal()
        } else {
            for entry in table.livingEntries { entry.signal() }
        }
    }

    #if DEBUG
        /// How often the lock of the readers was taken.
        var readCount: Int { readers.takingCount }

        /// Number of a section's registrations.
        func listenerCount(ofSection name: String) -> Int {
            readers.withLock { $0.listeners[name].count }
        }

        /// Runs a test while no reader can take the lock.
        func blockingReaders<Result>(_ body: () throws -> Result) rethrows -> Result {
            try readers.withLock { _ in try body() }
        }
    #endif
}
