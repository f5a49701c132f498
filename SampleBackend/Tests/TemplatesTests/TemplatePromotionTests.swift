import JSONTree
import SeededRandomness
import Templates
import Testing

struct TemplatePromotionTests {
    private typealias Choice = TemplatePromotion.Choice

    private static func validated(_ template: RemoteConfigTemplate) throws -> ValidatedTemplate {
        try ValidatedTemplate(json: template.json())
    }

    /// Template with parameters in the section `Home`, each with a default and conditional values.
    private static func template(
        _ conditions: KeyValuePairs<String, String>,
        _ parameters: KeyValuePairs<String, KeyValuePairs<String, String>>
    ) -> RemoteConfigTemplate {
        var group = ParameterGroup()
        for (key, values) in parameters {
            var parameter = TemplateParameter(valueType: .string)
            for (name, value) in values {
                if name.isEmpty {
                    parameter.defaultValue = .value(value)
                } else {
                    parameter.conditionalValues[name] = .value(value)
                }
            }
            group.parameters[key] = parameter
        }
        return RemoteConfigTemplate(
            conditions: conditions.map { TemplateCondition(name: $0.key, expression: $0.value) },
            parameterGroups: ["Home": group])
    }

    private static func home(_ key: String) -> SettingPlace {
        SettingPlace(section: "Home", key: key)
    }

