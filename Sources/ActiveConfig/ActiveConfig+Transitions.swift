/// Applies events to the users' documents: each yields new documents, their snapshot, and
/// deliveries for listeners and notifications.
///
/// Deciding and comparing are serialized by ``transitions``, which readers do not take. No code of
/// the app runs under it: stores and vettings were called before, and replaced objects are
/// released afterwards, since the `deinit` of a decoded value is the app's.
extension ActiveConfig {
    /// An event, and how it is reported.
    struct UserEvent: Sendable {
        /// Nil for a switch to what is in memory, and for an arrival that changes no document.
        let event: UserDocuments.Event?
        let reason: SectionChange.Reason
        /// True when the user becomes the current one.
        var isSwitch = false
        /// The sections that readers are assumed to have seen before the first switch; nil: none.
        var initialSections: [String: ActiveConfigSection]?
        /// The end of a download, or a push.
        var arrival: Arrival?
    }

    private enum Step {
        case done(UserTransition)
        /// The event's content has to be read again.
        case stale
        /// The download was abandoned.
        case abandoned
        /// The vettings have to hear of an activation before readers can see it.
        case announce(ConfigurationActivation)
    }

    /// Applies an event to a user and to those who fall back to that user.
    ///
    /// - Returns: The transition; nil when the event was stale, or its download was abandoned.
    @discardableResult
    func apply(_ event: UserEvent, to entry: UserEntry) -> UserTransition? {
        if case .done(let transition) = perform(event, on: entry) { transition } else { nil }
    }

    /// Applies an event whose content is read from the store, which is read again when the user, or
    /// the generic user, has changed since.
    ///
    /// - Returns: The transition; nil when the download was abandoned.
    func apply(
        reason: SectionChange.Reason, arrival: Arrival? = nil, to entry: UserEntry,
        reading read: () -> UserDocuments.Event
    ) -> UserTransition? {
        while true {
            let event = UserEvent(event: read(), reason: reason, arrival: arrival)
            switch perform(event, on: entry) {
            case .done(let transition): return transition
            case .abandoned: return nil
            case .stale, .announce: continue
            }
        }
    }

    /// Calls the vettings before, and afterwards with the then active document.
    private func perform(_ event: UserEvent, on entry: UserEntry) -> Step {
        var announced: ConfigurationActivation?
        while true {
            var pass = TransitionPass()
            let step = transitions.withLock { transitions in
                commit(event, to: entry, announced, in: &transitions, &pass)
            }
            if case .announce(let activation) = step {
                vettings.willActivate(activation)
                announced = activation
                continue
            }
            if !vettings.isEmpty, announced != nil || pass.isActiveChanged { settleActivation() }
            pass.end(signals)
            if pass.isGenericChanged { askChoosersAgain() }
            return step
        }
    }

    private func commit(
        _ event: UserEvent, to entry: UserEntry, _ announced: ConfigurationActivation?,
        in transitions: inout Transitions, _ pass: inout TransitionPass
    ) -> Step {
        let (current, active) = (transitions.entry, transitions.entry.documents.active)
        let (before, old) = entry.current
        var after = before
        if let event = event.event, !after.handle(event, beside: transitions.generic(generic)) {
            return .stale
        }
        if !vettings.isEmpty,
            let activation = activation(by: event, of: entry, from: before, to: after, current),
            announced.map(activation.isSame) != true
        {
            return .announce(activation)
        }
        if let download = event.arrival?.download, !running.end(download, of: entry.userID) {
            return .abandoned
        }
        let transition = publish(
            after, of: entry, from: (before, old), event, in: &transitions, &pass)
        if entry === generic, after.active !== before.active {
            pass.isGenericChanged = true
            passOn(event, in: &transitions, &pass)
        }
        // After the sections of all users.
        if let arrival = event.arrival {
            let events = arrival.events(transition, of: entry.userID, firstDownload)
            change { deliver([], events, in: $0) }
        }
        pass.isActiveChanged =
            transitions.entry !== current || current.documents.active !== active
        return .done(transition)
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
                    UserEvent(event: nil, reason: reason), in: &transitions, &pass)
            }
        }
        pass.end(signals)
    }

    /// Hands the generic user's configuration to users who follow that user.
    private func passOn(
        _ event: UserEvent, in transitions: inout Transitions, _ pass: inout TransitionPass
    ) {
        let lent = transitions.generic(generic)
        for entry in inMemory(&pass) where entry !== generic {
            let current = entry.current
            guard current.documents.isFollower else { continue }
            var documents = current.documents
            documents.handle(.fallbackChanged, beside: lent)
            _ = publish(
                documents, of: entry, from: current,
                UserEvent(event: nil, reason: event.reason), in: &transitions, &pass)
        }
    }

    /// The users in memory.
    private func inMemory(_ pass: inout TransitionPass) -> [UserEntry] {
        let entries = users.livingEntries
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
        _ event: UserEvent, in transitions: inout Transitions, _ pass: inout TransitionPass
    ) -> UserTransition {
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
            let snapshot = users.snapshot(
                of: entry.userID, known: known, layers: layers, reason: event.reason,
                epoch: documents.epoch,
                // A user known again is reported again.
                previous: old.flatMap { $0.epoch.isSame(as: documents.epoch) ? $0 : nil })
            new = snapshot
            shared.share(snapshot.known)
        }
        let differences = pass.changes(from: old, to: new)
        let transition = UserTransition(
            new: new, changes: isCurrent ? differences.map { $0.of(entry.userID) } : differences,
            isCurrent: isCurrent)
        let seen =
            front?.sections ?? event.initialSections.map { layers.applied(to: $0) } ?? new?.sections
        let changes =
            event.isSwitch
            ? seen.flatMap { new?.changes(since: $0) } ?? [] : transition.changes
        if isCurrent, entry !== current || new !== front {
            change { [new] state in
                state.entry = entry
                state.snapshot = new
                return deliver(changes, in: state)
            }
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

    /// True when the next load would not find the user's current state.
    private func isToBeHeld(_ documents: UserDocuments) -> Bool {
        documents.isUnstored || (documents.active != nil && !options.activationPolicy.isImmediate)
    }
}
