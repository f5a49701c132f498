import ActiveConfig

/// Runs the connections of an updater: one per followed user, and none while the app is in the
/// background or the device is offline.
final class UpdateSupervisor: Sendable {
    private struct Wanted: Equatable {
        var isActive = true
        var hasNetwork = true
        /// Counts the reasons to reconnect, and the longest random wait before it.
        var restarts = 0
        var spread = Duration.zero
        /// Counts changes of the connections' requests.
        var sourceChanges = 0

        var isConnecting: Bool { isActive && hasNetwork }

        /// The wanted state; the next connections consume the wait.
        mutating func taken() -> Wanted {
            defer { if isConnecting { spread = .zero } }
            return self
        }
    }

    private struct Running {
        let updates: UserUpdates
        var task: Task<Void, Never>?
    }

    /// The random wait of clients that a network or a clock may have synchronized.
    private static let returnSpread = Duration.seconds(2)
    /// Few users connect at once, many one after the other.
    private static let spreadPerUser = Duration.milliseconds(5)

    private let updater: ActiveConfigUpdater
    private let wanted = Locked(Wanted())
    /// Running tasks, including those of users who are no longer followed.
    private let tasks = Locked((all: [Int: Task<Void, Never>](), lastNumber: 0))

    init(_ updater: ActiveConfigUpdater) { self.updater = updater }

    func run() async {
        let (changes, change) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let currentUser = updater.config.makeSignals()
        let users = updater.userChanges.makeStream()
        let sourceChanges = updater.source.changes()
        change.yield()
        let activity = updater.activity.events()
        await withTaskGroup { group in
            group.addTask { for await _ in currentUser { change.yield() } }
            group.addTask { for await _ in users { change.yield() } }
            group.addTask { [self] in
                for await event in activity {
                    note(event)
                    change.yield()
                }
            }
            group.addTask { [self] in
                for await _ in sourceChanges {
                    wanted.withLock { $0.sourceChanges += 1 }
                    change.yield()
                }
            }
            group.addTask { await self.follow(changes) }
        }
        let left = tasks.withLock { Array($0.all.values) }
        for task in left { task.cancel() }
        for task in left { await task.value }
    }

    private func start(_ updates: UserUpdates, within spread: Duration) -> Task<Void, Never> {
        tasks.withLock { tasks in
            tasks.lastNumber += 1
            let number = tasks.lastNumber
            // Under the lock, so that it does not end before it is recorded.
            let task = Task {
                await updates.run(within: spread)
                _ = self.tasks.withLock { $0.all.removeValue(forKey: number) }
            }
            tasks.all[number] = task
            return task
        }
    }

    private func note(_ event: AppActivity.Event) {
        wanted.withLock { wanted in
            switch event {
            case .active:
                wanted.isActive = true
                wanted.spread = max(wanted.spread, .milliseconds(300))
            case .inactive: wanted.isActive = false
            case .networkLost: wanted.hasNetwork = false
            case .networkReturned:
                // Open connections belong to the previous network.
                wanted.hasNetwork = true
                wanted.restarts += 1
                wanted.spread = Self.returnSpread
            case .woke:
                wanted.restarts += 1
                wanted.spread = Self.returnSpread
            }
        }
    }

    private func follow(_ changes: AsyncStream<Void>) async {
        var running: [UserID: Running] = [:]
        var last: (wanted: Wanted, users: Set<UserID>)?
        for await _ in changes {
            let wanted = wanted.withLock { $0.taken() }
            let users = updater.users.userIDs ?? [UserID(updater.config.currentUserID)]
            // Each change of the configuration arrives here.
            if let last, last.wanted == wanted, last.users == users { continue }
            let (restarts, sourceChanges) = (last?.wanted.restarts, last?.wanted.sourceChanges)
            for userID in running.keys where !users.contains(userID) {
                running.removeValue(forKey: userID)?.task?.cancel()
                updater.board.remove(userID)
            }
            let isConnecting = wanted.isConnecting
            let isRestart = restarts.map { $0 != wanted.restarts } ?? false
            let newCount =
                isRestart ? users.count : users.count { running[$0]?.task == nil }
            for userID in users {
                var one =
                    running[userID]
                    ?? Running(updates: UserUpdates(updater, userID: userID), task: nil)
                if !isConnecting || isRestart {
                    one.task?.cancel()
                    one.task = nil
                }
                if !isConnecting {
                    updater.board.set(
                        wanted.isActive ? .waiting(until: nil, reason: .offline) : .paused,
                        of: userID)
                } else if one.task != nil {
                    if wanted.sourceChanges != sourceChanges { one.updates.connectAnew() }
                } else {
                    let spread = max(wanted.spread, Self.spreadPerUser * (newCount - 1))
                    one.task = start(one.updates, within: spread)
                }
                running[userID] = one
            }
            last = (wanted, users)
            if isConnecting { last?.wanted.spread = .zero }
        }
        for (userID, one) in running {
            one.task?.cancel()
            updater.board.remove(userID)
        }
    }
}
