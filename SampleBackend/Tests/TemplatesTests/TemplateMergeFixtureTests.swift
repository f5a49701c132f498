import JSONTree
import SeededRandomness
import Templates
import Testing

/// Merges whose results the console's tests expect, too, and random ones.
struct TemplateMergeFixtureTests {
    /// Three templates, and what each choice makes of them.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let merge: TemplateMerge
        let withMine: RemoteConfigTemplate
        let withTheirs: RemoteConfigTemplate
        let conflicts: [String]
        let decides: JSONNode?

        init(_ row: JSONNode) throws {
            func template(_ name: String) throws -> RemoteConfigTemplate {
                try Row.template(#require(row[name]))
            }
            testDescription = try #require(row["name"]?.stringValue)
            merge = TemplateMerge(
                base: try template("base"), mine: try template("mine"),
                theirs: try template("theirs"))
            withMine = try template("withMine")
            let isSame = row["withTheirs"] == nil || row["isOrderFree"] != nil
            withTheirs = isSame ? withMine : try template("withTheirs")
            conflicts = try #require(row["conflicts"]?.arrayValue).compactMap(\.stringValue)
            decides = row["decides"]
        }

        /// The template of users by condition, and of values by setting and condition.
        private static func template(_ row: JSONNode) throws -> RemoteConfigTemplate {
            var template = RemoteConfigTemplate(parameterGroups: ["G": ParameterGroup()])
            for (name, user) in try #require(row["conditions"]?.objectValue) {
                let user = try #require(user.stringValue)
                template.conditions.append(
                    TemplateCondition(name: name, expression: "user.id == '\(user)'"))
            }
            for (key, values) in try #require(row["settings"]?.objectValue) {
                var parameter = TemplateParameter(defaultValue: .value("d"))
                for (name, value) in try #require(values.objectValue) {
                    parameter.conditionalValues[name] = .value(try #require(value.stringValue))
                }
                template.parameterGroups["G"]?.parameters[key] = parameter
            }
            return template
        }
    }

    @Test(arguments: try Fixture.templateMerges.rows.map(Row.init))
    func aMergeOfTemplatesIsThatOfTheConsole(row: Row) throws {
        let merge = row.merge
        #expect(merge.conflicts.map(\.path) == row.conflicts)
        // The order of conditional values has no meaning.
        #expect(merge.resolving(merge.choosing(.mine)).json() == row.withMine.json())
        #expect(merge.merged.json() == row.withTheirs.json())
        #expect(merge.resolving([:]) == merge.merged)
        guard let decides = row.decides else { return }
        let stakes = try #require(merge.conflicts.first?.stakes)
        #expect(decides["conditions"]?.arrayValue == stakes.conditions.map { .string($0) })
        #expect(decides["settings"]?.arrayValue == stakes.settings.map { .string($0.key) })
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func aMergeKeepsEveryOrderThatDecidesAValueOrReportsAConflict() {
        var generator = TemplateGenerator(seed: 4)
        var counts = (kept: 0, moved: 0, conflicts: 0)
        for round in Rounds.numbers(2_000, nightly: 10_000) {
            let base = generator.template()
            let merge = TemplateMerge(
                base: base, mine: generator.variant(of: base),
                theirs: generator.variant(of: base))
            let orders = StatedOrders(merge)
            let isConflict = merge.conflicts.contains { $0.subject == .conditionOrder }
            for side in [TemplateMerge.Side.mine, .theirs] {
                let result = merge.resolving(merge.choosing(side))
                let names = result.conditions.map(\.name)
                if isConflict {
                    let chosen = (side == .mine ? merge.mine : merge.theirs).conditions.map(\.name)
                    #expect(names.filter(chosen.contains) == chosen.filter(names.contains))
                } else {
                    #expect(orders.broken(by: result) == [], "round \(round)")
                    counts.kept += 1
                    if names != merge.mine.conditions.map(\.name) { counts.moved += 1 }
                }
            }
            guard isConflict else { continue }
            counts.conflicts += 1
            #expect(
                orders.areBothReordered || !orders.canBeKept(among: merge.conflictingNames),
                "round \(round)")
        }
        #expect(counts.kept > 1_000 && counts.moved > 500 && counts.conflicts > 100, "\(counts)")
    }

    @Test func aChosenConditionGivesItsValuesOrTheyAreAConflict() {
        var generator = TemplateGenerator(seed: 3)
        var restored = 0
        for round in Rounds.numbers(1_000, nightly: 10_000) {
            let base = generator.template()
            let merge = TemplateMerge(
                base: base, mine: generator.variant(of: base),
                theirs: generator.variant(of: base))
            let paths = Set(merge.conflicts.map(\.path))
            for conflict in merge.conflicts {
                guard case .condition(let name) = conflict.subject, conflict.base != nil,
                    (conflict.mine == nil) != (conflict.theirs == nil)
                else { continue }
                let side: TemplateMerge.Side = conflict.mine == nil ? .theirs : .mine
                let keeper = side == .mine ? merge.mine : merge.theirs
                let result = merge.resolving([conflict.path: side])
                #expect(result.conditions.contains { $0.name == name })
                for (section, parameters) in keeper.sections {
                    for (key, parameter) in parameters {
                        let prefix =
                            section == RemoteConfigTemplate.defaultSectionName
                            ? "parameters" : "parameterGroups.\(section).parameters"
                        guard let value = parameter.conditionalValues[name],
                            !paths.contains("\(prefix).\(key)")
                        else { continue }
                        let found = result.sections[section]?[key]?.conditionalValues[name]
                        #expect(found == value, "round \(round): \(section).\(key) for \(name)")
                        restored += 1
                    }
                }
            }
        }
        #expect(restored > 100)
    }

    @Test func aNameInAnotherNormalFormIsAnotherName() {
        func template(_ group: String, value: String) -> RemoteConfigTemplate {
            RemoteConfigTemplate(
                conditions: [TemplateCondition(name: group, expression: "true")],
                parameterGroups: [
                    group: ParameterGroup(parameters: [
                        "title": TemplateParameter(defaultValue: .value(value))
                    ])
                ])
        }
        let base = template("caf\u{e9}", value: "caf\u{e9}")
        let renamed = template("cafe\u{301}", value: "caf\u{e9}")
        let changed = template("caf\u{e9}", value: "cafe\u{301}")
        for other in [renamed, changed] {
            for merge in [
                TemplateMerge(base: base, mine: other, theirs: base),
                TemplateMerge(base: base, mine: base, theirs: other),
            ] {
                #expect(merge.conflicts.isEmpty)
                #expect(
                    merge.merged.json().description.hasSameBytes(as: other.json().description))
            }
        }
    }

    /// In a time that grows with the cube of their number, this would take hours.
    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func thousandsOfConditionsThatAllMeetKeepTheOrderOfTheOtherSide() {
        func template(_ numbers: [Int]) -> RemoteConfigTemplate {
            var parameter = TemplateParameter()
            for number in numbers { parameter.conditionalValues["c\(number)"] = .value("") }
            return RemoteConfigTemplate(
                conditions: numbers.map {
                    TemplateCondition(name: "c\($0)", expression: "true")
                }, parameters: ["s": parameter])
        }
        let count = 2_000
        let base = Array(0..<count)
        let reversed = Array(base.reversed())
        let merge = TemplateMerge(
            base: template(base), mine: template(base + [count]), theirs: template(reversed))
        #expect(merge.conflicts.isEmpty)
        #expect(merge.merged.conditions.map(\.name) == (reversed + [count]).map { "c\($0)" })
    }
}

