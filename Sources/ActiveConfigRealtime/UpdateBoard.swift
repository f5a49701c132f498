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

    func tell(_ update: AppliedUpdate) {
        let mailboxes = state.withLock { $0.mailboxes.values.compactMap(\.mailbox) }
        for mailbox in mailboxes {
            mailbox.put(update)
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

/// The unread elements of one listener: at most a state and an update per user.
final class UpdateMailbox: Sendable {
    private struct State {
        var states: [UserID: ActiveConfigUpdateState] = [:]
        var updates: [UserID: AppliedUpdate] = [:]
        /// Users with unread elements, in order.
        var order: [UserID] = []

        /// Queues a user; call it before adding an element.
        mutating func enqueue(_ userID: UserID) {
            if states[userID] == nil, updates[userID] == nil { order.append(userID) }
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

    /// Adds an update; call `wake()` afterwards, without holding a lock.
    func put(_ new: AppliedUpdate) {
        let userID = UserID(new.userID)
        state.withLock { state in
            state.enqueue(userID)
            let names = state.updates[userID]?.changedSectionNames ?? []
            state.updates[userID] = AppliedUpdate(
                userID: new.userID, templateVersion: new.templateVersion,
                changedSectionNames: new.changedSectionNames.union(names))
        }
    }

    func take() -> ActiveConfigUpdate? {
        state.withLock { state in
            guard let userID = state.order.first else { return nil }
            let news = state.states.removeValue(forKey: userID)
            if let news {
                if state.updates[userID] == nil { state.order.removeFirst() }
                return .state(news, userID: userID.string)
            }
            state.order.removeFirst()
            return state.updates.removeValue(forKey: userID).map { .applied($0) }
        }
    }
}
