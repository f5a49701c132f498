import Foundation
import TemplateStore
import Templates

extension TemplateStoreConformance {
    static var snapshotChecks: [Check] {
        [
            Check("aSnapshotHasAllThatIsCurrent", Self.aSnapshotHasAllThatIsCurrent),
            Check("aSnapshotFitsItsRevision", Self.aSnapshotFitsItsRevision),
        ]
    }

    /// A snapshot has the current template of each project, and all pinned values.
    public func aSnapshotHasAllThatIsCurrent() async throws {
        try await onNewStore { trial in
            let empty = try await trial.store.snapshot()
            try trial.expect(
                empty, is: TemplateStoreSnapshot(templates: [], overrides: [:], revision: .zero),
                "The snapshot of a new store is empty and at revision 0.")
            try await trial.publish("old", inProject: "a")
            let first = try await trial.publish("new", inProject: "a")
            let second = try await trial.publish("only", inProject: "b")
            try await trial.pin("{}", forUserID: "1", inProject: "b")
            let snapshot = try await trial.reopen().snapshot()
            try trial.expect(
                Set(snapshot.templates), is: [first, second],
                "A snapshot has the current template of each project.")
            try trial.expect(
                snapshot.templates.count, is: 2, "A snapshot has one template of a project.")
            try trial.expect(
                snapshot.overrides, is: ["b": [Data("1".utf8): Data("{}".utf8)]],
                "A snapshot has the pinned values of the projects that have any.")
            try trial.expect(
                snapshot.revision > second.revision,
                "A snapshot has the revision of the last change.",
                found: "\(snapshot.revision) after \(second.revision).")
        }
    }

    /// A snapshot and the changes after its revision contain all changes, each once.
    public func aSnapshotFitsItsRevision() async throws {
        try await onNewStore { trial in
            try await trial.publish("0")
            try await trial.pin("0", forUserID: "1")
            let turns = 60
            let store = trial.store
            let reader = try await trial.reopen()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for turn in 1...turns {
                        try await trial.pin("\(turn)", forUserID: "1")
                        _ = try await store.publish(StoreTrial.submission("\(turn)"))
                    }
                }
                group.addTask {
                    for _ in 0..<30 {
                        try await Self.checkSnapshot(of: reader, in: trial, turns: turns)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Checks a snapshot against the changes that follow it.
    private static func checkSnapshot(
        of store: any TemplateStore, in trial: StoreTrial, turns: Int
    ) async throws {
        let rule = "A snapshot has the content of its revision."
        let snapshot = try await store.snapshot()
        let pinned = snapshot.overrides[StoreTrial.project]?[Data("1".utf8)]
        let pins = StoreTrial.text(pinned).flatMap { Int($0) } ?? -1
        let publishes = (snapshot.templates.first?.version.number ?? 0) - 1
        try trial.expect(
            pins == publishes || pins == publishes + 1, rule,
            found: "\(pins) pins and \(publishes) publishes.")
        let left = 2 * turns - pins - publishes
        if left == 0 { return }
        let changes = try await trial.next(
            min(left, 3), of: store.changes(since: snapshot.revision))
        let next: StoreChange.Subject =
            pins == publishes
            ? .overrides(project: StoreTrial.project, userID: "1")
            : .template(project: StoreTrial.project, version: publishes + 2)
        try trial.expect(
            changes.first?.subject, is: next,
            "The first change after a snapshot is the first that it lacks.")
    }
}
