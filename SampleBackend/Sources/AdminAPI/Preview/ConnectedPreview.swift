import ClientAPI
import Foundation
import JSONTree
import Rendering
import Targeting

/// A type that says for how many of those who listen now a template would change something (HTTP 3).
struct ConnectedPreview: Sendable {
    /// The most users that are named.
    private static let maximumUsers = 100

    /// How many clients are looked at between two looks at the clock.
    private static let listenersAtATime = 256

    /// The most results that are kept for further users with the same basis.
    private static let maximumResults = 1_024

    /// How many clients listen.
    private let count: Int

    /// How many were looked at; fewer than ``count`` when the time was over.
    private var evaluatedCount = 0

    /// How many of them get another document.
    private var changedCount = 0

    /// The users of whom that is so, each once.
    private var users: [String?] = []

    /// Looks at those who listen, for a bounded time.
    ///
    /// - Parameters:
    ///   - listeners: Who listens.
    ///   - current: The project as it is.
    ///   - proposed: The project as it would be.
    ///   - date: The time of the preview.
    ///   - duration: The longest time to spend.
    init(
        of listeners: [StreamListener], from current: ProjectConfiguration,
        to proposed: ProjectConfiguration, date: Date, atMost duration: Duration
    ) async {
        count = listeners.count
        let end = ContinuousClock.now + duration
        var results: [[DocumentBasis]: Bool] = [:]
        var known: Set<UserKey?> = []
        for listener in listeners {
            if evaluatedCount.isMultiple(of: Self.listenersAtATime) {
                if ContinuousClock.now > end { break }
                await Task.yield()
            }
            evaluatedCount += 1
            let context = TargetingContext(
                userID: listener.userID, signals: listener.signals, date: date)
            let bases = [current.basis(for: context), proposed.basis(for: context)]
            let isChanged: Bool
            if let result = results[bases] {
                isChanged = result
            } else {
                isChanged = !DocumentChange(
                    from: current.compiled, bases[0], to: proposed.compiled, bases[1]
                ).isEmpty
                if results.count < Self.maximumResults { results[bases] = isChanged }
            }
            guard isChanged else { continue }
            changedCount += 1
            if users.count < Self.maximumUsers,
                known.insert(listener.userID.map(UserKey.init)).inserted
            {
                users.append(listener.userID)
            }
        }
    }

    /// The answer: `{"connections": 214, "evaluated": 214, "changed": 12, "isComplete": true,
    /// "users": ["2", "17"]}`.
    var json: JSONNode {
        [
            "connections": .number("\(count)"), "evaluated": .number("\(evaluatedCount)"),
            "changed": .number("\(changedCount)"), "isComplete": .bool(evaluatedCount == count),
            "users": .array(users.map { $0.map { .string($0) } ?? .null }),
        ]
    }
}
