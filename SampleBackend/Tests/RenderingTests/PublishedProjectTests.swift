import ActiveConfig
import Foundation
import JSONTree
import NIOCore
import Rendering
import Targeting
import Templates
import Testing

/// Rendering a template for a user and signals.
@Suite struct PublishedProjectTests {
    private static let date = Date(timeIntervalSince1970: 1_800_000_000.5)

    /// Project with one template.
    private static func make(
        _ template: JSONNode, overrides: [ExactText: OverridesDocument] = [:],
        cache: RenderCache = RenderCache(maximumBytes: 1 << 20)
    ) throws -> PublishedProject {
        PublishedProject(
            CompiledTemplate(
                try ValidatedTemplate(json: template),
                version: TemplateVersion(number: 7, updateTime: date)),
            overrides: overrides, cache: cache)
    }

    /// Template with one parameter.
    private static func template(
        value: String, type: String, conditional: [(name: String, value: JSONNode)] = [],
        conditions: JSONNode = []
    ) -> JSONNode {
        var values = JSONNode.emptyObject
        for (name, value) in conditional { values.setMember(name, value) }
        return [
            "conditions": conditions,
            "parameters": [
                "p": [
                    "defaultValue": ["value": .string(value)], "conditionalValues": values,
                    "valueType": .string(type),
                ]
            ],
        ]
    }

    private static func context(
        _ userID: String?, _ signals: Signals = Signals()
    ) -> TargetingContext {
        TargetingContext(userID: userID, signals: signals, date: date)
    }

    private static func value(
        _ project: PublishedProject, for userID: String? = "1"
    ) -> SettingValue? {
        project.state(for: context(userID)).section(named: "Default")?.value(forKey: "p")
    }

