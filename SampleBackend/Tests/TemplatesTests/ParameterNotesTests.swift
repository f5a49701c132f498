import Foundation
import JSONTree
import Templates
import Testing

/// Owner, tags, permanence and archiving of a setting.
struct ParameterNotesTests {
    private static let noted = """
        {"parameters": {"a": {"defaultValue": {"value": "x"}, "owner": "Team Home",
          "tags": ["launch", "überall"], "permanent": "Kill switch", "archived": true, "more": 1}}}
        """

    private static func template(_ members: String) throws -> RemoteConfigTemplate {
        try .make(#"{"parameters": {"a": {"defaultValue": {"value": "x"}\#(members)}}}"#)
    }

    @Test func theReaderKnowsTheMembersAndKeepsUnknownOnes() throws {
        let validated = try ValidatedTemplate(jsonData: Data(Self.noted.utf8))
        let parameter = try #require(validated.template.parameters["a"])
        #expect(parameter.owner == "Team Home")
        #expect(parameter.tags == ["launch", "überall"])
        #expect(parameter.permanentReason == "Kill switch")
        #expect(parameter.isArchived)
        #expect(parameter.unknownFields == ["more": 1])
        #expect(validated.warnings.map(\.path) == ["parameters.a.more"])
        let written = validated.template.json().jsonData()
        #expect(try ValidatedTemplate(jsonData: written).template == validated.template)
    }

    @Test(arguments: [
        "", #", "owner": null, "tags": null, "permanent": null, "archived": null"#,
        #", "tags": [], "archived": false"#,
    ])
    func absentMembersAreTheDefaults(members: String) throws {
        let parameter = try #require(try Self.template(members).parameters["a"])
        #expect(parameter == TemplateParameter(defaultValue: .value("x")))
        let json = try Self.template(members).json()
        #expect(json["parameters"]?["a"] == ["defaultValue": ["value": "x"]])
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let members: String
        let path: String
        let message: String

        init(_ name: String, _ members: String, _ path: String, _ message: String) {
            (testDescription, self.members, self.path, self.message) = (
                name, members, path, message
            )
        }
    }

    private static func list(_ count: Int) -> String {
        (0..<count).map { "\"t\($0)\"" }.joined(separator: ",")
    }

    private static let rows = [
        Row("owner as number", #""owner": 1"#, ".owner", "name the person or team to ask, as a"),
        Row("blank owner", #""owner": " ""#, ".owner", "it is empty; name the person or team"),
        Row(
            "long owner", #""owner": "\#(String(repeating: "é", count: 129))""#, ".owner",
            "it has 129 characters; use at most 128"),
        Row("tags as text", #""tags": "a""#, ".tags", "make it an array of strings"),
        Row("many tags", #""tags": [\#(list(21))]"#, ".tags", "there are 21; use at most 20 tags"),
        Row("tag as null", #""tags": ["a", null]"#, ".tags[1]", "make it a string"),
        Row("empty tag", #""tags": ["", "a"]"#, ".tags[0]", "it is empty; remove it"),
        Row(
            "long tag", #""tags": ["\#(String(repeating: "😀", count: 65))"]"#, ".tags[0]",
            "it has 65 characters; use at most 64"),
        Row("tag with a comma", #""tags": ["a,b"]"#, ".tags[0]", "make it two tags"),
        Row("tag with a space", #""tags": ["a "]"#, ".tags[0]", "begins or ends with white space"),
        Row("tag with a line", #""tags": ["a\nb"]"#, ".tags[0]", "a control character"),
        Row("a tag twice", #""tags": ["a", "b", "a"]"#, ".tags[2]", "is there twice; remove one"),
        Row(
            "a tag in two spellings", #""tags": ["\#u{E9}", "e\#u{301}"]"#, ".tags[1]",
            "is there twice"),
        Row(
            "permanent without a reason", #""permanent": true"#, ".permanent",
            "give the reason why the setting stays, as a string"),
        Row("blank reason", #""permanent": """#, ".permanent", "it is empty; give the reason"),
        Row(
            "long reason", #""permanent": "\#(String(repeating: "r", count: 501))""#,
            ".permanent", "it has 501 characters; use at most 500"),
        Row(
            "owner with a line", #""owner": "Team\nHome""#, ".owner",
            "it has invisible characters, such as a line break; remove them"),
        Row(
            "owner with an override", #""owner": "\#u{202E}adA""#, ".owner",
            "it has invisible characters"),
        Row(
            "reason with a control character", #""permanent": "Kill\u001b[31m""#, ".permanent",
            "it has invisible characters"),
        Row("archived as text", #""archived": "yes""#, ".archived", "make it true or false"),
    ]

    @Test(arguments: rows) func aProblemNamesItsPlace(row: Row) throws {
        let text = #"{"parameters": {"a": {\#(row.members)}}}"#
        let found = problems(of: text)
        #expect(found.map(\.path) == ["parameters.a\(row.path)"])
        #expect(found.first?.message.contains(row.message) == true, "\(found)")
        // Earlier releases stored it, so a published template with it still loads.
        let data = Data(text.utf8)
        let published = try ValidatedTemplate(jsonData: data, limits: .none)
        #expect(published.template.parameters["a"]?.isArchived == false)
        #expect(published.template.json() == (try JSONNode(jsonData: data)))
    }

    @Test func theLimitsAreIncluded() {
        let tags = (0..<20).map { "\"\(String(repeating: "t", count: 62))\($0 + 10)\"" }
        let text = """
            {"parameters": {"a": {"owner": "\(String(repeating: "o", count: 128))",
              "tags": [\(tags.joined(separator: ","))],
              "permanent": "\(String(repeating: "r", count: 500))"}}}
            """
        #expect(problems(of: text).isEmpty)
    }

    @Test func joinedEmojisAreVisible() {
        let text = #"{"parameters": {"a": {"owner": "Team \#u{1F469}\#u{200D}\#u{1F4BB}"}}}"#
        #expect(problems(of: text).isEmpty)
    }

    @Test func aDifferenceNamesTheParts() throws {
        let diff = TemplateDiff(from: try Self.template(""), to: try .make(Self.noted))
        #expect(
            diff.parameters.first?.parts.map(\.name) == [
                "owner", "tags", "permanent", "archived", "more",
            ])
        let same = TemplateDiff(from: try .make(Self.noted), to: try .make(Self.noted))
        #expect(same.isEmpty)
        let texts = try [
            TemplateDiff(
                from: Self.template(#", "tags": ["a"]"#),
                to: Self.template(#", "tags": ["a", "b"]"#)),
            TemplateDiff(
                from: Self.template(#", "archived": true"#),
                to: Self.template(#", "archived": false"#)),
        ].map { $0.lines.map(\.text) }
        #expect(
            texts == [
                ["~ Default.a", "    - tags: [\"a\"]", "    + tags: [\"a\",\"b\"]"],
                ["~ Default.a", "    - archived: true"],
            ])
    }

    @Test func anArchivedSettingIsNotAffectedByConditions() throws {
        func template(_ expression: String, archived: Bool) throws -> RemoteConfigTemplate {
            try .make(
                #"""
                {"conditions": [{"name": "c", "expression": "\#(expression)"}],
                 "parameters": {"a": {"conditionalValues": {"c": {"value": "x"}},
                                      "archived": \#(archived)}}}
                """#)
        }
        for archived in [false, true] {
            let affected = TemplateDiff.affectedSettings(
                from: try template("percent <= 1", archived: archived),
                to: try template("percent <= 2", archived: archived))
            #expect(affected == (archived ? [] : [SettingPlace(section: "Default", key: "a")]))
        }
    }

    @Test func anUndoTakesAwayWhatWasAdded() throws {
        let (before, changed) = (try Self.template(""), try RemoteConfigTemplate.make(Self.noted))
        let undo = PartialUndo(of: changed, to: before, in: changed)
        #expect(undo.template.json() == before.json() && undo.kept.isEmpty)
        // Someone else archives it: the undo of an owner keeps that.
        let owned = try Self.template(#", "owner": "Ada""#)
        let live = try Self.template(#", "owner": "Ada", "archived": true"#)
        let partial = PartialUndo(of: owned, to: before, in: live)
        #expect(partial.template.json() == (try Self.template(#", "archived": true"#).json()))
        #expect(partial.kept.isEmpty)
    }

    @Test func documentsForOthersLackArchivedSettings() throws {
        let validated = try ValidatedTemplate(
            jsonData: Data(
                #"""
                {"parameters": {"old": {"defaultValue": {"value": "secret"}, "archived": true}},
                 "parameterGroups": {
                   "Home": {"parameters": {
                     "old": {"defaultValue": {"value": "secret"}, "archived": true},
                     "kept": {"defaultValue": {"value": "k"}, "owner": "Ada", "tags": ["t"],
                              "permanent": "legal"}}},
                   "Gone": {"parameters": {"last": {"archived": true}}}}}
                """#.utf8))
        let server = ServerTemplate(
            validated.template, conditions: [],
            version: TemplateVersion(number: 1, updateTime: Date()),
            at: Date())
        #expect(server.json["parameters"] == ["kept": ["defaultValue": ["value": "k"]]])
        #expect(server.warnings.isEmpty)
        for format in DefaultsFile.Format.allCases {
            let file = DefaultsFile(validated.template, format: format)
            let text = String(decoding: file.data, as: UTF8.self)
            #expect(text.contains("kept") && !text.contains("old") && !text.contains("secret"))
            #expect(file.warnings.isEmpty)
        }
        let rest = validated.template.withoutArchivedParameters
        #expect(rest.sections.mapValues { Array($0.names) } == ["Home": ["kept"], "Gone": []])
        #expect(
            validated.template.archivedSettings == [
                "Default": ["old"], "Home": ["old"], "Gone": ["last"],
            ])
    }

    @Test func aPinOfAnArchivedSettingIsReportedAndLeftOut() throws {
        let template = try RemoteConfigTemplate.make(
            #"""
            {"parameters": {"a": {"archived": true}, "b": {}},
             "parameterGroups": {"Old": {"parameters": {"c": {"archived": true}}}}}
            """#)
        let pins = try OverridesDocument(
            jsonData: Data(#"{"Default": {"a": "1", "b": "2"}, "Old": {"c": "3"}}"#.utf8))
        let found = pins.problems(in: template)
        #expect(Set(found.map(\.path)) == ["Default.a", "Old.c"])
        #expect(found.allSatisfy { $0.message.contains("archived") })
        let rest = pins.without(template.archivedSettings)
        #expect(rest?.json == ["Default": ["b": "2"]])
        let only = try OverridesDocument(jsonData: Data(#"{"Old": {"c": "3"}}"#.utf8))
        #expect(only.without(template.archivedSettings) == nil)
        #expect(rest?.without(template.archivedSettings) == rest)
    }
}

extension ParameterNotesTests {
    struct Promotion: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let source: String
        let target: String
        var parts = TemplatePromotion.Parts.all
        var deletions = false
        let result: String
    }

    private static let promotions = [
        Promotion(
            testDescription: "a whole setting with its notes",
            source: #", "owner": "S", "tags": ["s"], "permanent": "s""#,
            target: #", "owner": "T""#,
            result: #", "owner": "S", "tags": ["s"], "permanent": "s""#),
        Promotion(
            testDescription: "what the target has archived stays archived",
            source: #", "owner": "S""#, target: #", "archived": true"#,
            result: #", "owner": "S", "archived": true"#),
        Promotion(
            testDescription: "or comes back by its name", source: "",
            target: #", "archived": true"#, parts: .named(["archived"]), result: ""),
        Promotion(
            testDescription: "or with deletions", source: "", target: #", "archived": true"#,
            deletions: true, result: ""),
        Promotion(
            testDescription: "notes that the source lacks stay", source: "",
            target: #", "owner": "T", "tags": ["t"], "permanent": "t""#,
            result: #", "owner": "T", "tags": ["t"], "permanent": "t""#),
        Promotion(
            testDescription: "or go with deletions", source: "",
            target: #", "owner": "T", "tags": ["t"], "permanent": "t""#, deletions: true,
            result: ""),
        Promotion(
            testDescription: "an archived setting", source: #", "archived": true"#, target: "",
            result: #", "archived": true"#),
        Promotion(
            testDescription: "only its value", source: #", "archived": true, "owner": "S""#,
            target: "", parts: .named(["defaultValue"]), result: ""),
        Promotion(
            testDescription: "only that it is archived",
            source: #", "archived": true, "owner": "S""#,
            target: #", "owner": "T""#, parts: .named(["archived"]),
            result: #", "owner": "T", "archived": true"#),
        Promotion(
            testDescription: "only the tags", source: #", "tags": ["s"], "owner": "S""#,
            target: #", "archived": true"#, parts: .named(["tags"]),
            result: #", "tags": ["s"], "archived": true"#),
    ]

    @Test(arguments: promotions) func aPromotionCopiesTheChosenNotes(row: Promotion) throws {
        let source = try ValidatedTemplate(json: Self.template(row.source).json())
        var choice = TemplatePromotion.Choice()
        choice.includesDeletions = row.deletions
        choice.settings = [SettingPlace(section: "Default", key: "a"): row.parts]
        let promotion = TemplatePromotion(
            from: source, to: try Self.template(row.target), choice: choice)
        #expect(promotion.conflicts.isEmpty && promotion.missingNames.isEmpty)
        #expect(promotion.resolving([:]).json() == (try Self.template(row.result).json()))
    }

    @Test func aRetypedSettingKeepsTheNotesOfTheTarget() throws {
        let source = try ValidatedTemplate(
            jsonData: Data(
                #"{"parameters": {"a": {"defaultValue": {"value": "1"}, "valueType": "NUMBER"}}}"#
                    .utf8))
        let target = try Self.template(#", "owner": "T", "tags": ["t"], "permanent": "t""#)
        var choice = TemplatePromotion.Choice()
        choice.settings = [SettingPlace(section: "Default", key: "a"): .all]
        let promotion = TemplatePromotion(from: source, to: target, choice: choice)
        let parameter = promotion.resolving([:]).parameters["a"]
        #expect(parameter?.owner == "T" && parameter?.tags == ["t"])
        #expect(parameter?.permanentReason == "t" && parameter?.valueType == .number)
    }
}