    @Test func chosenValuesComeWithTheirConditions() throws {
        let source = Self.template(
            ["ios": "device.os == 'ios'", "beta": "percent('s') <= 10", "unused": "true"],
            ["title": ["": "new", "beta": "b", "ios": "i"], "other": ["": "new"]])
        let target = Self.template(
            ["ios": "device.os == 'ios'", "mine": "percent <= 5"],
            ["title": ["": "old", "mine": "m"], "other": ["": "old"], "kept": ["": "k"]])
        var choice = Choice()
        choice.settings = [Self.home("title"): .all]
        let promotion = TemplatePromotion(
            from: try Self.validated(source), to: target, choice: choice)
        #expect(promotion.conditions.added == ["beta"])
        #expect(promotion.conditions.reused == ["ios"])
        #expect(promotion.conditions.different.isEmpty && promotion.conditions.omitted.isEmpty)
        let merged = promotion.resolving([:])
        let parameters = merged.parameterGroups["Home"]?.parameters ?? [:]
        #expect(Array(parameters.names) == ["title", "other", "kept"])
        let title = parameters["title"]
        #expect(title?.defaultValue == .value("new"))
        // Without deletions, a value that only the target has stays.
        #expect(
            title?.conditionalValues == [
                "beta": .value("b"), "ios": .value("i"), "mine": .value("m"),
            ])
        #expect(parameters["other"]?.defaultValue == .value("old"))
        #expect(merged.conditions.map(\.name).filter { $0 != "beta" } == ["ios", "mine"])
        #expect(merged.conditions.first { $0.name == "beta" }?.expression == "percent('s') <= 10")
    }

    /// T36: the result of other settings changes only if that is chosen.
    @Test func aConditionWithAnotherExpressionIsAskedAbout() throws {
        let source = Self.template(["beta": "percent <= 50"], ["title": ["": "new", "beta": "b"]])
        let target = Self.template(
            ["beta": "percent <= 5"], ["title": ["": "old"], "other": ["": "o", "beta": "x"]])
        let promotion = TemplatePromotion(
            from: try Self.validated(source), to: target, choice: Choice())
        #expect(promotion.conditions.different == ["beta"])
        let conflict = try #require(promotion.conflicts.first)
        #expect(promotion.conflicts.count == 1)
        #expect(conflict.path == "conditions.beta")
        #expect(conflict.mine?["expression"] == "percent <= 50")
        #expect(conflict.theirs?["expression"] == "percent <= 5")
        let kept = promotion.resolving([:])
        #expect(kept.conditions.map(\.expression) == ["percent <= 5"])
        #expect(kept.parameterGroups["Home"]?.parameters["title"]?.defaultValue == .value("new"))
        #expect(TemplateDiff.affectedSettings(from: target, to: kept).isEmpty)
        let taken = promotion.resolving(["conditions.beta": .mine])
        #expect(taken.conditions.map(\.expression) == ["percent <= 50"])
        #expect(
            TemplateDiff.affectedSettings(from: target, to: taken) == [Self.home("other")])
    }

    /// T37: an empty seed stays empty, and any other one stays as it is.
    @Test func seedsAreCopiedAsTheyAre() throws {
        let expressions = ["percent <= 10", "percent('a-B_1.') <= 10", "  percent<=10"]
        for expression in expressions {
            let source = Self.template(["beta": expression], ["title": ["": "new", "beta": "b"]])
            let merged = TemplatePromotion(
                from: try Self.validated(source), to: RemoteConfigTemplate(), choice: Choice()
            ).resolving([:])
            let copy = try #require(merged.conditions.first?.expression)
            #expect(copy.utf8.elementsEqual(expression.utf8))
        }
        // In a server template, the seed can also be empty.
        let condition: JSONNode = [
            "percent": [
                "percentOperator": "LESS_OR_EQUAL", "microPercent": 10_000_000, "seed": "",
            ]
        ]
        var source = Self.template(["beta": "true"], ["title": ["": "new", "beta": "b"]])
        source.conditions = [TemplateCondition(name: "beta", serverCondition: condition)]
        let merged = TemplatePromotion(
            from: try Self.validated(source), to: RemoteConfigTemplate(), choice: Choice()
        ).resolving([:])
        #expect(merged.conditions.first?.serverCondition == condition)
    }

    /// Deletions remove a chosen setting from a section that the source does not have, and leave
    /// the section, which was not chosen.
    @Test func aChosenSettingIsRemovedFromAMissingSection() throws {
        let target = Self.template([:], ["title": ["": "old"], "kept": ["": "k"]])
        var choice = Choice()
        choice.includesDeletions = true
        choice.settings = [Self.home("title"): .all]
        let source = try Self.validated(RemoteConfigTemplate())
        let some = TemplatePromotion(from: source, to: target, choice: choice).resolving([:])
        #expect(some.parameterGroups["Home"].map { Array($0.parameters.names) } == ["kept"])
        choice.settings[Self.home("kept")] = .all
        let none = TemplatePromotion(from: source, to: target, choice: choice).resolving([:])
        #expect(none.parameterGroups["Home"]?.parameters.isEmpty == true)
        choice.sections = ["Home"]
        let section = TemplatePromotion(from: source, to: target, choice: choice).resolving([:])
        #expect(section.parameterGroups["Home"] == nil)
    }

    /// T38: neither conditions that name users nor deletions arrive by default.
    @Test func conditionsThatNameUsersAreNotCopied() throws {
        let source = Self.template(
            ["tester": "user.id == '1' && percent <= 50", "same": "user.id in ['2']"],
            ["title": ["": "new", "tester": "t", "same": "s"]])
        let target = Self.template(
            ["same": "user.id in ['2']"], ["title": ["": "old"], "gone": ["": "g"]])
        var choice = Choice()
        let promotion = TemplatePromotion(
            from: try Self.validated(source), to: target, choice: choice)
        #expect(promotion.conditions.omitted == ["tester"])
        #expect(promotion.conditions.reused == ["same"])
        #expect(promotion.omittedValues.map(\.condition) == ["tester"])
        #expect(promotion.omittedValues.map(\.setting) == [Self.home("title")])
        let merged = promotion.resolving([:])
        let parameters = merged.parameterGroups["Home"]?.parameters
        #expect(parameters?["title"]?.conditionalValues == ["same": .value("s")])
        #expect(parameters?["gone"] != nil)
        choice.includesUserConditions = true
        let all = TemplatePromotion(from: try Self.validated(source), to: target, choice: choice)
        #expect(all.conditions.added == ["tester"] && all.omittedValues.isEmpty)
        #expect(all.resolving([:]).conditions.map(\.name) == ["tester", "same"])
    }

    /// A value for a condition that is not copied does not count as deleted in the source.
    @Test func deletionsKeepTheTargetsValuesForOmittedConditions() throws {
        let source = Self.template(
            ["tester": "user.id == '1'"], ["title": ["": "new", "tester": "s"]])
        let target = Self.template(
            ["tester": "user.id == '2'", "old": "true"],
            ["title": ["": "old", "tester": "t", "old": "o"], "gone": ["": "g", "old": "o"]])
        var choice = Choice()
        choice.includesDeletions = true
        let merged = TemplatePromotion(
            from: try Self.validated(source), to: target, choice: choice
        ).resolving([:])
        let parameters = merged.parameterGroups["Home"]?.parameters
        #expect(parameters?["title"]?.conditionalValues == ["tester": .value("t")])
        #expect(parameters?["gone"] == nil)
        // Nothing uses "old" any more, and the source does not have it.
        #expect(merged.conditions.map(\.name) == ["tester"])
    }

    @Test func anOrderThatIsNotClearIsAskedAbout() throws {
        let source = Self.template(
            ["a": "percent <= 10", "b": "percent <= 20"], ["title": ["": "n", "a": "a", "b": "b"]])
        let target = Self.template(
            ["b": "percent <= 20", "a": "percent <= 10"], ["title": ["": "o", "a": "x", "b": "y"]])
        let promotion = TemplatePromotion(
            from: try Self.validated(source), to: target, choice: Choice())
        #expect(promotion.conflicts.map(\.path) == ["conditions"])
        #expect(promotion.conflicts.first?.stakes?.conditions == ["a", "b"])
        #expect(promotion.resolving([:]).conditions.map(\.name) == ["b", "a"])
        #expect(
            promotion.resolving(["conditions": .mine]).conditions.map(\.name) == ["a", "b"])
    }

    @Test func onlySomePartsOfASettingCanBeCopied() throws {
        let source = Self.template(
            ["a": "percent <= 10", "b": "percent <= 20"],
            ["title": ["": "new", "a": "1", "b": "2"]])
        var target = Self.template([:], ["title": ["": "old"]])
        target.parameterGroups["Home"]?.parameters["title"]?.description = "kept"
        var choice = Choice()
        choice.settings = [Self.home("title"): .named(["conditionalValues.a"])]
        let promotion = TemplatePromotion(
            from: try Self.validated(source), to: target, choice: choice)
        let title = promotion.resolving([:]).parameterGroups["Home"]?.parameters["title"]
        #expect(title?.defaultValue == .value("old"))
        #expect(title?.conditionalValues == ["a": .value("1")])
        #expect(title?.description == "kept")
        #expect(promotion.conditions.added == ["a"])
    }

    @Test func unknownMembersOfBothSidesSurvive() throws {
        var source = Self.template([:], ["title": ["": "new"], "added": ["": "a"]])
        source.unknownFields = ["source": 1]
        source.parameterGroups["Home"]?.unknownFields = ["group": "s"]
        source.parameterGroups["Home"]?.parameters["title"]?.unknownFields = ["new": [1]]
        var target = Self.template([:], ["title": ["": "old"]])
        target.unknownFields = ["target": 2]
        target.parameterGroups["Home"]?.parameters["title"]?.unknownFields = ["old": [2]]
        target.parameterGroups["Home"]?.parameters["title"]?.defaultValue =
            ParameterValue(.unevaluated("personalizationValue", ["id": "x"]))
        var choice = Choice()
        choice.settings = [Self.home("title"): .named(["new"])]
        let merged = TemplatePromotion(
            from: try Self.validated(source), to: target, choice: choice
        ).resolving([:])
        #expect(merged.unknownFields == ["target": 2])
        let title = try #require(merged.parameterGroups["Home"]?.parameters["title"])
        #expect(JSONNode.object(title.unknownFields) == ["old": [2], "new": [1]])
        #expect(
            title.defaultValue?.content == .unevaluated("personalizationValue", ["id": "x"]))
    }

    @Test func missingNamesAreFound() throws {
        let source = Self.template([:], ["title": ["": "new"]])
        var choice = Choice()
        choice.settings = [Self.home("none"): .all, Self.home("title"): .all]
        choice.sections = ["Nowhere"]
        let promotion = TemplatePromotion(
            from: try Self.validated(source), to: RemoteConfigTemplate(), choice: choice)
        #expect(promotion.missingNames == ["Nowhere", "Home.none"])
    }

    /// With deletions, a name counts as missing if neither project has it.
    @Test func missingNamesAreFoundWithDeletions() throws {
        let source = try Self.validated(Self.template([:], ["title": ["": "new"]]))
        let target = Self.template([:], ["gone": ["": "old"]])
        var choice = Choice()
        choice.includesDeletions = true
        choice.settings = [
            Self.home("none"): .all, Self.home("title"): .all, Self.home("gone"): .all,
        ]
        choice.sections = ["Nowhere", "Home"]
        let promotion = TemplatePromotion(from: source, to: target, choice: choice)
        #expect(promotion.missingNames == ["Nowhere", "Home.none"])
    }

    @Test func missingPartsAreFound() throws {
        let source = Self.template(["a": "percent <= 1"], ["title": ["": "new", "a": "1"]])
        var target = Self.template(["b": "percent <= 2"], ["title": ["": "old", "b": "2"]])
        target.parameterGroups["Home"]?.parameters["title"]?.unknownFields = ["more": 1]
        var choice = Choice()
        choice.settings = [
            Self.home("title"): .named([
                "defaultvalue", "conditionalValues.c", "conditionalValues.a",
                "conditionalValues.b", "more", "description", "masterKeyOnly", "valueType",
                "defaultValue",
            ])
        ]
        for includesDeletions in [false, true] {
            choice.includesDeletions = includesDeletions
            let promotion = TemplatePromotion(
                from: try Self.validated(source), to: target, choice: choice)
            #expect(
                promotion.missingNames
                    == ["Home.title.conditionalValues.c", "Home.title.defaultvalue"])
        }
    }

    private struct Visibility {
        let source: Bool
        let target: Bool
        let parts: TemplatePromotion.Parts
        var deletions = false
        let result: Bool
    }

    private static let visibilities = [
        Visibility(source: false, target: true, parts: .all, result: true),
        Visibility(source: true, target: false, parts: .all, result: true),
        Visibility(source: false, target: true, parts: .all, deletions: true, result: false),
        Visibility(source: false, target: true, parts: .named(["masterKeyOnly"]), result: false),
        Visibility(source: true, target: false, parts: .named(["masterKeyOnly"]), result: true),
        Visibility(source: true, target: false, parts: .named(["defaultValue"]), result: true),
        Visibility(
            source: true, target: false, parts: .named(["conditionalValues.a"]), result: true),
        Visibility(source: true, target: false, parts: .named(["description"]), result: false),
        Visibility(source: false, target: true, parts: .named(["defaultValue"]), result: true),
    ]

    /// No hidden setting, and no value of one, becomes visible unless that is chosen.
    @Test func aHiddenSettingStaysHidden() throws {
        for row in Self.visibilities {
            var source = Self.template(["a": "percent <= 1"], ["title": ["": "new", "a": "1"]])
            source.parameterGroups["Home"]?.parameters["title"]?.isMasterKeyOnly = row.source
            var target = Self.template([:], ["title": ["": "old"]])
            target.parameterGroups["Home"]?.parameters["title"]?.isMasterKeyOnly = row.target
            var choice = Choice()
            choice.includesDeletions = row.deletions
            choice.settings = [Self.home("title"): row.parts]
            let promotion = TemplatePromotion(
                from: try Self.validated(source), to: target, choice: choice)
            #expect(promotion.conflicts.isEmpty)
            let title = promotion.resolving([:]).parameterGroups["Home"]?.parameters["title"]
            #expect(title?.isMasterKeyOnly == row.result, "\(row)")
        }
    }

    /// A condition that both have, but that no chosen value uses, gives a new one its place.
    @Test func aNewConditionFollowsTheSharedOnesOfTheSource() throws {
        let source = Self.template(
            ["a": "percent <= 1", "n": "percent <= 2", "b": "percent <= 3"],
            ["title": ["": "new", "n": "n"], "other": ["": "o", "a": "a", "b": "b"]])
        for values in [["": "old", "a": "x"], ["": "old"]] as [KeyValuePairs<String, String>] {
            let target = Self.template(
                ["a": "percent <= 9", "b": "percent <= 3"],
                ["title": values, "other": ["": "o", "a": "a", "b": "b"]])
            var choice = Choice()
            choice.settings = [Self.home("title"): .all]
            let promotion = TemplatePromotion(
                from: try Self.validated(source), to: target, choice: choice)
            #expect(promotion.conflicts.isEmpty)
            #expect(promotion.conditions.added == ["n"])
            #expect(promotion.conditions.reused.isEmpty && promotion.conditions.different.isEmpty)
            let merged = promotion.resolving([:])
            #expect(merged.conditions.map(\.name) == ["a", "n", "b"])
            // The target keeps its own condition.
            #expect(merged.conditions.first?.expression == "percent <= 9")
        }
    }

    /// Conditions in another order that no chosen value uses are no reason to ask.
    @Test func unusedConditionsInAnotherOrderAreNoConflict() throws {
        let parameters: KeyValuePairs<String, KeyValuePairs<String, String>> = [
            "title": ["": "new", "n": "n"], "other": ["": "o", "a": "a", "b": "b"],
        ]
        let source = Self.template(
            ["a": "percent <= 1", "b": "percent <= 3", "n": "percent <= 2"], parameters)
        let target = Self.template(
            ["b": "percent <= 3", "a": "percent <= 1"],
            ["title": ["": "old"], "other": ["": "o", "a": "a", "b": "b"]])
        var choice = Choice()
        choice.settings = [Self.home("title"): .all]
        let promotion = TemplatePromotion(
            from: try Self.validated(source), to: target, choice: choice)
        #expect(promotion.conflicts.isEmpty)
        let names = promotion.resolving([:]).conditions.map(\.name)
        #expect(names.filter { $0 != "n" } == ["b", "a"])
        #expect(TemplateDiff.affectedSettings(from: target, to: promotion.resolving([:])).isEmpty)
    }

    /// A change of the type alone keeps the other parts of the target.
    @Test func aChosenTypeKeepsWhatWasNotChosen() throws {
        var source = Self.template([:], ["title": ["": "7"]])
        source.parameterGroups["Home"]?.parameters["title"]?.valueType = .number
        var target = Self.template(["a": "percent <= 1"], ["title": ["": "5", "a": "6"]])
        target.parameterGroups["Home"]?.parameters["title"]?.description = "kept"
        target.parameterGroups["Home"]?.parameters["title"]?.unknownFields = ["more": 1]
        let rows: [(TemplatePromotion.Parts, String, Bool)] = [
            (.named(["valueType"]), "5", true), (.all, "7", false),
            (.named(["valueType", "defaultValue"]), "7", true),
        ]
        for (parts, value, keepsConditionalValue) in rows {
            var choice = Choice()
            choice.settings = [Self.home("title"): parts]
            let promotion = TemplatePromotion(
                from: try Self.validated(source), to: target, choice: choice)
            let path = "parameterGroups.Home.parameters.title"
            #expect(promotion.conflicts.map(\.path) == [path], "\(parts)")
            let kept = promotion.resolving([:])
            #expect(kept.json() == target.json(), "\(parts)")
            let merged = promotion.resolving([path: .mine])
            let title = merged.parameterGroups["Home"]?.parameters["title"]
            #expect(title?.valueType == .number, "\(parts)")
            #expect(title?.defaultValue == .value(value), "\(parts)")
            #expect(title?.description == "kept", "\(parts)")
            #expect(title?.unknownFields["more"] == 1, "\(parts)")
            #expect(
                title?.conditionalValues
                    == (keepsConditionalValue ? ["a": .value("6")] : [:]), "\(parts)")
        }
    }

    @Test func aSettingThatAlsoDiffersInItsDescriptionIsAffected() {
        let old = Self.template(["a": "percent <= 1"], ["title": ["": "t", "a": "x"]])
        var new = Self.template(["a": "percent <= 2"], ["title": ["": "t", "a": "x"]])
        new.parameterGroups["Home"]?.parameters["title"]?.description = "new"
        #expect(TemplateDiff.affectedSettings(from: old, to: new) == [Self.home("title")])
        new.parameterGroups["Home"]?.parameters["title"]?.defaultValue = .value("u")
        #expect(TemplateDiff.affectedSettings(from: old, to: new).isEmpty)
    }
}