/// The orders that the sides of a merge state, by trying all pairs; the brute force to which the
/// merge is compared.
private struct StatedOrders {
    private let base: [String]
    private let mine: [String]
    private let theirs: [String]

    /// The pairs that meet.
    private var pairs: [(String, String)] = []

    init(_ merge: TemplateMerge) {
        base = merge.base.conditions.map(\.name)
        mine = merge.mine.conditions.map(\.name)
        theirs = merge.theirs.conditions.map(\.name)
        pairs = Self.pairs(of: [merge.merged] + [merge.resolving(merge.choosing(.mine))])
    }

    private static func pairs(of templates: [RemoteConfigTemplate]) -> [(String, String)] {
        var settings: [String: Set<String>] = [:]
        for template in templates {
            for (section, parameters) in template.sections {
                for (key, parameter) in parameters {
                    settings["\(section).\(key)", default: []].formUnion(
                        parameter.conditionalValues.names)
                }
            }
        }
        var found: Set<[String]> = []
        for names in settings.values {
            for first in names {
                for second in names where first < second {
                    found.insert([first, second])
                }
            }
        }
        return found.map { ($0[0], $0[1]) }
    }

    private func isInOrder(_ pair: (String, String), in list: [String]) -> Bool? {
        guard let first = list.firstIndex(of: pair.0), let second = list.firstIndex(of: pair.1)
        else { return nil }
        return first < second
    }

