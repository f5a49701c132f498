import Foundation
import TemplateStore
import Templates

extension TemplateStoreConformance {
    static var feedChecks: [Check] {
        [
            Check("changesComeInOrder", Self.changesComeInOrder),
            Check("changesFollowAnyRevision", Self.changesFollowAnyRevision),
            Check("noChangeIsMissedOrGivenTwice", Self.noChangeIsMissedOrGivenTwice),
            Check("changesOfAnotherHandleAreHeard", Self.changesOfAnotherHandleAreHeard),
            Check("aRevisionOfTheFutureIsLost", Self.aRevisionOfTheFutureIsLost),
            Check("cancellationEndsChanges", Self.cancellationEndsChanges),
            Check("closingEndsChanges", Self.closingEndsChanges),
        ]
    }

    /// Each kind of change arrives in order, before and after a reader starts listening.
    public func changesComeInOrder() async throws {
        try await onNewStore { trial in
            let project = StoreTrial.project
            let changes = trial.store.changes(since: .zero)
            let template = try await trial.publish()
            try await trial.pin("{}", forUserID: "a\0é")
            try await trial.pin(nil, forUserID: "a\0é")
            try await trial.store.addToken(StoreTrial.token("t"), actor: "root")
            _ = try await trial.store.revokeToken(
                id: "id of t", actor: "root", date: StoreTrial.date)
            try await trial.publish()
            let expected: [StoreChange.Subject] = [
                .template(project: project, version: 1),
                .overrides(project: project, userID: "a\0é"),
                .overrides(project: project, userID: "a\0é"), .tokens, .tokens,
                .template(project: project, version: 2),
            ]
            let found = try await trial.next(6, of: changes)
            try trial.expect(found.map(\.subject), is: expected, "Changes come in order.")
            try trial.expect(
                zip(found, found.dropFirst()).allSatisfy { $0.revision < $1.revision },
                "The revisions of changes increase.", found: "\(found.map(\.revision))")
            try trial.expect(
                found.first?.revision, is: template.revision,
                "A publish and its change have one revision.")
            try trial.expect(
                found.last?.revision, is: try await trial.revision(),
                "A snapshot has the revision of the last change.")
        }
    }

    /// A reader can start after any revision, and receives the later changes.
    public func changesFollowAnyRevision() async throws {
        try await onNewStore { trial in
            for _ in 0..<10 { try await trial.publish() }
            let all = try await trial.next(10, of: trial.store.changes(since: .zero))
            for index in all.indices {
                let changes = trial.store.changes(since: all[index].revision)
                let template = try await trial.publish()
                // The existing later changes, plus one for each iteration of this loop.
                let found = try await trial.next(all.count, of: changes)
                try trial.expect(
                    Array(found.prefix(all.count - 1 - index)), is: Array(all.dropFirst(index + 1)),
                    "A reader receives the changes after its revision.")
                try trial.expect(
                    found.last?.revision, is: template.revision,
                    "New changes follow the existing ones.")
            }
        }
    }

    /// While many tasks write, each reader receives each change once and in order.
    public func noChangeIsMissedOrGivenTwice() async throws {
        try await onNewStore { trial in
            let other = try await trial.reopen()
            try await trial.publish()
            let start = try await trial.revision()
            let stores = [trial.store, other]
            let writers = 4
            let turns = 25
            let count = writers * turns * 2
            let found = try await withThrowingTaskGroup(of: [StoreChange].self) { group in
                for follower in 0..<3 {
                    group.addTask {
                        try await trial.next(
                            count, of: stores[follower % 2].changes(since: start))
                    }
                }
                for writer in 0..<writers {
                    group.addTask {
                        for turn in 0..<turns {
                            let store = stores[(writer + turn) % 2]
                            _ = try await store.publish(StoreTrial.submission())
                            try await store.setOverrides(
                                OverridesChange(
                                    project: StoreTrial.project, userID: "\(writer) \(turn)",
                                    content: Data("{}".utf8), date: StoreTrial.date, actor: "a"))
                        }
                        return []
                    }
                }
                return try await group.reduce(into: [[StoreChange]]()) {
                    if !$1.isEmpty { $0.append($1) }
                }
            }
            let rule = "Each reader receives each change once and in order."
            try trial.expect(found.count, is: 3, rule)
            for changes in found {
                try trial.expect(changes == found[0], rule, found: "readers that differ.")
                try trial.expect(
                    zip(changes, changes.dropFirst()).allSatisfy { $0.revision < $1.revision },
                    rule, found: "\(changes.map(\.revision))")
                let versions = changes.compactMap { change in
                    if case .template(_, let version) = change.subject { version } else { nil }
                }
                try trial.expect(versions, is: Array(2...(writers * turns + 1)), rule)
                let users = Set(
                    changes.compactMap { change in
                        if case .overrides(_, let user) = change.subject { user } else { nil }
                    })
                try trial.expect(users.count, is: writers * turns, rule)
            }
        }
    }

    /// A change through one handle reaches a reader that waits on another handle.
    public func changesOfAnotherHandleAreHeard() async throws {
        try await onNewStore { trial in
            let other = try await trial.reopen()
            for (writer, listener) in [(trial.store, other), (other, trial.store)] {
                let start = try await listener.snapshot().revision
                let (heard, hear) = AsyncStream.makeStream(of: Void.self)
                let (template, found) = try await trial.inTime(
                    "A reader gets all changes."
                ) {
                    async let found: StoreChange? = {
                        hear.yield()
                        for try await change in listener.changes(since: start) { return change }
                        return nil
                    }()
                    for await _ in heard { break }
                    let template = try await writer.publish(StoreTrial.submission())
                    return (template, try await found)
                }
                try trial.expect(
                    found?.revision, is: template.revision, "A reader gets all changes.")
            }
        }
    }

    /// A revision that the store has not reached belongs to another store.
    public func aRevisionOfTheFutureIsLost() async throws {
        try await onNewStore { trial in
            let rule = "A revision that the store does not have is lost."
            for publishes in 0...1 {
                for _ in 0..<publishes { try await trial.publish() }
                let future = StoreRevision(try await trial.revision().number + 1_000)
                do {
                    let found = try await trial.next(1, of: trial.store.changes(since: future))
                    try trial.expect(false, rule, found: "\(found)")
                } catch let error as TemplateStoreError {
                    try trial.expect(error.code, is: .watchLost, rule)
                }
            }
        }
    }

    /// Cancelling the task ends the sequence without an error.
    public func cancellationEndsChanges() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let changes = trial.store.changes(since: .zero)
            let (heard, hear) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                var count = 0
                for try await _ in changes {
                    count += 1
                    hear.yield()
                }
                return count
            }
            for await _ in heard { break }
            task.cancel()
            let count = try await trial.inTime("Cancellation ends changes.") {
                try await task.value
            }
            try trial.expect(count, is: 1, "Cancellation ends changes.")
            try await trial.publish()
            let others = try await trial.next(2, of: trial.store.changes(since: .zero))
            try trial.expect(others.count, is: 2, "The end of one sequence does not end others.")
        }
    }

    /// Closing the store ends its sequences without an error.
    public func closingEndsChanges() async throws {
        try await onNewStore { trial in
            try await trial.publish()
            let changes = trial.store.changes(since: .zero)
            let (heard, hear) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                var count = 0
                for try await _ in changes {
                    count += 1
                    hear.yield()
                }
                return count
            }
            for await _ in heard { break }
            await trial.store.close()
            let count = try await trial.inTime("Closing ends changes.") { try await task.value }
            try trial.expect(count, is: 1, "Closing ends changes.")
        }
    }
}