/// Properties of promotions between random templates, by a model of the served values.
struct TemplatePromotionPropertyTests {
    /// The values that a template gives a user who satisfies some expressions; nil settings are
    /// missing.
    private static func values(
        _ template: RemoteConfigTemplate, user: Int
    ) -> [SettingPlace: ParameterValue] {
        var values: [SettingPlace: ParameterValue] = [:]
        for (section, parameters) in template.withoutArchivedParameters.sections {
            for (key, parameter) in parameters {
                let condition = template.conditions.first { condition in
                    parameter.conditionalValues[condition.name] != nil
                        && satisfies(user, condition.expression ?? "")
                }
                values[SettingPlace(section: section, key: key)] =
                    condition.flatMap { parameter.conditionalValues[$0.name] }
                    ?? parameter.defaultValue
            }
        }
        return values
    }

    /// Whether a user satisfies an expression, for each combination in some user.
    private static func satisfies(_ user: Int, _ expression: String) -> Bool {
        let limit = Int(expression.suffix(1)) ?? 0
        return user >> limit & 1 == 1
    }

    /// A user for each combination of the expressions `percent <= 1` to `percent <= 4`.
    private static let users = 0..<32

    private struct Trial {
        let source: RemoteConfigTemplate
        let target: RemoteConfigTemplate
        let choice: TemplatePromotion.Choice
        let promotion: TemplatePromotion

