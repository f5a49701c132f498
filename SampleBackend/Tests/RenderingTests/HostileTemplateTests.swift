import ActiveConfig
import Foundation
import JSONTree
import NIOCore
import Rendering
import Targeting
import Templates
import Testing

/// Templates that try to block the server: each is refused with the position of the problem, or
/// rendered.
@Suite struct HostileTemplateTests {
    /// A template with the heaviest conditions that the limits allow, or a refused one.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Part of the refusal's reason, or nil for a template that is accepted.
        let reason: String?
        /// Lowest index of a condition that may be refused.
        var first = 0
        /// Number of conditions.
        var count = 2_000
        /// Expression of the condition with a given index.
        let expression: @Sendable (Int) -> String
    }

    /// Letter with combining marks, which is shown as one character.
    private static func marks(_ count: Int) -> String {
        "e" + String(repeating: "\u{301}", count: count)
    }

    /// Condition that searches signal "s" for a pattern.
    private static func matches(_ pattern: String) -> String {
        "app.customSignal['s'].matches(['\(pattern)'])"
    }

    /// Template with conditions, each of which gives the only parameter a value.
    private static func template(_ conditions: [JSONNode]) -> JSONNode {
        var values = JSONNode.emptyObject
        for index in conditions.indices {
            values.setMember("c\(index)", ["value": .string("\(index)")])
        }
        return [
            "conditions": .array(
                conditions.enumerated().map { index, condition in
                    var condition = condition
                    condition.setMember("name", .string("c\(index)"))
                    return condition
                }),
            "parameters": [
                "p": ["defaultValue": ["value": "none"], "conditionalValues": values]
            ],
        ]
    }

    /// Users whose signals have the maximum length.
    private static let contexts = ["ab", "あ\u{301}"].map { text in
        let count = Signals.maximumValueLength / text.unicodeScalars.count
        let long = String(repeating: text, count: count)
        return TargetingContext(
            userID: long,
            signals: Signals(
                appVersion: long, deviceCountry: long,
                custom: ["s": long, ExactText(marks(249)): long]),
            date: Date(timeIntervalSince1970: 1_800_000_000))
    }

    /// Templates with the heaviest conditions.
    static let rows: [Row] = [
        Row(
            testDescription: "repetitions in repetitions",
            reason: "with the repetitions in it, it counts to 4900", count: 500
        ) { matches("(?:(?:a?){100}){49}b|zz\($0)") },
        Row(
            testDescription: "many states", reason: "more than 10000000 steps a request",
            first: 20, count: 500
        ) { matches("(?:(?:a?){100}){9}b|zz\($0)") },
        Row(
            testDescription: "states that no table holds",
            reason: "more than 10000000 steps a request",
            first: 20, count: 60
        ) { matches("[ab]*a[ab]{400}c\($0)") },
        Row(
            testDescription: "parts", reason: "steps a request",
            first: 20, count: 120
        ) { number in
            let parts = (0..<100).map { "'aaaaaaaaaaaaaaab\(number)-\($0)'" }
            return "app.customSignal['s'].contains([\(parts.joined(separator: ","))])"
        },
        Row(testDescription: "marks in names and lists", reason: nil, count: 20) { number in
            "app.customSignal['\(marks(249))'].exactlyMatches(['\(marks(15_000))', '\(number)'])"
        },
        Row(
            testDescription: "too many marks", reason: "longer than 16384 characters", count: 1
        ) { _ in "user.id == '\(marks(16_384))'" },
        Row(testDescription: "lists", reason: nil, count: 60) { number in
            let items = (0..<1_500).map { "'\(number)-\($0)'" }.joined(separator: ",")
            return "device.country in [\(items)]"
        },
        Row(testDescription: "seeds", reason: nil, count: 20) { number in
            (0..<500).map { "percent('\(number)-\($0)')>1" }.joined(separator: "||")
        },
        Row(testDescription: "dates", reason: nil, count: 20) { number in
            (0..<200).map { "dateTime < dateTime('20\(10 + number)-01-01T00:00:\($0 % 50 + 10)')" }
                .joined(separator: " || ")
        },
        Row(testDescription: "depth", reason: nil) { _ in
            String(repeating: "!(", count: 32) + "true" + String(repeating: ")", count: 32)
        },
        Row(
            testDescription: "too deep", reason: "nested deeper",
            first: 0, count: 1
        ) { _ in String(repeating: "(", count: 65) + "true" + String(repeating: ")", count: 65) },
        Row(
            testDescription: "categories", reason: "50000 ranges",
            first: 0, count: 1
        ) { _ in matches("[" + String(repeating: "\\\\p{L}", count: 1_000) + "]") },
    ]

    @Test(arguments: rows)
    func aTemplateIsRefusedWithThePlaceOrRendered(row: Row) throws {
        let json = Self.template(
            (0..<row.count).map { ["expression": .string(row.expression($0))] })
        guard let reason = row.reason else {
            try Self.render(try ValidatedTemplate(json: json))
            return
        }
        let error = #expect(throws: TemplateValidationError.self) {
            try ValidatedTemplate(json: json)
        }
        let problem = try #require(error?.problems.first)
        // The exact index at which a budget ends is not specified, only that some conditions fit.
        let places = (row.first..<row.count).map { "conditions[\($0)].expression" }
        #expect(places.contains(problem.path))
        #expect(row.first > 0 || problem.path == places.first)
        #expect(problem.column != nil)
        #expect(problem.message.contains(reason), "\(problem)")
        #expect(problem.description.unicodeScalars.count < 500)
        // A template published before the limit existed is still served, and its excess is
        // reported.
        guard reason != "nested deeper" else { return }
        let stored = try ValidatedTemplate(json: json, limits: .none)
        #expect(!stored.excesses.isEmpty)
        try Self.render(stored)
    }

    /// Renders a template for all the users.
    private static func render(_ validated: ValidatedTemplate) throws {
        let project = PublishedProject(
            CompiledTemplate(
                validated, version: TemplateVersion(number: 1, updateTime: .distantPast)))
        for context in contexts {
            let section = project.state(for: context).section(named: "Default")
            #expect(section?.string(forKey: "p") != nil)
            #expect(project.rendered(for: context).document.jsonBytes.readableBytes > 0)
        }
    }

    /// Firebase server condition that searches a signal for patterns.
    private static func serverCondition(_ count: Int, _ pattern: (Int) -> String) -> JSONNode {
        let signals = (0..<count).map { number -> JSONNode in
            [
                "customSignal": [
                    "customSignalOperator": "STRING_CONTAINS_REGEX", "customSignalKey": "s",
                    "targetCustomSignalValues": [.string(pattern(number))],
                ]
            ]
        }
        return ["condition": ["orCondition": ["conditions": .array(signals)]]]
    }

    @Test func aTemplateLooksForEqualPatternsOfServersOnce() throws {
        let conditions = (0..<50).map { _ in
            Self.serverCondition(100) { "[ab]*a[ab]{9}\($0)" }
        }
        try Self.render(try ValidatedTemplate(json: Self.template(conditions)))
    }

    @Test(arguments: [
        (101, "conditions[0].condition.orCondition.conditions", "use at most 100 conditions"),
        (100, "conditions[0].condition.orCondition.conditions[", "steps a request"),
    ])
    func aTemplateBoundsTheConditionsOfServers(count: Int, path: String, reason: String) throws {
        let conditions = (0..<2).map { index in
            Self.serverCondition(count) { "[ab]*a[ab]{400}\(index)-\($0)" }
        }
        let json = Self.template(conditions)
        let error = #expect(throws: TemplateValidationError.self) {
            try ValidatedTemplate(json: json)
        }
        #expect(error?.problems.first?.path.hasPrefix(path) == true)
        #expect(error?.problems.first?.message.contains(reason) == true)
        let stored = try ValidatedTemplate(json: json, limits: .none)
        #expect(!stored.excesses.isEmpty)
        try Self.render(stored)
    }
}
