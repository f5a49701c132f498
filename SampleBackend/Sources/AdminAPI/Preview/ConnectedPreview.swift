import ClientAPI
import Foundation
import JSONTree
import Rendering
import Targeting

/// Counts the connected clients for which a template would change something (HTTP 3).
struct ConnectedPreview: Sendable {
    /// Maximum number of users in the response.
    private static let maximumUsers = 100

    /// Number of clients that are evaluated between two checks of the deadline.
    private static let listenersAtATime = 256

    /// Maximum number of results that are cached for clients with an equal basis.
    private static let maximumResults = 1_024

    /// Number of connected clients.
    private let count: Int

    /// Number of evaluated clients; less than ``count`` when the deadline passed.
    private var evaluatedCount = 0

    /// Number of evaluated clients whose document changes.
    private var changedCount = 0

    /// Users whose document changes, each once; nil is the generic user.
    private var users: [String?] = []

    /// Evaluates the listeners at `date` until all are done or `duration` is over.
    init(
        of listeners: [StreamListener], from current: PublishedProject,
        to proposed: PublishedProject, date: Date, atMost duration: Duration
    ) async {
        count = listeners.count
        let end = ContinuousClock.now + duration
        var results: [[DocumentBasis]: Bool] = [:]
        var known: Set<ExactText?> = []
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
                known.insert(listener.userID.map { ExactText($0) }).inserted
            {
                users.append(listener.userID)
            }
        }
    }

    /// The response: `{"connections": 214, "evaluated": 214, "changed": 12, "isComplete": true,
    /// "users": ["2", "17"]}`.
    var json: JSONNode {
        [
            "connections": .number("\(count)"), "evaluated": .number("\(evaluatedCount)"),
            "changed": .number("\(changedCount)"), "isComplete": .bool(evaluatedCount == count),
            "users": .array(users.map { $0.map { .string($0) } ?? .null }),
        ]
    }
}
