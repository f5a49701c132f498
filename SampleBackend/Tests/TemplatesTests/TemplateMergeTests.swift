import JSONTree
import SeededRandomness
import Templates
import Testing

struct TemplateMergeTests {
    /// Three versions of a parameter, with the merged one.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Value in the common base; "" for no such parameter.
        let base: String
        /// Value on my side.
        let mine: String
        /// Value on the other side.
        let theirs: String
        /// Merged value; nil if the parameter does not exist.
        let merged: String?
        let isConflict: Bool

        init(
            _ name: String, _ base: String, _ mine: String, _ theirs: String, _ merged: String?,
            isConflict: Bool = false
        ) {
            testDescription = name
            self.base = base
            self.mine = mine
            self.theirs = theirs
            self.merged = merged
            self.isConflict = isConflict
        }
    }

    /// Template with one parameter in a group, or with none for "".
    private func template(_ value: String) -> RemoteConfigTemplate {
        guard !value.isEmpty else {
            return RemoteConfigTemplate(parameterGroups: ["Home": .init()])
        }
        let parameter = TemplateParameter(defaultValue: .value(value))
        return RemoteConfigTemplate(
            parameterGroups: ["Home": ParameterGroup(parameters: ["title": parameter])])
    }

    /// Template with conditions of the given names.
    private func template(conditions: [String]) -> RemoteConfigTemplate {
        RemoteConfigTemplate(
            conditions: conditions.map { TemplateCondition(name: $0, expression: "true") })
    }

    /// The only value in a template.
    private func value(in template: RemoteConfigTemplate) -> String? {
        guard
            case .value(let text)? = template.parameterGroups["Home"]?.parameters["title"]?
                .defaultValue?.content
        else { return nil }
        return text
    }

    @Test(arguments: [
        Row("neither side changed it", "a", "a", "a", "a"),
        Row("I changed it", "a", "b", "a", "b"),
        Row("they changed it", "a", "a", "c", "c"),
        Row("both changed it alike", "a", "b", "b", "b"),
        Row("both changed it", "a", "b", "c", "c", isConflict: true),
        Row("I removed it", "a", "", "a", nil),
        Row("they removed it", "a", "a", "", nil),
        Row("both removed it", "a", "", "", nil),
        Row("I removed what they changed", "a", "", "c", "c", isConflict: true),
        Row("they removed what I changed", "a", "b", "", nil, isConflict: true),
        Row("I added it", "", "b", "", "b"),
        Row("they added it", "", "", "c", "c"),
        Row("both added it alike", "", "b", "b", "b"),
        Row("both added it", "", "b", "c", "c", isConflict: true),
    ])
    func aMergeDecidesByWhoChangedWhat(row: Row) {
        let merge = TemplateMerge(
            base: template(row.base), mine: template(row.mine), theirs: template(row.theirs))
        #expect(value(in: merge.merged) == row.merged)
        let path = "parameterGroups.Home.parameters.title"
        let isField = ![row.base, row.mine, row.theirs].contains("")
        let conflict = isField ? "\(path).defaultValue" : path
        #expect(merge.conflicts.map(\.path) == (row.isConflict ? [conflict] : []))
        guard row.isConflict else { return }
        let mine = row.mine.isEmpty ? nil : row.mine
        let theirs = row.theirs.isEmpty ? nil : row.theirs
        #expect(value(in: merge.resolving([conflict: .mine])) == mine)
        #expect(value(in: merge.resolving([conflict: .theirs])) == theirs)
        #expect(value(in: merge.resolving(["parameters.title": .mine])) == theirs)
        #expect(
            merge.conflicts[0].mine
                == mine.map {
                    isField
                        ? ["value": .string($0)] : ["defaultValue": ["value": .string($0)]]
                })
    }

    /// Orders of names, which are letters, before and after a merge.
    struct OrderRow: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let base: [String]
        let mine: [String]
        let theirs: [String]
        /// The order when both sides reordered and mine takes precedence.
        let preferringMine: String
        let preferringTheirs: String
        let isConflict: Bool

        init(_ row: JSONNode) throws {
            func text(_ name: String) throws -> String { try #require(row[name]?.stringValue) }
            func letters(_ name: String) throws -> [String] { try text(name).map { String($0) } }
            testDescription = try text("name")
            base = try letters("base")
            mine = try letters("mine")
            theirs = try letters("theirs")
            preferringMine = try text("preferringMine")
            preferringTheirs = try text("preferringTheirs")
            isConflict = try #require(row["isConflict"]?.boolValue as Bool?)
        }
    }

    @Test(arguments: try Fixture.mergedOrders.rows.map(OrderRow.init))
    func aMergeOrdersConditionsByWhoMovedThem(row: OrderRow) {
        let merge = TemplateMerge(
            base: template(conditions: row.base), mine: template(conditions: row.mine),
            theirs: template(conditions: row.theirs))
        #expect(merge.merged.conditions.map(\.name).joined() == row.preferringTheirs)
        #expect(merge.conflicts.map(\.path) == (row.isConflict ? ["conditions"] : []))
        let mine = merge.resolving(["conditions": .mine])
        #expect(mine.conditions.map(\.name).joined() == row.preferringMine)
    }

    @Test(arguments: try Fixture.mergedOrders.rows.map(OrderRow.init))
    func aMergeOrdersParametersAndGroupsByWhoMovedThem(row: OrderRow) {
        func template(_ names: [String]) -> RemoteConfigTemplate {
            let parameters = NamedValues(
                names.map { ($0, TemplateParameter(defaultValue: .value(""))) },
                uniquingKeysWith: { first, _ in first })
            return RemoteConfigTemplate(
                parameters: parameters,
                parameterGroups: NamedValues(
                    names.map { ($0, ParameterGroup()) }, uniquingKeysWith: { first, _ in first }))
        }
        let merge = TemplateMerge(
            base: template(row.base), mine: template(row.mine), theirs: template(row.theirs))
        #expect(merge.merged.parameters.names.joined() == row.preferringTheirs)
        #expect(merge.merged.parameterGroups.names.joined() == row.preferringTheirs)
        #expect(merge.conflicts.isEmpty)
    }

    @Test func aMergeKeepsAConditionThatTheOtherSideBeginsToUse() throws {
        let base = try RemoteConfigTemplate.make(
            #"""
            {"conditions": [{"name": "beta", "expression": "true"}],
             "parameters": {"a": {"defaultValue": {"value": "x"}}}}
            """#)
        var mine = base
        mine.conditions = []
        var theirs = base
        theirs.parameters["a"]?.conditionalValues["beta"] = .value("y")
        let merge = TemplateMerge(base: base, mine: mine, theirs: theirs)
        #expect(merge.conflicts.map(\.path) == ["conditions.beta"])
        #expect(merge.merged == theirs)
        let withoutCondition = merge.resolving(["conditions.beta": .mine])
        #expect(withoutCondition == mine)
        #expect(try ValidatedTemplate(json: withoutCondition.json()).template == mine)

        let other = TemplateMerge(base: base, mine: theirs, theirs: mine)
        #expect(other.conflicts.map(\.path) == ["conditions.beta"])
        #expect(other.merged == mine)
        #expect(other.resolving(["conditions.beta": .mine]) == theirs)
    }

    @Test func aConditionThatTheOtherSideBeginsToUseInAGroupIsAConflict() throws {
        let base = try RemoteConfigTemplate.make(
            #"""
            {"conditions": [{"name": "beta", "expression": "true"}],
             "parameterGroups": {"Home": {"parameters": {"a": {"defaultValue": {"value": "x"}}}}}}
            """#)
        var user = base
        user.parameterGroups["Home"]?.parameters["a"]?.conditionalValues["beta"] = .value("y")
        var remover = base
        remover.conditions = []
        for (mine, theirs) in [(user, remover), (remover, user)] {
            let merge = TemplateMerge(base: base, mine: mine, theirs: theirs)
            #expect(merge.conflicts.map(\.path) == ["conditions.beta"])
            #expect(merge.merged == theirs)
            #expect(merge.resolving(["conditions.beta": .mine]) == mine)
        }
    }

    @Test func aGroupThatUsedAConditionBeforeIsNoConflict() throws {
        let base = try RemoteConfigTemplate.make(
            #"""
            {"conditions": [{"name": "beta", "expression": "true"}],
             "parameterGroups": {"Home": {"parameters": {"a": {"defaultValue": {"value": "x"},
              "conditionalValues": {"beta": {"value": "y"}}}}}}}
            """#)
        var theirs = base
        theirs.conditions = []
        theirs.parameterGroups["Home"]?.parameters["a"]?.conditionalValues = [:]
        var mine = base
        mine.parameterGroups["Home"]?.parameters["b"] = TemplateParameter(
            defaultValue: .value("z"))
        let merge = TemplateMerge(base: base, mine: mine, theirs: theirs)
        #expect(merge.conflicts.isEmpty)
        #expect(merge.merged.conditions.isEmpty)
    }

    @Test func aMergeKeepsTheGroupOfAParameterThatStays() throws {
        let base = template("a")
        let removed = RemoteConfigTemplate()
        let merge = TemplateMerge(base: base, mine: removed, theirs: template("c"))
        #expect(merge.conflicts.map(\.path) == ["parameterGroups.Home.parameters.title"])
        #expect(value(in: merge.merged) == "c")
        #expect(
            merge.resolving(["parameterGroups.Home.parameters.title": .mine]).parameterGroups
                .isEmpty)
    }

    @Test func aMergeMergesDescriptionsAndWhatItDoesNotKnow() throws {
        let base = try RemoteConfigTemplate.make(#"{"parameterGroups": {"A": {}}, "x": 1, "y": 1}"#)
        let mine = try RemoteConfigTemplate.make(
            #"{"parameterGroups": {"A": {"description": "m"}}, "x": 2, "y": 1, "z": 3}"#)
        let theirs = try RemoteConfigTemplate.make(
            #"{"parameterGroups": {"A": {"description": "t"}}, "x": 1, "y": 3}"#)
        let merge = TemplateMerge(base: base, mine: mine, theirs: theirs)
        #expect(merge.conflicts.map(\.path) == ["parameterGroups.A"])
        #expect(merge.merged.unknownFields == ["x": 2, "y": 3, "z": 3])
        #expect(merge.merged.parameterGroups["A"]?.description == "t")
        #expect(
            merge.resolving(["parameterGroups.A": .mine]).parameterGroups["A"]?.description == "m")
    }

    @Test func aMergeTakesTheOtherSideWhereOneChangedNothing() {
        var generator = TemplateGenerator(seed: 1)
        for _ in 0..<300 {
            let base = generator.template()
            let changed = generator.variant(of: base)
            for merge in [
                TemplateMerge(base: base, mine: changed, theirs: base),
                TemplateMerge(base: base, mine: base, theirs: changed),
                TemplateMerge(base: base, mine: changed, theirs: changed),
            ] {
                #expect(merge.conflicts.isEmpty)
                #expect(merge.merged.json() == changed.json())
            }
        }
    }

    @Test func aMergeFindsTheSameConflictsFromEitherSide() throws {
        var generator = TemplateGenerator(seed: 2)
        var conflicts = 0
        for _ in 0..<300 {
            let base = generator.template()
            let left = generator.variant(of: base)
            let right = generator.variant(of: base)
            let merge = TemplateMerge(base: base, mine: left, theirs: right)
            let mirrored = TemplateMerge(base: base, mine: right, theirs: left)
            #expect(Set(merge.conflicts.map(\.path)) == Set(mirrored.conflicts.map(\.path)))
            conflicts += merge.conflicts.count
            // Choosing my side everywhere gives the result of the mirrored merge, except for the
            // order of additions from both sides.
            let chosen = merge.resolving(merge.choosing(.mine))
            #expect(sorted(chosen) == sorted(mirrored.merged))
            _ = try ValidatedTemplate(json: merge.merged.json())
            _ = try ValidatedTemplate(json: chosen.json())
        }
        #expect(conflicts > 100)
    }

    /// Template as JSON with its conditions sorted by name; JSON members are compared without their
    /// order.
    private func sorted(_ template: RemoteConfigTemplate) -> JSONNode {
        var template = template
        template.conditions.sort { $0.name < $1.name }
        return template.json()
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func theConditionsOfATemplateAreFoundInLinearTime() {
        let count = 100_000
        var template = RemoteConfigTemplate()
        template.conditions = (0..<count).map {
            TemplateCondition(name: "condition \($0)", expression: "user.id == '\($0)'")
        }
        let units = TemplateMerge.Units(template)
        let wrong = (0..<count).filter { number in
            let unit = units[.condition(name: "condition \(number)")]
            return unit?["expression"] != .string("user.id == '\(number)'")
        }
        #expect(wrong == [])
        #expect(units[.condition(name: "condition")] == nil)
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func theFieldsOfAParameterAreFoundInLinearTime() {
        let count = 30_000
        var parameter = TemplateParameter()
        for number in 0..<count {
            parameter.unknownFields["field \(number)"] = .number("\(number)")
        }
        var template = RemoteConfigTemplate()
        template.parameters["title"] = parameter
        let units = TemplateMerge.Units(template)
        let wrong = (0..<count).filter { number in
            units[.parameterField(group: nil, key: "title", field: "field \(number)")]
                != .number("\(number)")
        }
        #expect(wrong == [])
    }
}
