import Foundation
import JSONTree
import NIOConcurrencyHelpers
import Targeting
import TemplateStore
import Testing

@testable import ClientAPI

/// The use of projects in the memory of a process.
@Suite struct UsageTallyTests {
    /// A clock that a test sets.
    private final class Clock: Sendable {
        private let seconds = NIOLockedValueBox(100.5 * 86_400)
        var date: Date { Date(timeIntervalSince1970: seconds.withLockedValue { $0 }) }
        func advance(days: Double) { seconds.withLockedValue { $0 += days * 86_400 } }
    }

    private let clock = Clock()
    private let tally: UsageTally
    private let app = UsedApp(id: "a", version: "1")

    init() {
        tally = UsageTally { [clock] in clock.date }
    }

    @Test func anAppIsTakenOnceADayAndVersion() {
        #expect(tally.take() == [:])
        for _ in 0..<3 { tally.recordDelivery(to: app, inProject: "p", version: 1) }
        let mark = UsageMark(day: UsageDay(100), version: 1)
        #expect(tally.take() == ["p": UsageBatch(day: UsageDay(100), deliveries: [app: mark])])
        tally.recordDelivery(to: app, inProject: "p", version: 1)
        #expect(tally.take() == [:])
        tally.recordDelivery(to: app, inProject: "p", version: 2)
        #expect(tally.take()["p"]?.deliveries[app]?.version == 2)
        // A client that is behind changes nothing.
        tally.recordDelivery(to: app, inProject: "p", version: 1)
        #expect(tally.take() == [:])
        clock.advance(days: 1)
        tally.recordDelivery(to: app, inProject: "p", version: 2)
        #expect(tally.take()["p"]?.deliveries[app]?.day == UsageDay(101))
    }

    @Test func whatCouldNotBeStoredIsTakenAgain() {
        let setting = UsedSetting(section: "S", key: "k")
        tally.recordDelivery(to: app, inProject: "p", version: 1)
        let first = tally.take()
        tally.add(first)
        tally.recordRead(of: setting, inProject: "p", version: 1)
        let second = tally.take()
        #expect(second["p"]?.deliveries == first["p"]?.deliveries)
        #expect(second["p"]?.reads[setting] == UsageMark(day: UsageDay(100), version: 1))
        #expect(tally.take() == [:])
        #expect(tally.batch(ofProject: "p")?.deliveries == first["p"]?.deliveries)
        tally.forget(project: "p")
        #expect(tally.batch(ofProject: "p") == nil)
        tally.recordDelivery(to: app, inProject: "p", version: 1)
        #expect(tally.take().count == 1, "A new project is recorded anew.")
    }

    @Test func appsAreBounded() {
        for number in 0..<5_000 {
            tally.recordDelivery(
                to: UsedApp(id: "\(number)", version: nil), inProject: "p", version: 1)
        }
        let batch = tally.take()["p"]
        #expect(batch?.deliveries.count ?? 0 <= 2 * UsageLimits.apps + 1)
        #expect(batch?.deliveries[.other] != nil)
    }

    @Test func manyThreadsLoseNothing() async {
        let taken = NIOLockedValueBox<[UsedApp: UsageMark]>([:])
        @Sendable func take() {
            let batch = tally.take()["p"]
            taken.withLockedValue { taken in
                taken.merge(batch?.deliveries ?? [:], uniquingKeysWith: { $0.merged(with: $1) })
            }
        }
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask { [tally] in
                    for number in 0..<20_000 {
                        tally.recordDelivery(
                            to: UsedApp(id: "\(task) \(number % 20)", version: nil), inProject: "p",
                            version: 1 + number / 2_000)
                        if task == 0, number % 1_000 == 0 { take() }
                    }
                }
            }
        }
        take()
        let all = taken.withLockedValue { $0 }
        #expect(all.count == 160)
        #expect(all.values.allSatisfy { $0.version == 10 })
    }

    @Test func unknownNamesAreBoundedAndForgotten() {
        for number in 0..<300 { tally.recordUnknownName("n\(number)", inProject: "p") }
        tally.recordUnknownName(String(repeating: "x", count: 257), inProject: "p")
        #expect(tally.unknownNames(inProject: "p").count == UnknownNames.maximumCount)
        #expect(tally.unknownNames(inProject: "q").isEmpty)
        clock.advance(days: 0.9)
        tally.recordUnknownName("n1", inProject: "p")
        clock.advance(days: 0.2)
        #expect(tally.unknownNames(inProject: "p").map(\.text) == ["n1"])
        tally.recordUnknownName("é", inProject: "p")
        tally.recordUnknownName("e\u{301}", inProject: "p")
        #expect(tally.unknownNames(inProject: "p").count == 3)
    }
}
