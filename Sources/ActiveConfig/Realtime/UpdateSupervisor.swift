/// Runs the connections of an updater: those of the users that are to be followed now, and none while
/// the app is in the background or the device offline.
final class UpdateSupervisor: Sendable {
    private struct Wanted {
        var isActive = true
        var hasNetwork = true
        /// Counts the reasons to connect anew, and the longest random wait before it.
        var restarts = 0
        var spread = Duration.zero
    }

    private struct Running {
        let updates: UserUpdates
        var task: Task<Void, Never>?
    }

    /// The random wait of clients that a network or a clock may have synchronized.
    private static let returnSpread = Duration.seconds(2)
    /// A few users connect at once, many one after the other.
    private static let spreadPerUser = Duration.milliseconds(5)

    private let updater: ActiveConfigUpdater
    private let wanted = Locked(Wanted())

    init(_ updater: ActiveConfigUpdater) { self.updater = updater }

    func run() async {
        let (changes, change) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let users = updater.config.makeUserSignals()
        let activity = updater.activity.events()
        await withTaskGroup { group in
            group.addTask { for await _ in users { change.yield() } }
            group.addTask { [self] in
                for await event in activity {
                    note(event)
                    change.yield()
                }
            }
            group.addTask { await self.follow(changes) }
        }
    }

    private func note(_ event: ActiveConfigActivity.Event) {
        wanted.withLock { wanted in
            switch event {
            case .active: (wanted.isActive, wanted.spread) = (true, .milliseconds(300))
            case .inactive: wanted.isActive = false
            case .networkLost: wanted.hasNetwork = false
            case .networkReturned:
                // What was open is on the former network.
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
        var restarts = 0
        for await _ in changes {
            let wanted = wanted.withLock { $0 }
            let users = updater.users.userIDs ?? [UserID(updater.config.currentUserID)]
            for userID in running.keys where !users.contains(userID) {
                running.removeValue(forKey: userID)?.task?.cancel()
                updater.board.remove(userID)
            }
            let isConnecting = wanted.isActive && wanted.hasNetwork
            for userID in users {
                var one =
                    running[userID]
                    ?? Running(updates: UserUpdates(updater, userID: userID), task: nil)
                if !isConnecting || wanted.restarts != restarts {
                    one.task?.cancel()
                    one.task = nil
                }
                if !isConnecting {
                    updater.board.set(
                        wanted.isActive ? .waiting(until: nil, reason: .offline) : .paused,
                        of: userID)
                } else if one.task == nil {
                    let spread = max(wanted.spread, Self.spreadPerUser * (users.count - 1))
                    one.task = Task { [updates = one.updates] in
                        await updates.run(within: spread)
                    }
                }
                running[userID] = one
            }
            restarts = wanted.restarts
            if isConnecting { self.wanted.withLock { $0.spread = .zero } }
        }
        for (userID, one) in running {
            one.task?.cancel()
            updater.board.remove(userID)
        }
        for one in running.values { await one.task?.value }
    }
}