    @Test(arguments: [
        ("1.0", "NUMBER", SettingValue.double(1)), ("1", "NUMBER", .integer(1)),
        ("-0.5", "NUMBER", .double(-0.5)), ("9223372036854775808", "NUMBER", .double(0x1p63)),
        ("TRUE", "BOOLEAN", .bool(true)), ("false", "BOOLEAN", .bool(false)),
        ("1.0", "STRING", .string("1.0")), ("", "STRING", .string("")),
        (#"{"a":[1,2.0,null]}"#, "JSON", .object(["a": .array([.integer(1), .double(2), .null])])),
        ("null", "JSON", .null), (#""x""#, "JSON", .string("x")),
        ("${user.id}", "JSON", .null),
    ])
    func aProjectGivesValuesTheirType(text: String, type: String, expected: SettingValue) throws {
        guard !text.contains("$") else {
            #expect(throws: TemplateValidationError.self) {
                try Self.make(Self.template(value: text, type: type))
            }
            return
        }
        #expect(Self.value(try Self.make(Self.template(value: text, type: type))) == expected)
    }

    @Test func theStampStaysUntilSomethingChanges() throws {
        let project = try Self.make(Self.template(value: "1", type: "NUMBER"))
        let stamp = try #require(project.stamp)
        let changed = [
            project.settingOverrides(nil, forUserID: "1"), project.settingAllOverrides([:]),
            try Self.make(Self.template(value: "1", type: "NUMBER")),
        ]
        for other in changed {
            #expect(other.stamp != nil)
            #expect(other.stamp !== stamp)
        }
        let timed = try Self.make(
            Self.template(
                value: "1", type: "NUMBER",
                conditions: [
                    ["name": "later", "expression": "dateTime >= dateTime('2026-01-31T12:00:00')"]
                ]))
        #expect(timed.stamp == nil)
        #expect(timed.settingOverrides(nil, forUserID: "1").stamp == nil)
    }

    @Test func aProjectWritesNumbersAsTheyAre() throws {
        let project = try Self.make(Self.template(value: "1.0", type: "NUMBER"))
        let bytes = project.rendered(for: Self.context(nil)).document.jsonBytes
        #expect(String(buffer: bytes).contains(#""p":{"value":1.0}"#))
    }

    @Test(arguments: [
        "3", "", "a\"b\\c\n\u{1}", "${user.id}", "é", "e\u{301}", "👩‍👩‍👧", "..%2F",
        String(repeating: "x", count: 10_000),
    ])
    func aProjectPutsTheUserIDIntoTextsAndNothingElse(userID: String) throws {
        let project = try Self.make(
            Self.template(value: "a ${user.id} b ${user.id}${user.name} ${x}", type: "STRING"))
        let expected = "a \(userID) b \(userID)${user.name} ${x}"
        #expect(Self.value(project, for: userID) == .string(expected))
        for _ in 1...2 {
            let outcome = project.rendered(for: Self.context(userID))
            let state = try ConfigurationState(
                jsonData: Data(outcome.document.jsonBytes.readableBytesView))
            let text = state.section(named: "Default")?.string(forKey: "p")
            #expect(text.map { Array($0.utf8) } == Array(expected.utf8))
            #expect(state == project.state(for: Self.context(userID)))
        }
        #expect(Self.value(project, for: nil) == .string("a  b ${user.name} ${x}"))
    }

    @Test(arguments: ["a ${user.id} b ${user.id}", "${user.id}-${user.id}${user.id}", "x"])
    func theTagWithoutTheDocumentIsThatOfTheDocument(value: String) throws {
        let template = Self.template(
            value: value, type: "STRING", conditional: [("plain", ["value": "y"])],
            conditions: [["name": "plain", "expression": "user.id == 'plain'"]])
        let pinned = try OverridesDocument(
            jsonData: Data(#"{"Home": {"title": "${user.id}"}}"#.utf8))
        let project = try Self.make(template, overrides: [ExactText("pinned"): pinned])
        for userID in ["1", "", "é\"\\\n", "plain", "pinned", nil] {
            let context = Self.context(userID)
            let first = project.entityTag(for: project.basis(for: context), userID: userID)
            let document = project.rendered(for: context)
            #expect(first.entityTag == document.document.entityTag)
            #expect(document.document == RenderedDocument(project.state(for: context)))
            let again = project.entityTag(for: project.basis(for: context), userID: userID)
            #expect(again.entityTag == first.entityTag)
            #expect(again.wasCached == (userID != "pinned"))
        }
    }

    /// Everything except the version and its time.
    @Test(arguments: ["a ${user.id} b", "x"])
    func theTagCoversTheContent(value: String) throws {
        let conditions: JSONNode = [["name": "half", "expression": "percent <= 100"]]
        let project = try Self.make(
            Self.template(value: value, type: "STRING", conditions: conditions))
        let later = PublishedProject(
            project.compiled.asVersion(
                TemplateVersion(number: 1_234, updateTime: Self.date.addingTimeInterval(1e6))))
        let pinned = try OverridesDocument(jsonData: Data(#"{"Default": {"p": "x"}}"#.utf8))
        for userID in ["1", "longer", nil] {
            let context = Self.context(userID)
            let (first, second) = (project.rendered(for: context), later.rendered(for: context))
            #expect(first.document.entityTag == second.document.entityTag)
            #expect(first.document.entityTag.isWeak)
            #expect(first.document.jsonBytes != second.document.jsonBytes)
            #expect(
                first.document.exactIdentity.entityTag != second.document.exactIdentity.entityTag)
            #expect(
                second.document.exactIdentity.entityTag
                    == EntityTag(ofContent: second.document.jsonBytes))
            for published in [project, later] {
                let basis = published.basis(for: context)
                #expect(
                    published.entityTag(for: basis, userID: userID).entityTag
                        == first.document.entityTag)
                // Pinned to the current value.
                let same = published.settingOverrides(pinned, forUserID: userID ?? "")
                if value == "x", userID != nil {
                    #expect(
                        same.rendered(for: context).document.entityTag == first.document.entityTag)
                }
            }
        }
        var tags: Set<EntityTag> = []
        for (value, share) in [(value, 100), ("y", 100), (value, 0)] {
            let other = try Self.make(
                Self.template(
                    value: value, type: "STRING",
                    conditions: [
                        ["name": "half", "expression": .string("percent <= \(share)")]
                    ]))
            tags.insert(other.rendered(for: Self.context("1")).document.entityTag)
        }
        #expect(tags.count == 3)
    }

    @Test func aProjectTakesTheFirstTrueConditionOfTheTemplateThatHasAValue() throws {
        let conditions: JSONNode = [
            ["name": "never", "expression": "false"],
            ["name": "unused", "expression": "true"],
            ["name": "first", "expression": "user.id in ['1', '2']"],
            ["name": "second", "expression": "user.id in ['2', '3']"],
        ]
        let project = try Self.make(
            Self.template(
                value: "default", type: "STRING",
                conditional: [
                    ("second", ["value": "second"]), ("first", ["value": "first"]),
                    ("never", ["value": "never"]),
                ], conditions: conditions))
        #expect(Self.value(project, for: "1") == "first")
        #expect(Self.value(project, for: "2") == "first")
        #expect(Self.value(project, for: "3") == "second")
        #expect(Self.value(project, for: "4") == "default")
        #expect(Self.value(project, for: nil) == "default")
    }

    @Test func aValueIsPickedByAConditionBeyondTheFirst64() throws {
        let conditions: [JSONNode] = (0..<300).map {
            ["name": .string("c\($0)"), "expression": .string("user.id == '\($0)'")]
        }
        let project = try Self.make(
            Self.template(
                value: "default", type: "STRING",
                conditional: [63, 64, 255, 256, 299].map {
                    (name: "c\($0)", value: ["value": .string("v\($0)")])
                },
                conditions: .array(conditions)))
        for user in [63, 64, 255, 256, 299] {
            #expect(Self.value(project, for: "\(user)") == .string("v\(user)"))
            let document = project.rendered(for: Self.context("\(user)")).document
            #expect(String(buffer: document.jsonBytes).contains("\"v\(user)\""))
        }
        #expect(Self.value(project, for: "65") == "default")
    }

    @Test func aProjectLeavesOutWhatTheAppKnowsItself() throws {
        let project = try Self.make(
            Self.template(
                value: "x", type: "STRING", conditional: [("own", ["useInAppDefault": true])],
                conditions: [["name": "own", "expression": "user.id == '1'"]]))
        #expect(Self.value(project, for: "1") == nil)
        #expect(Self.value(project, for: "2") == "x")
    }

    @Test func aProjectNeverServesWhatNeedsTheMasterKey() throws {
        var template = Self.template(value: "secret text", type: "STRING")
        var parameter = try #require(template["parameters"]?["p"])
        parameter.setMember("masterKeyOnly", true)
        template.setMember(
            "parameters", ["p": parameter, "q": ["defaultValue": ["value": "open"]]])
        let project = try Self.make(template)
        let bytes = project.rendered(for: Self.context("1")).document.jsonBytes
        #expect(!String(buffer: bytes).contains("secret"))
        #expect(String(buffer: bytes).contains("open"))
        let bootstrap = String(buffer: project.compiled.bootstrapBytes())
        #expect(bootstrap.contains("open"))
        #expect(!bootstrap.contains("secret"))
        #expect(project.explanation(for: Self.context("1")).settings["Default"]?["p"] == nil)
    }

    @Test func aProjectSaysOfWhichVersionItIs() throws {
        let project = try Self.make(
            Self.template(
                value: "x", type: "STRING",
                conditions: [
                    ["name": "half", "expression": "percent <= 100"],
                    ["name": "all", "expression": "true"],
                ]))
        let meta = project.state(for: Self.context("1")).meta
        #expect(meta["format_version_string"] == "1.0")
        #expect(meta["template_version"] == 7)
        #expect(meta["creation_time"] == "2027-01-15T08:00:00.500Z")
        #expect(meta["experiments"] == .object(["half": true]))
        let generic = project.state(for: Self.context(nil)).meta
        #expect(generic["experiments"] == .object(["half": false]))
    }

    @Test func aProjectLetsOverridesWin() throws {
        let overrides = try OverridesDocument(
            jsonData: Data(#"{"Default": {"p": "pinned", "q": 2}, "Extra": {"a": [1.5]}}"#.utf8))
        let template = Self.template(
            value: "x", type: "STRING", conditional: [("all", ["value": "y"])],
            conditions: [["name": "all", "expression": "true"]])
        let project = try Self.make(template, overrides: [ExactText("é"): overrides])
        let state = project.state(for: Self.context("é"))
        #expect(state.section(named: "Default")?["p"] == "pinned")
        #expect(state.section(named: "Default")?["q"] == 2)
        #expect(state.section(named: "Extra")?["a"] == [1.5])
        #expect(Self.value(project, for: "e\u{301}") == "y")
        let reason = project.explanation(for: Self.context("é")).settings["Default"]?["p"]
        #expect(reason?.source == .override)
        let without = project.settingOverrides(nil, forUserID: "é")
        #expect(Self.value(without, for: "é") == "y")
    }

    @Test func aProjectSharesDocumentsOfUsersWithTheSameResults() throws {
        let project = try Self.make(
            Self.template(
                value: "x", type: "STRING", conditional: [("third", ["value": "y"])],
                conditions: [["name": "third", "expression": "user.id == '3'"]]))
        #expect(!project.rendered(for: Self.context("1")).wasCached)
        let second = project.rendered(for: Self.context("2"))
        #expect(second.wasCached)
        #expect(!project.rendered(for: Self.context("3")).wasCached)
        #expect(
            project.rendered(for: Self.context("1")).document == second.document)
        #expect(
            project.rendered(for: Self.context("3")).document.entityTag
                != second.document.entityTag)
    }

    @Test func aProjectBoundsTheMemoryOfDocuments() throws {
        let conditions = JSONNode.array(
            (0..<14).map { number in
                [
                    "name": .string("c\(number)"),
                    "expression": .string("app.customSignal['bits'].contains(['<\(number)>'])"),
                ]
            })
        let values = (0..<14).map {
            (name: "c\($0)", value: JSONNode.object(["value": .string("v\($0)")]))
        }
        let cache = RenderCache(maximumBytes: 100_000)
        let project = try Self.make(
            Self.template(
                value: String(repeating: "x", count: 1_000), type: "STRING", conditional: values,
                conditions: conditions),
            cache: cache)
        for number in 0..<4_096 {
            let bits = (0..<14).filter { number & (1 << $0) != 0 }.map { "<\($0)>" }.joined()
            let context = Self.context("1", Signals(custom: ["bits": bits]))
            let outcome = project.rendered(for: context)
            #expect(
                outcome.document == RenderedDocument(project.state(for: context)))
        }
        #expect(cache.bytes <= 100_000)
        #expect(cache.bytes > 10_000)
    }