        init(
            from source: RemoteConfigTemplate, to target: RemoteConfigTemplate,
            _ choice: TemplatePromotion.Choice
        ) throws {
            self.source = source
            self.target = target
            self.choice = choice
            promotion = TemplatePromotion(
                from: try ValidatedTemplate(json: source.json()), to: target, choice: choice)
        }

        func resolved(_ side: TemplateMerge.Side) -> RemoteConfigTemplate {
            promotion.resolving(
                NamedValues(
                    promotion.conflicts.map { (key: $0.path, value: side) },
                    uniquingKeysWith: { first, _ in first }))
        }
    }

    /// Runs a check on random pairs of templates, with a random choice.
    private func forEachTrial(
        _ test: String = #function, _ check: (Trial, Int) throws -> Void
    ) throws {
        var seeds = SeededGenerator.printingItsSeed(test)
        for round in Rounds.numbers(300, nightly: 20_000, test) {
            var generator = TemplateGenerator(seed: seeds.next())
            let source = generator.template()
            let target =
                Bool.random(using: &generator)
                ? generator.variant(of: source) : generator.template()
            var choice = TemplatePromotion.Choice()
            choice.includesDeletions = Bool.random(using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: break
            case 1: choice.sections = ["A"]
            default:
                choice.settings = [
                    SettingPlace(section: "Default", key: "k1"): .all,
                    SettingPlace(section: "B", key: "k2"): .all,
                ]
            }
            try check(try Trial(from: source, to: target, choice), round)
        }
    }

