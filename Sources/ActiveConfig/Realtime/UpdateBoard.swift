/// The states of an updater's users, and those who want to hear of them.
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

    func set(_ new: ActiveConfigUpdateState, of userID: UserID) {
        let mailboxes = state.withLock { state -> [UpdateMailbox] in
            guard state.states.updateValue(new, forKey: userID) != new else { return [] }
            return state.mailboxes.values.compactMap(\.mailbox)
        }
        for mailbox in mailboxes { mailbox.put(new, of: userID) }
    }

    /// Forgets the state of a user who is followed no more, after telling that.
    func remove(_ userID: UserID) {
        set(.stopped, of: userID)
        state.withLock { _ = $0.states.removeValue(forKey: userID) }
    }

    func tell(_ update: AppliedUpdate) {
        let mailboxes = state.withLock { $0.mailboxes.values.compactMap(\.mailbox) }
        for mailbox in mailboxes { mailbox.put(update) }
    }

    /// A mailbox with the current states, which is dropped when nobody holds it.
    func makeMailbox() -> UpdateMailbox {
        let mailbox = UpdateMailbox()
        let states = state.withLock { state in
            state.mailboxes = state.mailboxes.filter { $0.value.mailbox != nil }
            state.nextID += 1
            state.mailboxes[state.nextID] = WeakMailbox(mailbox: mailbox)
            return state.states
        }
        for (userID, state) in states { mailbox.put(state, of: userID, isInitial: true) }
        return mailbox
    }
}

/// What one listener has not read: at most a state and an update of each user.
final class UpdateMailbox: Sendable {
    private struct State {
        var states: [UserID: ActiveConfigUpdateState] = [:]
        var updates: [UserID: AppliedUpdate] = [:]
        /// Users with something to read, in order.
        var order: [UserID] = []
    }

    private let state = Locked(State())
    private let continuation: AsyncStream<Void>.Continuation
    /// Yields when there may be something to read.
    let signals: AsyncStream<Void>

    init() {
        (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func put(_ new: ActiveConfigUpdateState, of userID: UserID, isInitial: Bool = false) {
        state.withLock { state in
            if isInitial, state.states[userID] != nil { return }
            state.states[userID] = new
            if !state.order.contains(userID) { state.order.append(userID) }
        }
        continuation.yield()
    }

    func put(_ new: AppliedUpdate) {
        let userID = UserID(new.userID)
        state.withLock { state in
            let names = state.updates[userID]?.changedSectionNames ?? []
            state.updates[userID] = AppliedUpdate(
                userID: new.userID, templateVersion: new.templateVersion,
                changedSectionNames: new.changedSectionNames.union(names))
            if !state.order.contains(userID) { state.order.append(userID) }
        }
        continuation.yield()
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