    @Test func aDocumentThatIsTooLargeForTheCacheDisplacesNone() throws {
        let cache = RenderCache(maximumBytes: 100_000)
        func project(_ value: String) throws -> PublishedProject {
            try Self.make(Self.template(value: value, type: "STRING"), cache: cache)
        }
        let small = try project("small")
        let large = try project(String(repeating: "x", count: 60_000))
        #expect(!small.rendered(for: Self.context("1")).wasCached)
        for _ in 0..<3 { #expect(!large.rendered(for: Self.context("1")).wasCached) }
        #expect(small.rendered(for: Self.context("1")).wasCached)
    }

    @Test func projectsShareTheMemoryOfACacheButNoDocuments() throws {
        let cache = RenderCache(maximumBytes: 100_000)
        func project(_ value: String) throws -> PublishedProject {
            try Self.make(Self.template(value: value, type: "STRING"), cache: cache)
        }
        let first = try project("first")
        #expect(!first.rendered(for: Self.context("1")).wasCached)
        for number in 0..<200 {
            let other = try project(String(repeating: "\(number) ", count: 300))
            let outcome = other.rendered(for: Self.context("1"))
            #expect(!outcome.wasCached)
            #expect(outcome.document == RenderedDocument(other.state(for: Self.context("1"))))
            #expect(cache.bytes <= 100_000)
            #expect(first.rendered(for: Self.context("1")).wasCached, "\(number)")
        }
        // A later version of a project has the same results of its conditions.
        #expect(try !project("first").rendered(for: Self.context("1")).wasCached)
    }

    @Test func aDocumentInUseStaysInTheCache() throws {
        let conditions: [JSONNode] = (0..<200).map {
            ["name": .string("c\($0)"), "expression": .string("user.id == '\($0)'")]
        }
        // Room for a few of them.
        let project = try Self.make(
            Self.template(value: "x", type: "STRING", conditions: .array(conditions)),
            cache: RenderCache(maximumBytes: 20_000))
        #expect(!project.rendered(for: Self.context("0")).wasCached)
        for user in 1..<200 {
            #expect(!project.rendered(for: Self.context("\(user)")).wasCached)
            #expect(project.rendered(for: Self.context("0")).wasCached)
        }
        #expect(!project.rendered(for: Self.context("1")).wasCached)
    }

    @Test func overridesAreSetAndRemovedByTheBytesOfTheUserID() throws {
        let pinned = try OverridesDocument(jsonData: Data(#"{"Default": {"p": "mine"}}"#.utf8))
        let project = try Self.make(Self.template(value: "x", type: "STRING"))
            .settingOverrides(pinned, forUserID: "\u{C4}b")
        #expect(Self.value(project, for: "\u{C4}b") == "mine")
        for other in ["\u{E4}b", "A\u{308}b", "", nil] {
            #expect(Self.value(project, for: other) == "x")
        }
        let without = project.settingOverrides(nil, forUserID: "\u{C4}b")
        #expect(Self.value(without, for: "\u{C4}b") == "x")
        #expect(Self.value(project, for: "\u{C4}b") == "mine")
    }

    @Test func aProjectNamesTrueConditionsWhoseValueIsNotEvaluated() throws {
        let rollout: JSONNode = [
            "rolloutValue": ["rolloutId": "rollout_1", "value": "r", "percent": 50]
        ]
        let project = try Self.make(
            Self.template(
                value: "x", type: "STRING",
                conditional: [
                    ("japan", rollout), ("all", rollout), ("third", ["value": "t"]),
                    ("late", rollout),
                ],
                conditions: [
                    ["name": "japan", "expression": "device.country in ['JP']"],
                    ["name": "all", "expression": "true"],
                    ["name": "third", "expression": "user.id == '3'"],
                    ["name": "late", "expression": "true"],
                ]))
        func reason(_ userID: String) -> SettingReason? {
            project.explanation(for: Self.context(userID)).settings["Default"]?["p"]
        }
        #expect(reason("3")?.source == .condition("third"))
        #expect(reason("3")?.unevaluatedConditions == ["all"])
        #expect(reason("4")?.source == .defaultValue)
        #expect(reason("4")?.unevaluatedConditions == ["all", "late"])
        #expect(reason("4")?.falseConditions == ["third"])
    }

    @Test func aProjectOmitsADefaultValueThatIsNotEvaluated() throws {
        let project = try Self.make([
            "conditions": [["name": "third", "expression": "user.id == '3'"]],
            "parameters": [
                "p": [
                    "defaultValue": ["personalizationValue": ["personalizationId": "p13n"]],
                    "conditionalValues": ["third": ["value": "t"]],
                ]
            ],
        ])
        #expect(Self.value(project, for: "3") == .string("t"))
        #expect(Self.value(project, for: "4") == nil)
        let reason = project.explanation(for: Self.context("4")).settings["Default"]?["p"]
        #expect(reason?.source == .defaultValue)
        #expect(reason?.value == nil)
    }

    @Test func aProjectExplainsEachSetting() throws {
        let project = try Self.make(
            Self.template(
                value: "x", type: "STRING",
                conditional: [("japan", ["value": "j"]), ("third", ["value": "t"])],
                conditions: [
                    ["name": "japan", "expression": "device.country in ['JP']"],
                    ["name": "third", "expression": "user.id == '3' && percent <= 100"],
                ]))
        let explanation = project.explanation(for: Self.context("3"))
        let reason = explanation.settings["Default"]?["p"]
        #expect(reason?.source == .condition("third"))
        #expect(reason?.value == "t")
        #expect(reason?.falseConditions == ["japan"])
        #expect(explanation.conditions.map(\.name) == ["japan", "third"])
        #expect(explanation.conditions[0].explanation.failedRule == "device.country in ['JP']")
        #expect(explanation.conditions[1].explanation.percentiles.count == 1)
        let other = project.explanation(for: Self.context("4"))
        #expect(other.settings["Default"]?["p"]?.source == .defaultValue)
    }
}