    /// True or false for a stated order; nil for a pair that nothing orders.
    private func stated(_ pair: (String, String)) -> Bool? {
        let before = isInOrder(pair, in: base)
        let (own, other) = (isInOrder(pair, in: mine), isInOrder(pair, in: theirs))
        switch (own, other) {
        case (let own?, let other?):
            if own == other { return own }
            guard let before else { return nil }
            return own != before ? own : other
        case (nil, nil):
            if let before { return before }
            let isMine = mine.contains(pair.0)
            let (own, other) = isMine ? (pair.0, pair.1) : (pair.1, pair.0)
            let common = mine.filter(theirs.contains)
            let isAbove = common.contains {
                isInOrder((own, $0), in: mine) == true && isInOrder(($0, other), in: theirs) == true
            }
            let isBelow = common.contains {
                isInOrder(($0, own), in: mine) == true && isInOrder((other, $0), in: theirs) == true
            }
            return isAbove == isBelow ? nil : isAbove == isMine
        case (let known, nil), (nil, let known): return known
        }
    }

    /// The pairs of conditions that a template has in another order than stated.
    func broken(by template: RemoteConfigTemplate) -> [String] {
        let names = template.conditions.map(\.name)
        return pairs.filter { pair in
            guard let found = isInOrder(pair, in: names) else { return false }
            return found != stated(pair)
        }.map { "\($0) and \($1)" }
    }

    /// True if both sides reordered the conditions of all three templates in different ways.
    var areBothReordered: Bool {
        let common = base.filter { mine.contains($0) && theirs.contains($0) }
        let orders = [base, mine, theirs].map { $0.filter(common.contains) }
        return orders[0] != orders[1] && orders[0] != orders[2] && orders[1] != orders[2]
    }

    /// True if a permutation of the names has all pairs in the stated order.
    func canBeKept(among names: [String]) -> Bool {
        var known: [(String, String)] = []
        for pair in pairs {
            guard let isFirst = stated(pair) else { return false }
            known.append(isFirst ? pair : (pair.1, pair.0))
        }
        func extend(_ placed: [String], _ rest: [String]) -> Bool {
            if rest.isEmpty { return true }
            return rest.contains { name in
                let isFree = known.allSatisfy { $0.1 != name || !rest.contains($0.0) }
                return isFree && extend(placed + [name], rest.filter { $0 != name })
            }
        }
        return extend([], names)
    }
}

extension TemplateMerge {
    /// The choice of one side for all conflicts.
    func choosing(_ side: Side) -> NamedValues<Side> {
        NamedValues(conflicts.map { (key: $0.path, value: side) }, uniquingKeysWith: { $1 })
    }

    fileprivate var conflictingNames: [String] {
        Array(Set((mine.conditions + theirs.conditions).map(\.name))).sorted()
    }
}