    @Test func whatIsNotChosenKeepsItsValuesForEachUser() throws {
        try forEachTrial { trial, round in
            let merged = trial.resolved(.theirs)
            #expect(TemplateDiff.affectedSettings(from: trial.target, to: merged).isEmpty)
            for user in Self.users {
                let before = Self.values(trial.target, user: user)
                let after = Self.values(merged, user: user)
                for (place, value) in before where !Self.isChosen(place, trial.choice) {
                    #expect(after[place] == value, "round \(round), \(place), user \(user)")
                }
            }
        }
    }

    @Test func whatChangesWithoutBeingChosenIsNamed() throws {
        try forEachTrial { trial, round in
            let merged = trial.resolved(.mine)
            let named = Set(TemplateDiff.affectedSettings(from: trial.target, to: merged))
            for user in Self.users {
                let before = Self.values(trial.target, user: user)
                let after = Self.values(merged, user: user)
                for (place, value) in before
                where !Self.isChosen(place, trial.choice) && !named.contains(place) {
                    #expect(after[place] == value, "round \(round), \(place), user \(user)")
                }
            }
        }
    }

    @Test func withDeletionsAndTheSourcesSideTheChosenIsAsInTheSource() throws {
        try forEachTrial { trial, round in
            guard trial.choice.includesDeletions else { return }
            let merged = trial.resolved(.mine)
            for user in Self.users {
                let wanted = Self.values(trial.source, user: user)
                let values = Self.values(merged, user: user)
                let places = Set(wanted.keys).union(values.keys)
                for place in places where Self.isChosen(place, trial.choice) {
                    #expect(
                        values[place] == wanted[place], "round \(round), \(place), user \(user)")
                }
            }
        }
    }

    @Test func aPromotionIntoAnEmptyProjectNeedsNoDecision() throws {
        try forEachTrial { trial, round in
            let empty = try Trial(from: trial.source, to: RemoteConfigTemplate(), .init())
            #expect(empty.promotion.conflicts.isEmpty, "round \(round)")
            let merged = empty.resolved(.theirs)
            for user in Self.users {
                #expect(
                    Self.values(merged, user: user) == Self.values(trial.source, user: user),
                    "round \(round), user \(user)")
            }
        }
    }

    @Test func aSecondPromotionChangesNothing() throws {
        try forEachTrial { trial, round in
            for side in [TemplateMerge.Side.mine, .theirs] {
                let once = trial.resolved(side)
                _ = try ValidatedTemplate(json: once.json())
                let twice = try Trial(from: trial.source, to: once, trial.choice).resolved(side)
                #expect(twice.json() == once.json(), "round \(round), \(side)")
            }
        }
    }

    private static func isChosen(
        _ place: SettingPlace, _ choice: TemplatePromotion.Choice
    ) -> Bool {
        choice.isWhole || choice.sections.contains(place.section) || choice.settings[place] != nil
    }
}
