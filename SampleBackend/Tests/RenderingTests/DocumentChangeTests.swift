import ActiveConfig
import Foundation
import JSONTree
import NIOCore
import Rendering
import SeededRandomness
import Targeting
import Templates
import Testing

/// Differences between two documents of a user.
@Suite struct DocumentChangeTests {
    fileprivate static let date = Date(timeIntervalSince1970: 1_800_000_000)

    private static let contexts = [nil, "1", "2", "\"é\""].flatMap { userID in
        ["", "x"].map { city in
            TargetingContext(
                userID: userID, signals: Signals(custom: ["city": city]), date: date)
        }
    }

    /// Sections by name, as clients compare them; the last of equal names counts (FORMAT 1.3).
    private static func asClientsRead(_ sections: JSONNode?) -> [String: JSONNode] {
        (sections?.objectValue ?? [:]).reduce(into: [:]) {
            $0.updateValue($1.value, forKey: $1.key)
        }
    }

    @Test(
        arguments: [
            (["\u{E9}": "1"], ["e\u{301}": "1"]), (["e\u{301}": "1"], ["\u{E9}": "2"]),
            (["K": "1"], ["\u{212A}": "1"]), (["\u{212A}": "1"], ["K": "2"]),
            (["K": "1"], ["K": "2", "\u{212A}": "3"]), (["K": "1", "\u{212A}": "3"], ["K": "2"]),
            (["K": "1", "\u{212A}": "3"], ["K": "2", "\u{212A}": "3"]),
            (["K": "1", "\u{212A}": "3"], ["a": "1"]),
        ] as [(NamedValues<JSONNode>, NamedValues<JSONNode>)])
    func aChangeOfSpellingLeavesClientsWithTheNewDocument(
        old: NamedValues<JSONNode>, new: NamedValues<JSONNode>
    ) throws {
        func project(_ groups: NamedValues<JSONNode>, version: Int) throws -> PublishedProject {
            let template: JSONNode = [
                "parameterGroups": .object(
                    groups.mapValues { value in
                        ["parameters": ["k": ["defaultValue": ["value": value]]]]
                    })
            ]
            return PublishedProject(
                CompiledTemplate(
                    try ValidatedTemplate(json: template),
                    version: TemplateVersion(number: version, updateTime: Self.date)),
                overrides: [:])
        }
        func document(_ project: PublishedProject, _ context: TargetingContext) throws -> JSONNode {
            let bytes = project.rendered(for: context).document.jsonBytes
            return try JSONNode(jsonData: Data(bytes.readableBytesView))
        }
        let context = TargetingContext(userID: "1", date: Self.date)
        let (before, after) = (try project(old, version: 1), try project(new, version: 2))
        let change = DocumentChange(
            from: before.compiled, before.basis(for: context), to: after.compiled,
            after.basis(for: context),
            changedSections: ChangedSections(from: before.compiled, to: after.compiled))
        #expect(!change.isEmpty)
        let tag = after.rendered(for: context).document.entityTag
        let event = try JSONNode(
            jsonData: Data(
                change.jsonBytes(forUserID: "1", entityTag: tag, version: 2, eventNumber: 1)
                    .readableBytesView))
        var sections = Self.asClientsRead(try document(before, context)["config_sections"])
        for (name, section) in Self.asClientsRead(event["sections"]) {
            sections[name] = section == .null ? nil : section
        }
        #expect(sections == Self.asClientsRead(try document(after, context)["config_sections"]))
    }

