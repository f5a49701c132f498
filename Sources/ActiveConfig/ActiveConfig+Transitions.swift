/// The effect of an event on a user's active configuration.
struct UserTransition: Sendable {
    /// The snapshot before; nil when nothing was loaded.
    let old: SnapshotContents?
    /// The snapshot afterwards; nil when nothing is loaded.
    let new: SnapshotContents?
    /// The changes of the user's sections, sorted by name.
    let changes: [SectionChange]
    let isCurrent: Bool
}

/// Drives the users' states: each event yields a new state, its snapshot, and deliveries for
/// listeners and notifications.
///
/// Deciding and comparing are serialized by ``transitions``, which readers do not take. No code of
/// the app runs meanwhile: stores and vettings were called before, and replaced objects are
/// released afterwards, since the `deinit` of a decoded value is the app's.
extension ActiveConfig {
    /// An event, and how it is reported.
    struct UserEvent: Sendable {
        let event: UserConfigurationState.Event?
        let reason: SectionChange.Reason
        /// True when the user becomes the current one.
        var isSwitch = false
        /// The sections that readers are assumed to have seen before the first switch; nil: none.
        var initialSections: [String: ActiveConfigSection]?
    }

    /// Returns the events to post, or nil to change nothing; called in the critical section in
    /// which the current user's configuration changes.
    typealias Finish = @Sendable (inout CoordinatorState, UserTransition) -> [Delivery.Event]?

    /// Applies an event to a user and to those who fall back to that user; calls the vettings
    /// before, and afterwards with the then active document.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - entry: The user.
    ///   - finish: Decides in that critical section which events to post.
    /// - Returns: The transition; nil when the event was stale, or `finish` returned nil.
    @discardableResult
    func apply(
        _ event: UserEvent, to entry: UserEntry,
        finish: Finish? = nil
    ) -> UserTransition? {
        var pass = TransitionPass()
        let activation = activation(of: entry, after: event)
        if let activation {
            vettings.willActivate(activation)
        }
        let transition = commit(event, to: entry, finish, &pass)
        // The activation was computed before; other users' transitions can have come in between.
        if !vettings.isEmpty, activation != nil || pass.isActiveChanged {
            settleActivation()
        }
        pass.end(signals)
        if pass.isGenericChanged { askChoosersAgain() }
        return transition
    }

    private func commit(
        _ event: UserEvent, to entry: UserEntry, _ finish: Finish?, _ pass: inout TransitionPass
    ) -> UserTransition? {
        transitions.withLock { transitions in
            let (active, current) = (transitions.entry.documents.active, transitions.entry)
            defer {
                pass.isActiveChanged =
                    transitions.entry !== current || current.documents.active !== active
            }
            let (before, old) = entry.current
            if let event = event.event,
                before.isStale(event, genericRevision: generic.documents.revision)
            {
                return nil
            }
            let fallback = transitions.fallback(of: generic)
            let after =
                event.event.map { before.after(completed($0, for: entry, fallback: fallback)) }
                ?? before
            guard
                let transition = publish(
                    after, of: entry, from: (before, old), event, finish, in: &transitions, &pass)
            else { return nil }
            if entry === generic, after.active !== before.active {
                pass.isGenericChanged = true
                passOn(event, in: &transitions, &pass)
            }
            // After the sections of a current user who falls back to this one.
            let events = pass.events
            if !events.isEmpty { change { deliver([], events, in: $0) } }
            return transition
        }
    }

    /// Changes the layers beneath and above all documents.
    func changeLayers(
        reason: SectionChange.Reason, _ change: (inout ConfigurationLayers) -> Void
    ) {
        var pass = TransitionPass()
        transitions.withLock { transitions in
            let old = transitions.layers
            change(&transitions.layers)
            // Otherwise everything would be decoded, and each problem reported, again.
            if transitions.layers == old { return }
            for entry in inMemory(&pass) where entry.snapshot != nil {
                let current = entry.current
                _ = publish(
                    current.documents, of: entry, from: current,
                    UserEvent(event: nil, reason: reason), nil, in: &transitions, &pass)
            }
        }
        pass.end(signals)
    }

    /// The event with the generic user's active configuration as the fallback of a user who follows
    /// the generic user.
    private func completed(
        _ event: UserConfigurationState.Event, for entry: UserEntry, fallback: KnownConfiguration?
    ) -> UserConfigurationState.Event {
        guard var stored = event.stored, stored.followsGeneric, let fallback else { return event }
        stored.fallback = fallback
        return event.with(stored)
    }

