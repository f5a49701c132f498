import Foundation
import JSONTree
import SeededRandomness
import TemplateStore
import Templates
import Testing

@testable import AdminAPI

/// What follows from the use and the past of a setting.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SettingUsageTests {
    private static let today = UsageDay(20_000)

    private static func start(_ daysAgo: Int) -> SettingPasts.Start {
        let date = today.advanced(by: -daysAgo).date
        return SettingPasts.Start(TemplateVersion(number: 1, updateTime: date))
    }

    private static func usage(
        age: Int? = 100, same: Int? = nil, recorded: Int? = 100, delivered: Int? = nil,
        read: Int? = nil, _ change: (inout SettingUsage) -> Void = { _ in }
    ) -> SettingUsage {
        var usage = SettingUsage(setting: UsedSetting(section: "S", key: "k"))
        usage.introduction = age.map(start)
        usage.constancy = same.map(start)
        usage.recordedSince = recorded.map { today.advanced(by: -$0) }
        usage.delivered = delivered.map { today.advanced(by: -$0) }
        usage.read = read.map { today.advanced(by: -$0) }
        change(&usage)
        return usage
    }

    @Test("T40 A setting delivered and never reported as read is not called unused")
    func deliveredIsNotRead() throws {
        let usage = Self.usage(delivered: 1)
        #expect(usage.use == "delivered, reads unknown")
        #expect(usage.staleness(on: Self.today) == nil)
        #expect(usage.json(nil)["read"] == "unknown")
        // List, filter, badge and API have one function: the reason is the configuration's.
        let same = Self.usage(same: 70, delivered: 1)
        let staleness = try #require(same.staleness(on: Self.today))
        #expect(same.use == "delivered, reads unknown")
        #expect(staleness.reason == .sameForEverybody)
        #expect(same.json(staleness)["stale"]?["reason"] == "SAME_FOR_EVERYBODY")
    }

    private typealias Row = (usage: SettingUsage, reason: Staleness.Reason?, days: Int?)

    @Test func useDecidesFirstAndConfigurationSecond() {
        let rows: [(String, Row)] = [
            ("in use", (Self.usage(same: 70, delivered: 1, read: 1), nil, nil)),
            ("read 29 days ago", (Self.usage(same: 70, delivered: 40, read: 29), nil, nil)),
            ("neither for 30 days", (Self.usage(delivered: 30, read: 40), .unused, 30)),
            ("never, recorded for 30 days", (Self.usage(recorded: 30), .unused, 30)),
            ("never, recorded for 29 days", (Self.usage(recorded: 29), nil, nil)),
            ("never, nothing recorded", (Self.usage(recorded: nil), nil, nil)),
            (
                "the same, nothing recorded",
                (Self.usage(same: 60, recorded: nil), .sameForEverybody, 60)
            ),
            ("the same for 59 days", (Self.usage(same: 59, delivered: 1), nil, nil)),
            ("the same for 60 days", (Self.usage(same: 60, delivered: 1), .sameForEverybody, 60)),
            // An old read says nothing about clients that read it from documents.
            (
                "delivered, read long ago",
                (Self.usage(same: 60, delivered: 1, read: 50), .sameForEverybody, 60)
            ),
            ("unused counts first", (Self.usage(same: 70, delivered: 31), .unused, 31)),
            ("too young", (Self.usage(age: 29, recorded: 100), nil, nil)),
            ("just old enough", (Self.usage(age: 30, recorded: 100), .unused, 30)),
            ("of unknown age", (Self.usage(age: nil, recorded: 100), nil, nil)),
            ("archived", (Self.usage { $0.isArchived = true }, nil, nil)),
            ("permanent", (Self.usage { $0.permanentReason = "a kill switch" }, nil, nil)),
            ("hidden from clients", (Self.usage { $0.isHidden = true }, nil, nil)),
        ]
        for (name, row) in rows {
            let staleness = row.usage.staleness(on: Self.today)
            #expect(staleness?.reason == row.reason, "\(name)")
            #expect(staleness?.days == row.days, "\(name)")
        }
    }

    @Test func theThresholdsDecide() {
        let usage = Self.usage(same: 20, delivered: 1)
        let thresholds = StaleThresholds(unusedDays: 7, sameDays: 14)
        #expect(usage.staleness(on: Self.today, thresholds)?.days == 20)
    }

    /// Versions of a template, the first one first; nil for one that is no longer stored.
    private struct Versions: VersionReading {
        var templates: [JSONNode?]
        /// The number of the first version.
        var first = 1

        private func version(_ index: Int) -> TemplateVersion {
            TemplateVersion(
                number: first + index,
                updateTime: Date(timeIntervalSince1970: Double(first + index) * 86_400))
        }

        func versions(limit: Int) async throws -> VersionPage {
            let all = templates.indices.reversed().map(version)
            return VersionPage(
                versions: Array(all.prefix(limit)),
                nextVersion: first > 1 ? first - 1 : nil)
        }

        func template(version number: Int) async throws -> StoredTemplate? {
            templates[number - first].map {
                StoredTemplate(
                    project: "p", version: version(number - first), content: $0.jsonData(),
                    revision: .zero)
            }
        }
    }

    private static func template(
        _ settings: KeyValuePairs<String, JSONNode>,
        condition: String = "device.os == 'ios'"
    ) -> JSONNode {
        var parameters = JSONNode.emptyObject
        for (key, value) in settings { parameters.setMember(key, value) }
        return [
            "conditions": [["name": "c", "expression": .string(condition)]],
            "parameterGroups": ["S": ["parameters": parameters]],
        ]
    }

    private static func value(_ text: String, ifTrue other: String? = nil) -> JSONNode {
        var node: JSONNode = ["defaultValue": ["value": .string(text)]]
        if let other { node.setMember("conditionalValues", ["c": ["value": .string(other)]]) }
        return node
    }

    /// Reads the versions at once and one after the other, which must give the same.
    private static func pasts(_ versions: Versions) async throws -> SettingPasts {
        let pasts = try await SettingPasts.read(from: versions, after: nil)
        var step: SettingPasts?
        for count in 1...versions.templates.count {
            var part = versions
            part.templates = Array(versions.templates.prefix(count))
            step = try await SettingPasts.read(from: part, after: step)
        }
        #expect(step?.settings == pasts.settings)
        return pasts
    }

    @Test func theVersionsSaySinceWhenASettingIsTheSame() async throws {
        let pasts = try await Self.pasts(
            Versions(templates: [
                Self.template(["a": Self.value("1"), "b": Self.value("1")]),
                Self.template(["a": Self.value("2"), "b": Self.value("1", ifTrue: "2")]),
                Self.template(["b": Self.value("1"), "c": Self.value("1", ifTrue: "1")]),
                Self.template([
                    "a": Self.value("2"), "b": Self.value("1"), "c": Self.value("1"),
                    "d": Self.value("1", ifTrue: "2"),
                ]),
            ]))
        let a = try #require(pasts["S", "a"])
        #expect(a.introduction.version == 4, "It was missing in version 3.")
        #expect(a.constancy?.version == 4)
        let b = try #require(pasts["S", "b"])
        #expect(b.introduction.version == 1)
        #expect(b.constancy?.version == 3)
        let c = try #require(pasts["S", "c"])
        #expect(c.constancy?.version == 3, "The condition gave the same value.")
        let d = try #require(pasts["S", "d"])
        #expect(d.introduction.version == 4)
        #expect(d.constancy == nil)
        #expect([a, b, c, d].allSatisfy { !$0.introduction.isAtLeast })
    }

    @Test func earlierVersionsThatAreGoneMakeItAtLeastSoOld() async throws {
        let template = Self.template(["a": Self.value("1")])
        let pruned = try await Self.pasts(
            Versions(templates: [template, template], first: 301))
        #expect(pruned["S", "a"]?.introduction.version == 301)
        #expect(pruned["S", "a"]?.introduction.isAtLeast == true)
        #expect(pruned["S", "a"]?.constancy?.isAtLeast == true)
        let unreadable = try await SettingPasts.read(
            from: Versions(templates: [template, nil, template, template]), after: nil)
        #expect(unreadable["S", "a"]?.introduction.version == 3)
        #expect(unreadable["S", "a"]?.introduction.isAtLeast == true)
    }

    @Test(
        arguments: [
            ("device.os == 'ios'", false), ("true", true), ("false", true), ("!(true)", true),
            ("percent <= 100", false), ("percent between 5 and 5", true),
            ("device.os == 'ios' && false", true), ("device.os == 'ios' || true", true),
            ("app.audiences.inAtLeastOne(['a'])", true),
        ])
    func aConditionMatters(expression: String, isSame: Bool) async throws {
        let pasts = try await Self.pasts(
            Versions(templates: [
                Self.template(["a": Self.value("1", ifTrue: "2")], condition: expression)
            ]))
        #expect((pasts["S", "a"]?.constancy != nil) == isSame)
    }

    @Test func aValueWithTheUsersIDIsNotTheSame() async throws {
        let pasts = try await Self.pasts(
            Versions(templates: [
                Self.template([
                    "a": Self.value("for ${user.id}"),
                    "b": ["defaultValue": ["useInAppDefault": true]],
                ])
            ]))
        #expect(pasts["S", "a"]?.constancy == nil)
        #expect(pasts["S", "b"]?.constancy != nil)
    }

    @Test func aProjectWithoutVersionsHasNoPasts() async throws {
        let pasts = try await SettingPasts.read(from: Versions(templates: []), after: nil)
        #expect(pasts.settings.isEmpty)
    }

    @Test func archivedAndPermanentSettingsAreNotStale() async throws {
        var archived = Self.value("1")
        archived.setMember("archived", true)
        var permanent = Self.value("1")
        permanent.setMember("permanent", "a kill switch")
        let template = Self.template([
            "archived": archived, "permanent": permanent, "restored": Self.value("1"),
        ])
        let earlier = Self.template([
            "archived": Self.value("1"), "permanent": permanent, "restored": archived,
        ])
        let pasts = try await Self.pasts(Versions(templates: [earlier, template]))
        #expect(pasts["S", "archived"] == nil)
        #expect(pasts["S", "restored"]?.introduction.version == 2)
        var usage = ProjectUsage()
        usage.add(
            UsageBatch(
                day: UsageDay(1),
                deliveries: [.unknown: UsageMark(day: UsageDay(9), version: 2)]))
        let settings = usage.settings(
            of: try ValidatedTemplate(json: template).template, pasts, pinned: [])
        let stale = settings.filter { $0.staleness(on: Self.today) != nil }
        #expect(stale.map(\.setting.key) == ["restored"])
        let found = settings.first { $0.isArchived }
        #expect(found?.use == "archived")
        #expect(found?.delivered == nil)
    }

    @Test func onlyAppsWithTheSettingsVersionHaveReceivedIt() async throws {
        let templates = [
            Self.template(["old": Self.value("1")]),
            Self.template(["old": Self.value("1"), "new": Self.value("1")]),
        ]
        let pasts = try await Self.pasts(Versions(templates: templates))
        let template = try ValidatedTemplate(json: try #require(templates.last)).template
        var usage = ProjectUsage()
        let names = ["old", "new"].map { UsedSetting(section: "S", key: $0) }
        usage.add(
            UsageBatch(
                day: UsageDay(1),
                deliveries: [
                    UsedApp(id: "a", version: "1"): UsageMark(day: UsageDay(9), version: 1),
                    UsedApp(id: "a", version: "2"): UsageMark(day: UsageDay(5), version: 2),
                ],
                reads: [
                    names[0]: UsageMark(day: UsageDay(1), version: 1),
                    // A read of an earlier setting of this name.
                    names[1]: UsageMark(day: UsageDay(1), version: 1),
                ]))
        let settings = usage.settings(of: template, pasts, pinned: [names[0]])
        #expect(settings.map(\.delivered) == [UsageDay(9), UsageDay(5)])
        #expect(settings.map(\.read) == [UsageDay(1), nil])
        #expect(settings[0].constancy == nil, "Pinned values are not the same for everybody.")
        #expect(settings[1].constancy?.version == 2)
    }
}
