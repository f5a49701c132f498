import Foundation
import Testing

@testable import ActiveConfig

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UserEntryTests {
    private static func snapshot(_ number: Int) -> SnapshotContents {
        SnapshotContents(
            userID: UserID("1"),
            known: .downloaded(
                ConfigurationState(
                    meta: [:],
                    sections: ["Home": ActiveConfigSection(settings: ["n": .integer(number)])])),
            layers: ConfigurationLayers(), reason: .downloaded, epoch: UserEpoch())
    }

    /// One thread activates increasing numbers; another one registers a listener in each round,
    /// which must receive the active number and then the next one.
    @Test func aListenerThatRegistersDuringAChangeReceivesIt() {
        let queue = DispatchQueue(label: "listeners")
        let entry = UserEntry(UserID("1"), policy: .immediate, listenerQueue: queue)
        entry.publish(entry.documents, Self.snapshot(0), [])
        let isDone = Locked(false)
        let gaps = Locked<[[Int?]]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            guard thread == 1 else {
                var number = 0
                while !isDone.withLock({ $0 }) {
                    number += 1
                    let new = Self.snapshot(number)
                    let changes = entry.snapshot.map { new.changes(since: $0.sections) } ?? []
                    entry.publish(entry.documents, new, changes)
                    if number.isMultiple(of: 64) { queue.sync {} }
                }
                return
            }
            for _ in 0..<1_000 {
                let heard = Locked<[Int?]>([])
                let registration = ListenerRegistration(sectionName: "Home") { section, _ in
                    heard.withLock { $0.append(section?.integer(forKey: "n")) }
                }
                entry.register(registration)
                while heard.withLock({ $0.count < 2 }) { queue.sync {} }
                entry.remove(registration)
                let numbers = heard.withLock { $0 }
                if numbers[1] != numbers[0].map({ $0 + 1 }) { gaps.withLock { $0.append(numbers) } }
            }
            isDone.withLock { $0 = true }
        }
        #expect(gaps.withLock { $0 }.isEmpty)
    }
}
