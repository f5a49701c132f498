import ClientAPI
import Foundation
import JSONTree
import Rendering
import Targeting

/// Counts the connected clients whose settings a template would change (API 3).
struct ConnectedPreview: Sendable {
    /// Maximum number of users in the response.
    private static let maximumUsers = 100

    /// Number of clients to evaluate between checks of the deadline.
    private static let listenersAtATime = 256

    /// Number of connected clients.
    private let count: Int

    /// Number of evaluated clients; less than ``count`` when the deadline passed.
    private var evaluatedCount = 0

    /// Number of evaluated clients whose settings change.
    private var changedCount = 0

    /// Users whose settings change, without duplicates; nil stands for the generic user.
    private var users: [String?] = []

    /// Evaluates the listeners at `date` until all are done or `duration` is over.
    ///
    /// `minimum` is a lower bound for the number of all connected clients.
    ///
    /// - Throws: `CancellationError`.
    init(
        of listeners: [StreamListener], amongAtLeast minimum: Int = 0,
        comparing documents: inout DocumentComparison, date: Date, atMost duration: Duration
    ) async throws {
        count = max(listeners.count, minimum)
        let end = ContinuousClock.now + duration
        var known: Set<ExactText?> = []
        for listener in listeners {
            if evaluatedCount.isMultiple(of: Self.listenersAtATime) {
                if ContinuousClock.now > end { break }
                await Task.yield()
                try Task.checkCancellation()
            }
            evaluatedCount += 1
            let context = TargetingContext(
                userID: listener.userID, signals: listener.signals, date: date)
            guard documents.isChanged(for: context, basis: documents.proposed.basis(for: context))
            else { continue }
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

/// Compares the settings in the documents of two templates, once per pair of bases.
struct DocumentComparison {
    /// Maximum number of cached results.
    private static let maximumResults = 1_024

    let current: PublishedProject
    let proposed: PublishedProject
    private var results: [[DocumentBasis]: Bool] = [:]

    init(from current: PublishedProject, to proposed: PublishedProject) {
        self.current = current
        self.proposed = proposed
    }

    /// True when settings of a user differ; `basis` is the user's basis in the proposed template.
    ///
    /// A new experiment alone adds its result to every document, which changes nobody's settings.
    mutating func isChanged(for context: TargetingContext, basis: DocumentBasis) -> Bool {
        let bases = [current.basis(for: context), basis]
        if let result = results[bases] { return result }
        let change = DocumentChange(
            from: current.compiled, bases[0], to: proposed.compiled, bases[1])
        let isChanged = !change.sectionNames.isEmpty
        if results.count < Self.maximumResults { results[bases] = isChanged }
        return isChanged
    }
}
