import Foundation
import JSONTree
import Testing

@testable import TemplateStore

/// What is kept of a project's use, within bounds.
@Suite struct ProjectUsageTests {
    private static func mark(_ day: Int, _ version: Int = 1) -> UsageMark {
        UsageMark(day: UsageDay(day), version: version)
    }

    private static func batch(
        _ day: Int, _ deliveries: [UsedApp: UsageMark] = [:],
        reads: [UsedSetting: UsageMark] = [:], share: UsageShare? = nil
    ) -> UsageBatch {
        UsageBatch(day: UsageDay(day), deliveries: deliveries, reads: reads, share: share)
    }

    @Test func batchesGiveTheSameInAnyOrderAndRepeated() {
        let a = UsedApp(id: "a", version: "1")
        let setting = UsedSetting(section: "S", key: "k")
        let batches = [
            Self.batch(100, [a: Self.mark(100, 3)], reads: [setting: Self.mark(100)]),
            Self.batch(102, [a: Self.mark(102, 2), .unknown: Self.mark(102)]),
            Self.batch(101, [.service: Self.mark(101)], reads: [setting: Self.mark(101)]),
        ]
        var usage = ProjectUsage()
        for batch in batches { usage.add(batch) }
        var other = ProjectUsage()
        for batch in batches.reversed() + batches { other.add(batch) }
        #expect(usage == other)
        #expect(usage.record == other.record)
        #expect(usage.since == UsageDay(100))
        // The newest version that was ever delivered.
        #expect(usage.deliveries[a] == Self.mark(102, 3))
        #expect(usage.reads[setting] == UsageDay(101))
        #expect(ProjectUsage(record: usage.record) == usage)
        #expect(usage.adding(batches[0], deletedVersion: nil) == nil)
    }

    @Test func namesThatLookAlikeAreApart() {
        let names = ["é", "e\u{301}", "K", "\u{212A}"]
        var usage = ProjectUsage()
        let apps = names.map { UsedApp(id: $0, version: nil) }
        usage.add(
            Self.batch(
                1, Dictionary(apps.map { ($0, Self.mark(1)) }, uniquingKeysWith: { $1 }),
                reads: Dictionary(
                    names.map { (UsedSetting(section: $0, key: $0), Self.mark(1)) },
                    uniquingKeysWith: { $1 })))
        #expect(usage.deliveries.count == 4)
        #expect(ProjectUsage(record: usage.record) == usage)
    }

    @Test func appsWithoutRoomCountTogether() {
        var usage = ProjectUsage()
        let old = UsedApp(id: "old", version: "1")
        let known = UsedApp(id: "zzz", version: "1")
        usage.add(Self.batch(99, [old: Self.mark(99, 7)]))
        usage.add(Self.batch(100, [known: Self.mark(100)]))
        let invented = (0..<500).map { (UsedApp(id: "a\($0)", version: "1"), Self.mark(100, 2)) }
        usage.add(Self.batch(100, Dictionary(invented, uniquingKeysWith: { $1 })))
        #expect(usage.deliveries.count == UsageLimits.apps + 1)
        // Clients can invent apps; those of the same day that were there stay.
        #expect(usage.deliveries[known] == Self.mark(100))
        #expect(usage.deliveries[old] == nil)
        // The joined ones keep the newest version: a setting that it has was delivered.
        #expect(usage.deliveries[.other] == Self.mark(100, 7))
    }

    @Test func aRecordIsBoundedWhateverTheNames() {
        let longest = String(repeating: "\u{1}", count: UsageLimits.nameBytes)
        var usage = ProjectUsage()
        for day in 1...200 {
            let apps = (0..<50).map { number in
                (UsedApp(id: "\(longest.dropLast(4))\(number)", version: longest), Self.mark(day))
            }
            let reads = (0..<200).map { number in
                let key = "\(day) \(number) " + String(repeating: "\"", count: 240)
                return (UsedSetting(section: "S", key: key), Self.mark(day))
            }
            usage.add(
                Self.batch(
                    day, Dictionary(apps, uniquingKeysWith: { $1 }),
                    reads: Dictionary(reads, uniquingKeysWith: { $1 }),
                    share: UsageShare(
                        day: UsageDay(day), version: .max, clients: .max, current: .max)))
        }
        #expect(usage.record.count <= 65_536)
        #expect(!usage.reads.isEmpty)
        #expect(usage.reads.values.allSatisfy { $0 == UsageDay(200) })
        #expect(usage.shares.count == UsageLimits.shares)
        #expect(usage.shares.last?.day == UsageDay(200))
        #expect(ProjectUsage(record: usage.record) == usage)
    }

    @Test func longNamesCountAsOtherApps() {
        let long = String(repeating: "x", count: UsageLimits.nameBytes + 1)
        #expect(UsedApp(id: long, version: nil) == .other)
        #expect(UsedApp(id: "a", version: long) == .other)
        #expect(UsedApp(id: nil, version: "1") == .unknown)
        #expect(UsedApp(id: "", version: "1") == .unknown)
    }

    @Test func oldUseIsForgotten() {
        var usage = ProjectUsage()
        usage.add(Self.batch(1, [.unknown: Self.mark(1)]))
        usage.add(Self.batch(1 + UsageLimits.keptDays, [.service: Self.mark(401)]))
        #expect(usage.deliveries.count == 2)
        usage.add(Self.batch(2 + UsageLimits.keptDays))
        #expect(usage.deliveries == [.service: Self.mark(401)])
        #expect(usage.since == UsageDay(1))
    }

    @Test func theFirstShareOfADayStays() {
        var usage = ProjectUsage()
        let first = UsageShare(day: UsageDay(1), version: 1, clients: 10, current: 5)
        let second = UsageShare(day: UsageDay(1), version: 2, clients: 10, current: 0)
        usage.add(Self.batch(1, share: first))
        usage.add(Self.batch(1, share: second))
        #expect(usage.shares == [first])
    }

    @Test func aBatchLeavesOutADeletedProject() {
        let batch = Self.batch(
            1, [.unknown: Self.mark(1, 3), .service: Self.mark(1, 4)],
            reads: [UsedSetting(section: "S", key: "a"): Self.mark(1, 3)],
            share: UsageShare(day: UsageDay(1), version: 3, clients: 1, current: 1))
        let rest = batch.after(deletedVersion: 3)
        #expect(rest == Self.batch(1, [.service: Self.mark(1, 4)]))
        #expect(batch.after(deletedVersion: nil) == batch)
    }

    @Test(arguments: ["", "{}", "[]", "{\"deliveries\": 1}", "\u{0}"])
    func aDamagedRecordIsLost(text: String) {
        #expect(ProjectUsage(record: Data(text.utf8)) == ProjectUsage())
    }

    @Test func daysAreThoseOfUTC() {
        #expect(UsageDay(Date(timeIntervalSince1970: 0)) == UsageDay(0))
        #expect(UsageDay(Date(timeIntervalSince1970: 86_399)) == UsageDay(0))
        #expect(UsageDay(Date(timeIntervalSince1970: 86_400)) == UsageDay(1))
        #expect(UsageDay(Date(timeIntervalSince1970: -1)) == UsageDay(-1))
    }
}