    @Test func aChangeMakesTheNextDocumentOfTheOneBefore() throws {
        var generator = Generator()
        var (changes, stays, narrowCount, keptResults) = (0, 0, 0, 0)
        var project = try generator.project(version: 1)
        for version in 2...400 {
            let next = try generator.project(version: version)
            let changedSections = ChangedSections(
                from: project.compiled, to: next.compiled)
            narrowCount += changedSections.names.count < 3 ? 1 : 0
            let keepsResults = next.compiled.hasSameResults(as: project.compiled)
            keptResults += keepsResults ? 1 : 0
            for context in Self.contexts {
                let (old, new) = (project.basis(for: context), next.basis(for: context))
                #expect(!keepsResults || old.results == new.results)
                let change = DocumentChange(
                    from: project.compiled, old, to: next.compiled, new)
                let narrowed = DocumentChange(
                    from: project.compiled, old, to: next.compiled, new,
                    changedSections: changedSections)
                var state = project.state(for: context)
                let expected = next.state(for: context)
                let before = project.rendered(for: old, userID: context.userID).document
                let after = next.rendered(for: new, userID: context.userID).document
                #expect(change.isEmpty == (before.entityTag == after.entityTag))
                if state.sections == expected.sections { stays += 1 } else { changes += 1 }

                let tag = next.rendered(for: new, userID: context.userID).document.entityTag
                let json = try JSONNode(
                    jsonData: Data(
                        change.jsonBytes(
                            forUserID: context.userID, entityTag: tag, version: version,
                            eventNumber: 3
                        ).readableBytesView))
                #expect(narrowed.sectionNames == change.sectionNames)
                #expect(
                    narrowed.jsonBytes(
                        forUserID: context.userID, entityTag: tag, version: version, eventNumber: 3)
                        == change.jsonBytes(
                            forUserID: context.userID, entityTag: tag, version: version,
                            eventNumber: 3))
                #expect(json["etag"]?.stringValue == tag.description)
                #expect(json["template_version"]?.integerValue == version)
                #expect(json["event_number"] == 3)
                let sections = try #require(json["sections"]?.objectValue)
                #expect(Set(sections.keys) == change.sectionNames)
                for (name, section) in sections {
                    state.sections[name] = section == .null ? nil : try Self.section(section)
                }
                state.meta = try Self.state(["meta": json["meta"] ?? .null]).meta
                #expect(state == expected)
                #expect(state.jsonData() == expected.jsonData())
            }
            project = next
        }
        #expect(changes > 500)
        #expect(stays > 100)
        #expect(narrowCount > 100)
        #expect((100..<300).contains(keptResults))
    }

    /// Conditions whose results may change although the conditions stay the same.
    static let incomplete: [NamedTemplate] = [
        NamedTemplate("a date", [#"dateTime < dateTime('2030-01-01T00:00:00')"#]),
        NamedTemplate(
            "a pattern over the budget",
            [#"app.customSignal['city'].matches(['(?:(?:a?){999}){999}'])"#, "true"]),
        NamedTemplate(
            "more seeds than the longest ID is hashed with",
            (0..<90).map { "percent('s\($0)') <= 50" }),
    ]

    @Test(arguments: incomplete)
    func otherSectionsMayDifferWhereResultsDependOnMoreThanTheirCondition(
        _ template: NamedTemplate
    ) throws {
        let plain = try NamedTemplate("plain", ["user.id in ['1']"]).compiled(version: 1)
        #expect(!ChangedSections(from: plain, to: plain).isIncomplete)
        let compiled = try template.compiled(version: 2)
        #expect(ChangedSections(from: plain, to: compiled).isIncomplete)
        #expect(ChangedSections(from: compiled, to: plain).isIncomplete)
    }

    struct NamedTemplate: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let expressions: [String]

        init(_ name: String, _ expressions: [String]) {
            testDescription = name
            self.expressions = expressions
        }

        func compiled(version: Int) throws -> CompiledTemplate {
            let conditions = expressions.enumerated().map { index, expression -> JSONNode in
                ["name": .string("c\(index)"), "expression": .string(expression)]
            }
            let text = JSONNode.object(["conditions": .array(conditions)]).jsonData()
            return CompiledTemplate(
                try ValidatedTemplate(jsonData: text, limits: .none),
                version: TemplateVersion(number: version, updateTime: DocumentChangeTests.date))
        }
    }

    @Test(arguments: [
        (["user.id in ['é']"], ["user.id in ['é']"], true),
        (["user.id in ['\u{E9}']"], ["user.id in ['e\u{301}']"], false),
        (["percent <= 1"], ["percent <= 2"], false),
        (["percent <= 1", "true"], ["true", "percent <= 1"], false),
        (["true"], ["true", "true"], false),
        (
            ["dateTime < dateTime('2030-01-01T00:00:00')"],
            ["dateTime < dateTime('2030-01-01T00:00:00')"], false
        ),
    ])
    func theResultsStayWhileTheConditionsDo(
        _ old: [String], _ new: [String], _ areSame: Bool
    ) throws {
        let old = try NamedTemplate("old", old).compiled(version: 1)
        let new = try NamedTemplate("new", new).compiled(version: 2)
        #expect(new.hasSameResults(as: old) == areSame)
    }

    @Test func aChangeTellsOfTouchedSectionsThoughTheyAreTheSame() throws {
        var generator = Generator()
        let project = try generator.project(version: 1)
        let basis = project.basis(for: Self.contexts[0])
        let same = DocumentChange(from: project.compiled, basis, to: project.compiled, basis)
        #expect(same.isEmpty)
        let touched = DocumentChange(
            from: project.compiled, basis, to: project.compiled, basis,
            touchedSections: ["Gone"])
        #expect(touched.sectionNames == ["Gone"])
    }

    /// Document of the exchange format, with a default `config_sections`.
    private static func state(_ node: JSONNode) throws -> ConfigurationState {
        var node = node
        if node["config_sections"] == nil {
            node.setMember("config_sections", ["A": ["settings": [:]]])
        }
        return try ConfigurationState(jsonData: node.jsonData())
    }

    /// Section as a document contains it.
    private static func section(_ node: JSONNode) throws -> ActiveConfigSection? {
        try state([
            "meta": ["format_version_string": "1.0"], "config_sections": ["A": node],
        ]).section(named: "A")
    }

    /// Generates projects, each of which differs little from the one before.
    private struct Generator {
        private var random = SeededGenerator(seed: 20_130_706)

        /// Sections of the last project.
        private var groups: [String: JSONNode] = [:]

        /// Project with random sections, conditions and pinned values.
        mutating func project(version: Int) throws -> PublishedProject {
            for section in ["A", "B", "C"] where version == 1 || chance(12) {
                var parameters = JSONNode.emptyObject
                for key in ["k", "l", "m"] where chance(80) {
                    parameters.setMember(key, parameter())
                }
                groups[section] = chance(80) ? ["parameters": parameters] : nil
            }
            let conditions = ["user.id in ['1']", "app.customSignal['city'].contains(['x'])"]
                .shuffled(using: &random)
            let template: JSONNode = [
                "conditions": [
                    ["name": "c0", "expression": .string(conditions[0])],
                    ["name": "c1", "expression": .string(conditions[1])],
                    ["name": "half", "expression": "percent <= 50"],
                ],
                "parameterGroups": .object(
                    NamedValues(
                        groups.map { (key: $0.key, value: $0.value) }, uniquingKeysWith: { $1 })),
            ]
            var overrides: [ExactText: OverridesDocument] = [:]
            for user in ["1", "2"] where chance(30) {
                let key = chance(50) ? "k" : "new"
                let section = chance(50) ? "A" : "D"
                overrides[ExactText(user)] = try OverridesDocument(
                    jsonData: Data(#"{"\#(section)": {"\#(key)": 1.0}}"#.utf8))
            }
            return PublishedProject(
                CompiledTemplate(
                    try ValidatedTemplate(json: template),
                    version: TemplateVersion(number: version, updateTime: DocumentChangeTests.date)),
                overrides: overrides)
        }

        /// Parameter with random values.
        private mutating func parameter() -> JSONNode {
            var values = JSONNode.emptyObject
            for condition in ["c0", "c1", "half"] where chance(40) {
                values.setMember(condition, value())
            }
            return [
                "defaultValue": value(), "conditionalValues": values, "valueType": "STRING",
                "archived": .bool(chance(15)),
            ]
        }

        private mutating func value() -> JSONNode {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: ["useInAppDefault": true]
            case 1: ["value": "for ${user.id}"]
            case 2: ["value": "other"]
            default: ["value": "same"]
            }
        }

        private mutating func chance(_ percent: Int) -> Bool {
            Int.random(in: 0..<100, using: &random) < percent
        }
    }
}
