import ActiveConfig

/// The states of an updater's users, and the mailboxes that receive them.
final class UpdateBoard: Sendable {
    private struct State {
        var states: [UserID: ActiveConfigUpdateState] = [:]
        var mailboxes: [Int: WeakMailbox] = [:]
        var nextID = 0
    }

    private struct WeakMailbox {
        weak var mailbox: UpdateMailbox?
    }

    private let state = Locked(State())

    func state(of userID: UserID) -> ActiveConfigUpdateState {
        state.withLock { $0.states[userID] } ?? .stopped
    }

    /// Sets the state unless `isCurrent`, which is called under the lock, returns false.
    func set(
        _ new: ActiveConfigUpdateState, of userID: UserID, if isCurrent: () -> Bool = { true }
    ) {
        let mailboxes = state.withLock { state -> [UpdateMailbox] in
            guard isCurrent(), state.states.updateValue(new, forKey: userID) != new else {
                return []
            }
            let mailboxes = state.mailboxes.values.compactMap(\.mailbox)
            // Under the lock, so that each mailbox gets the states in order.
            for mailbox in mailboxes { mailbox.put(new, of: userID) }
            return mailboxes
        }
        for mailbox in mailboxes { mailbox.wake() }
    }

    /// Removes the state of a user who is no longer followed, after delivering it.
    func remove(_ userID: UserID) {
        set(.stopped, of: userID)
        state.withLock { _ = $0.states.removeValue(forKey: userID) }
    }

    /// Delivers what a document has changed, and what of it is pending.
    func tell(_ applied: AppliedUpdate?, _ pending: PendingUpdate?, of userID: UserID) {
        let mailboxes = state.withLock { $0.mailboxes.values.compactMap(\.mailbox) }
        for mailbox in mailboxes {
            mailbox.put(applied, pending, of: userID)
            mailbox.wake()
        }
    }

    /// A mailbox with the current states, which is dropped with its last reference.
    func makeMailbox() -> UpdateMailbox {
        let mailbox = UpdateMailbox()
        state.withLock { state in
            state.mailboxes = state.mailboxes.filter { $0.value.mailbox != nil }
            state.nextID += 1
            state.mailboxes[state.nextID] = WeakMailbox(mailbox: mailbox)
            for (userID, state) in state.states { mailbox.put(state, of: userID) }
        }
        mailbox.wake()
        return mailbox
    }
}

/// The unread elements of one listener: at most a state, an applied and a pending update per user.
final class UpdateMailbox: Sendable {
    private struct State {
        var states: [UserID: ActiveConfigUpdateState] = [:]
        var applied: [UserID: AppliedUpdate] = [:]
        var pending: [UserID: PendingUpdate] = [:]
        /// Users with unread elements, in order.
        var order = FIFOQueue<UserID>()

        func hasUnread(of userID: UserID) -> Bool {
            states[userID] != nil || applied[userID] != nil || pending[userID] != nil
        }

        /// Queues a user; call it before adding an element.
        mutating func enqueue(_ userID: UserID) {
            if !hasUnread(of: userID) { order.append(userID) }
        }

        /// The user's first unread element: the state, then what is active, then what is pending.
        mutating func next(of userID: UserID) -> ActiveConfigUpdate? {
            if let state = states.removeValue(forKey: userID) {
                return .state(state, userID: userID.string)
            }
            if let update = applied.removeValue(forKey: userID) { return .applied(update) }
            return pending.removeValue(forKey: userID).map { .pending($0) }
        }
    }

    private let state = Locked(State())
    private let continuation: AsyncStream<Void>.Continuation
    /// Yields when there may be an unread element.
    let signals: AsyncStream<Void>

    init() {
        (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds a state; call `wake()` afterwards, without holding a lock.
    func put(_ new: ActiveConfigUpdateState, of userID: UserID) {
        state.withLock { state in
            state.enqueue(userID)
            state.states[userID] = new
        }
    }

    func wake() { continuation.yield() }

    /// Adds what a document has changed, and replaces the unread pending update by that of the
    /// document; call `wake()` afterwards, without holding a lock.
    func put(_ new: AppliedUpdate?, _ pending: PendingUpdate?, of userID: UserID) {
        state.withLock { state in
            state.enqueue(userID)
            state.pending[userID] = pending
            guard let new else { return }
            let names = state.applied[userID]?.changedSectionNames ?? []
            state.applied[userID] = AppliedUpdate(
                userID: new.userID, templateVersion: new.templateVersion,
                changedSectionNames: new.changedSectionNames.union(names))
        }
    }

    func take() -> ActiveConfigUpdate? {
        state.withLock { state in
            guard let userID = state.order.first else { return nil }
            let next = state.next(of: userID)
            if !state.hasUnread(of: userID) { _ = state.order.popFirst() }
            return next
        }
    }
}
