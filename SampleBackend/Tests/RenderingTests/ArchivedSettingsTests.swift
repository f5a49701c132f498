import ActiveConfig
import Foundation
import JSONTree
import NIOCore
import NIOFoundationEssentialsCompat
import Rendering
import Targeting
import Templates
import Testing

/// What users get of a template with archived settings: the same as after their deletion.
struct ArchivedSettingsTests {
    private static let date = Date(timeIntervalSince1970: 1_800_000_000)

    /// The fate of the settings `Default.gone`, `Home.gone` and `Gone.gone`.
    private enum Fate { case kept, archived, deleted }

    private static func template(_ fate: Fate) -> JSONNode {
        func parameters(_ others: KeyValuePairs<String, JSONNode>) -> JSONNode {
            var node = JSONNode.emptyObject
            for (key, parameter) in others { node.setMember(key, parameter) }
            guard fate != .deleted else { return node }
            var gone: JSONNode = [
                "defaultValue": ["value": "gone"],
                "conditionalValues": ["half": ["value": "gone for ${user.id}"]],
            ]
            if fate == .archived { gone.setMember("archived", true) }
            node.setMember("gone", gone)
            return node
        }
        return [
            "conditions": [["name": "half", "expression": "percent <= 50"]],
            "parameters": parameters([:]),
            "parameterGroups": [
                "Home": ["parameters": parameters(["title": ["defaultValue": ["value": "t"]]])],
                "Gone": ["parameters": parameters([:])],
            ],
        ]
    }

    private static func project(
        _ fate: Fate, version: Int = 7, pins: [String: String] = [:]
    ) throws -> PublishedProject {
        let compiled = CompiledTemplate(
            try ValidatedTemplate(json: template(fate)),
            version: TemplateVersion(number: version, updateTime: date))
        var overrides: [ExactText: OverridesDocument] = [:]
        for (user, values) in pins {
            overrides[ExactText(user)] = try OverridesDocument(jsonData: Data(values.utf8))
        }
        return PublishedProject(compiled, overrides: overrides)
    }

    private static let pins = [
        "pinned": #"{"Home": {"gone": "pinned", "title": "mine"}, "Other": {"x": 1}}"#,
        "only": #"{"Gone": {"gone": "pinned"}, "Default": {"gone": "pinned"}}"#,
    ]

    /// The pins as they are without those of the archived settings.
    private static let effectivePins = [
        "pinned": #"{"Home": {"title": "mine"}, "Other": {"x": 1}}"#
    ]

    private static let contexts = [nil, "1", "2", "3", "pinned", "only"].map {
        TargetingContext(userID: $0, date: date)
    }

    @Test func documentsAreThoseWithoutTheSetting() throws {
        let archived = try Self.project(.archived, pins: Self.pins)
        let deleted = try Self.project(.deleted, pins: Self.effectivePins)
        let kept = try Self.project(.kept, pins: Self.pins)
        for context in Self.contexts {
            let document = archived.rendered(for: context).document
            #expect(document.jsonBytes == deleted.rendered(for: context).document.jsonBytes)
            #expect(document.entityTag == deleted.rendered(for: context).document.entityTag)
            #expect(document.entityTag != kept.rendered(for: context).document.entityTag)
            #expect(!String(buffer: document.jsonBytes).contains("gone"))
        }
        #expect(archived.compiled.bootstrapBytes() == deleted.compiled.bootstrapBytes())
        #expect(archived.compiled.template.parameters["gone"] != nil)
        let later = archived.compiled.asVersion(TemplateVersion(number: 8, updateTime: Self.date))
        #expect(!later.hasSetting("gone", inSection: "Home") && !later.archivedSettings.isEmpty)
    }

    @Test func nothingIsExplainedOrCounted() throws {
        let project = try Self.project(.archived, pins: Self.pins)
        for context in Self.contexts {
            let reasons = project.reasons(for: context)
            for section in ["Default", "Home", "Gone"] {
                #expect(reasons.reason(forKey: "gone", inSection: section) == nil)
                #expect(project.explanation(for: context).settings[section]?["gone"] == nil)
            }
            #expect(!reasons.sectionNames.contains(name: "Default"))
        }
        let reach = TemplateReach(from: nil, to: project.compiled)
        #expect(reach.values.map(\.key) == ["title"])
        // A restored setting is new to the users.
        let restored = TemplateReach(
            from: project.compiled.template, to: try Self.project(.kept).compiled)
        #expect(restored.values.map(\.key) == [String](repeating: "gone", count: 6))
    }

    @Test func aChangeRemovesTheSettingAndBringsItBack() throws {
        let kept = try Self.project(.kept, version: 1, pins: Self.pins)
        let archived = try Self.project(.archived, version: 2, pins: Self.pins)
        for (old, new) in [(kept, archived), (archived, kept)] {
            let changed = ChangedSections(from: old.compiled, to: new.compiled)
            for context in Self.contexts {
                let change = DocumentChange(
                    from: old.compiled, old.basis(for: context), to: new.compiled,
                    new.basis(for: context), changedSections: changed)
                #expect(change.sectionNames.isSuperset(of: ["Default", "Home"]))
                var sections = old.state(for: context).sections.mapValues {
                    $0.settingKeys.sorted()
                }
                let tag = new.rendered(for: context).document.entityTag
                let event = try JSONNode(
                    jsonData: Data(
                        buffer: change.jsonBytes(
                            forUserID: context.userID, entityTag: tag, version: 2, eventNumber: 1)))
                for (name, section) in event["sections"]?.objectValue ?? [:] {
                    sections[name] = section["settings"]?.objectValue.map {
                        Array($0.names).sorted()
                    }
                }
                #expect(
                    sections
                        == new.state(for: context).sections.mapValues { $0.settingKeys.sorted() })
            }
        }
    }

    @Test func aServiceGetsNeitherTheSettingNorItsPins() throws {
        let project = try Self.project(.archived, pins: Self.pins)
        let document = EvaluationDocument.rendered(project)
        #expect(!String(buffer: document.jsonBytes).contains("gone"))
        let state = try ConfigurationState(jsonData: Data(buffer: document.jsonBytes))
        let service = try EvaluationDocument.project(
            in: state, cache: RenderCache(maximumBytes: 1 << 20))
        for context in Self.contexts {
            #expect(
                service.rendered(for: context).document.jsonBytes
                    == project.rendered(for: context).document.jsonBytes)
        }
        #expect(Set(service.overrides.keys) == ["pinned"])
    }
}
