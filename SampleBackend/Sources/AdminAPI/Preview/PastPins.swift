import Foundation
import JSONTree
import TemplateStore
import Templates

/// The pinned values of users at an earlier time, from the current ones and the audit trail.
///
/// Reads the trail backwards and reverts each change after the time. What the trail does not hold
/// is unknown, never guessed.
struct PastPins: Sendable {
    enum Outcome: Sendable, Hashable {
        case known(PinnedValues)
        /// With the reason, a sentence.
        case unknown(String)
    }

    /// The actions whose entries are needed: publishes show how far back the trail has been read.
    static let actions = AuditEntry.Action.ofVersions.union([
        .setOverrides, .removeOverrides, .createProject, .deleteProject,
    ])

    let time: Date

    /// The values of users whose entries back to the time have not all been read.
    private var open: [ExactText: PinnedValues]

    private(set) var outcomes: [ExactText: Outcome] = [:]

    /// Users whose values differ from those that an entry left: they changed between two reads, or
    /// the trail lacks a change.
    private(set) var contradicted: Set<ExactText> = []

    /// Starts with the current values as JSON text; nil for users without any.
    init(at time: Date, current: [ExactText: Data?]) {
        self.time = time
        open = [:]
        for (user, content) in current {
            open[user] = PinnedValues(jsonData: content)
            if open[user] == nil { outcomes[user] = .unknown("They are not JSON.") }
        }
    }

    var isComplete: Bool { open.isEmpty }

    /// Takes the next older entry of the project.
    mutating func take(_ entry: AuditEntry) {
        switch entry.action {
        case .createProject, .deleteProject: reachStart()
        case .setOverrides, .removeOverrides: revert(entry)
        default: break
        }
        // No earlier entry is of a later time.
        if entry.date < time - AuditSearch.clockTolerance {
            for (user, values) in open { outcomes[user] = .known(values) }
            open = [:]
        }
    }

    private mutating func revert(_ entry: AuditEntry) {
        let user = ExactText(entry.subject)
        guard let values = open[user] else { return }
        guard entry.date > time else {
            open[user] = nil
            outcomes[user] = .known(values)
            return
        }
        do throws(PinnedValues.RevertError) {
            if entry.action == .removeOverrides, !values.isEmpty { throw .contradiction }
            open[user] = try values.reverting(entry.detail)
        } catch {
            open[user] = nil
            if error == .contradiction { contradicted.insert(user) }
            outcomes[user] = .unknown(
                error == .contradiction
                    ? "The audit trail contradicts the current values."
                    : "The audit entry of \(entry.date.timestamp) does not have the whole values "
                        + "that were replaced.")
        }
    }

    /// Ends the reading at the creation of the project, or at the start of the trail.
    mutating func reachStart() {
        for (user, values) in open {
            outcomes[user] =
                values.isEmpty
                ? .known(values) : .unknown("The audit trail does not have their beginning.")
        }
        open = [:]
    }

    /// Ends the reading before it has reached the time.
    mutating func stop(after count: Int) {
        for user in open.keys {
            outcomes[user] = .unknown(
                "The audit trail has more than \(count) later entries, the most that are read.")
        }
        open = [:]
    }
}

extension Administration {
    /// Number of times that values are read again that change while the trail is read.
    private static let attempts = 3

    /// The pinned values of users at an earlier time.
    func pins(
        ofUsers users: Set<ExactText>, at time: Date, inProject project: String
    ) async throws -> [ExactText: PastPins.Outcome] {
        var outcomes: [ExactText: PastPins.Outcome] = [:]
        var users = users
        for _ in 0..<Self.attempts where !users.isEmpty {
            var current: [ExactText: Data?] = [:]
            for user in users {
                try Task.checkCancellation()
                let content = try await callStore("overrides", project: project) {
                    () throws(TemplateStoreError) in
                    try await store.overrides(forUserID: user.text, inProject: project)
                }
                current.updateValue(content, forKey: user)
            }
            var pins = PastPins(at: time, current: current)
            try await readTrail(ofProject: project, into: &pins)
            outcomes.merge(pins.outcomes) { _, new in new }
            users = pins.contradicted
        }
        return outcomes
    }

    private func readTrail(ofProject project: String, into pins: inout PastPins) async throws {
        var searched = 0
        var before: StoreRevision?
        while !pins.isComplete {
            try Task.checkCancellation()
            let remaining = AuditRoutes.maximumSearched - searched
            guard remaining > 0 else {
                pins.stop(after: AuditRoutes.maximumSearched)
                return
            }
            let query = AuditQuery(
                limit: min(remaining, TemplateStoreLimits.auditPage), before: before,
                actions: PastPins.actions)
            let page = try await callStore("audit", project: project) {
                () throws(TemplateStoreError) in
                try await store.auditPage(
                    inProject: project, matching: query, searching: remaining)
            }
            for entry in page.entries { pins.take(entry) }
            searched += page.searchedCount
            guard let next = page.next else {
                pins.reachStart()
                return
            }
            before = next
        }
    }
}
