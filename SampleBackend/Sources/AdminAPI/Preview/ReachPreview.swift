import ClientAPI
import Foundation
import JSONTree
import Rendering
import Targeting
import Templates

/// Counts the connected and the sampled users whom a template reaches (API 3).
struct ReachPreview: Sendable {
    /// Number of users to evaluate between checks of the deadline.
    private static let usersAtATime = 64

    private var reach: TemplateReach

    /// Number of users in the sample.
    private let sampleCount: Int

    /// Number of evaluated users in the sample.
    private var evaluatedCount = 0

    /// Number of evaluated users in the sample whose settings change.
    private var changedCount = 0

    /// Number of users to count: the connected clients, and the sampled users who are not
    /// connected.
    private let expectedCount: Int

    /// Evaluates the sample and the listeners at `date` until all are done or `duration` is over.
    ///
    /// A sampled user who is connected counts once, with the signals of the connection.
    ///
    /// - Parameters:
    ///   - sample: The sample; nil when sampling is disabled.
    ///   - project: The name of the project.
    ///   - listeners: The connected clients.
    ///   - proposed: The project with the template.
    ///   - documents: Compares the documents; nil before the first publish.
    ///   - date: The evaluation time.
    ///   - duration: The time limit.
    /// - Throws: `CancellationError`.
    init(
        of sample: SignalSample?, inProject project: String, _ listeners: [StreamListener],
        to proposed: PublishedProject, comparing documents: inout DocumentComparison?, date: Date,
        atMost duration: Duration
    ) async throws {
        let entries = sample?.entries(inProject: project) ?? []
        let listening = Set(
            listeners.compactMap { sample?.hash(ofUserID: $0.userID, signals: $0.signals) })
        sampleCount = entries.count
        expectedCount =
            listeners.count + entries.count { !listening.contains($0.userHash) }
        reach = TemplateReach(from: documents?.current.compiled.template, to: proposed.compiled)
        let end = ContinuousClock.now + duration
        for (index, entry) in entries.enumerated() {
            if index.isMultiple(of: Self.usersAtATime) {
                if ContinuousClock.now > end { return }
                await Task.yield()
                try Task.checkCancellation()
            }
            let context = TargetingContext(
                userID: entry.surrogate, signals: entry.signals, date: date)
            let basis = proposed.basis(for: context)
            if !listening.contains(entry.userHash) { reach.count(basis.results) }
            evaluatedCount += 1
            if documents?.isChanged(for: context, basis: basis) == true { changedCount += 1 }
        }
        for (index, listener) in listeners.enumerated() {
            if index.isMultiple(of: Self.usersAtATime) {
                if ContinuousClock.now > end { return }
                await Task.yield()
                try Task.checkCancellation()
            }
            let context = TargetingContext(
                userID: listener.userID, signals: listener.signals, date: date)
            reach.count(proposed.compiled.conditions.evaluate(context))
        }
    }

    /// The conditions that changed, and those with a changed value.
    var conditions: Set<ExactText> { reach.conditions }

    /// `{"users": 814, "isComplete": true, "values": [{"section": "Home", "key": "title",
    /// "condition": "beta", "matching": 80, "reached": 0, "takenBy": {"all": 80}}]}`.
    var json: JSONNode {
        [
            "users": .number("\(reach.count)"),
            "isComplete": .bool(reach.count == expectedCount && !reach.isCut),
            "values": .array(reach.values.map(\.json)),
        ]
    }

    /// `{"sampled": 800, "evaluated": 800, "changed": 64}`.
    var estimateJSON: JSONNode {
        [
            "sampled": .number("\(sampleCount)"), "evaluated": .number("\(evaluatedCount)"),
            "changed": .number("\(changedCount)"),
        ]
    }
}

extension TemplateReach.Value {
    fileprivate var json: JSONNode {
        var node: JSONNode = ["section": .string(section), "key": .string(key)]
        node.setMember("condition", condition.map { .string($0) })
        node.setMember("matching", .number("\(matching)"))
        node.setMember("reached", .number("\(reached)"))
        if !takenBy.isEmpty {
            var taken = JSONNode.emptyObject
            for (name, count) in takenBy.sorted(by: { $0.key.precedes($1.key) }) {
                taken.setMember(name.text, .number("\(count)"))
            }
            node.setMember("takenBy", taken)
        }
        node.setMember("shadow", shadow.map { .string($0) })
        return node
    }
}