    /// The state of a user after an event, provided nothing else happens before.
    func state(
        of entry: UserEntry, after event: UserConfigurationState.Event
    ) -> UserConfigurationState {
        let fallback = generic.documents.active?.asFallback
        return entry.documents.after(completed(event, for: entry, fallback: fallback))
    }

    /// Hands the generic user's configuration to users who fall back to it.
    private func passOn(
        _ event: UserEvent, in transitions: inout Transitions, _ pass: inout TransitionPass
    ) {
        guard let fallback = transitions.fallback(of: generic) else { return }
        for entry in inMemory(&pass) where entry !== generic {
            let current = entry.current
            guard current.documents.isFollower else { continue }
            _ = publish(
                current.documents.after(.fallbackChanged(fallback)), of: entry, from: current,
                UserEvent(event: nil, reason: event.reason), nil, in: &transitions, &pass)
        }
    }

    /// The users in memory.
    private func inMemory(_ pass: inout TransitionPass) -> [UserEntry] {
        let entries = users.livingEntries
        pass.released.append(entries)
        return entries
    }

    /// Publishes a state: makes the snapshot, compares it with the previous one, and queues the
    /// deliveries: the current user's sections, then the events of `finish`.
    ///
    /// A switch is compared with what readers saw last, of any user.
    private func publish(
        _ documents: UserConfigurationState, of entry: UserEntry,
        from former: (documents: UserConfigurationState, snapshot: SnapshotContents?),
        _ event: UserEvent, _ finish: Finish?, in transitions: inout Transitions,
        _ pass: inout TransitionPass
    ) -> UserTransition? {
        let (current, front, layers) = (
            transitions.entry, transitions.snapshot, transitions.layers
        )
        let isCurrent = entry === current || event.isSwitch
        let old = former.snapshot
        pass.released.append([old, front].compactMap(\.self) + [current])
        var (new, shared) = (old, documents)
        if let known = documents.active,
            known !== former.documents.active || old?.layers != layers || event.isSwitch
                || old?.epoch.isSame(as: documents.epoch) == false
        {
            let (snapshot, released) = users.snapshot(
                of: entry.userID, known: known, layers: layers, reason: event.reason,
                epoch: documents.epoch,
                // A user known again is reported again.
                previous: old.flatMap { $0.epoch.isSame(as: documents.epoch) ? $0 : nil })
            new = snapshot
            shared.share(snapshot.known)
            pass.released.append(released)
        }
        let differences = pass.changes(from: old, to: new)
        let transition = UserTransition(
            old: old, new: new,
            changes: isCurrent ? differences.map { $0.of(entry.userID) } : differences,
            isCurrent: isCurrent)
        let seen =
            front?.sections ?? event.initialSections.map { layers.applied(to: $0) } ?? new?.sections
        let changes =
            event.isSwitch
            ? seen.flatMap { new?.changes(since: $0) } ?? [] : transition.changes
        if isCurrent || finish != nil {
            let isDone = change { [new] state in
                // Without `finish` there are no events; a `finish` that returns nil changes
                // nothing.
                let events = finish.map { $0(&state, transition) } ?? []
                guard let events else { return nil }
                guard isCurrent else {
                    pass.events = events
                    return deliver([], [], in: state)
                }
                state.entry = entry
                state.snapshot = new
                return deliver(changes, events, in: state)
            }
            guard isDone else { return nil }
        }
        // The status and the pending changes can differ even if no section does.
        let isOtherDocument = old.map { $0.known !== new?.known } ?? false
        if isCurrent {
            pass.isFrontChanged =
                pass.isFrontChanged || !changes.isEmpty || isOtherDocument
                || transitions.entry !== entry
            (transitions.entry, transitions.snapshot) = (entry, new)
        }
        entry.publish(shared, new, transition.changes)
        if !transition.changes.isEmpty || isOtherDocument { pass.changed.append(entry) }
        pass.released.append(users.hold(entry, isToBeHeld(shared)))
        return transition
    }

    /// Records the stored state of a user's documents, which affects no reader.
    func note(of entry: UserEntry, _ change: (inout UserConfigurationState) -> Void) {
        var pass = TransitionPass()
        transitions.withLock { _ in
            entry.note(change)
            pass.released.append(users.hold(entry, isToBeHeld(entry.documents)))
        }
        pass.end(signals)
    }

    /// True when the next load would not find the user's current state.
    private func isToBeHeld(_ documents: UserConfigurationState) -> Bool {
        documents.isUnstored || (documents.active != nil && !options.activationPolicy.isImmediate)
    }
}
