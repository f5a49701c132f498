import ActiveConfig
import Foundation
import JSONTree
import Rendering
import SeededRandomness
import Targeting
import Templates
import Testing

/// Values that users get of imported flags, compared with an evaluator of LaunchDarkly's rules.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct LaunchDarklyServedValuesTests {
    @Test func everyUserGetsWhatLaunchDarklyServes() throws {
        var generator = FlagGenerator(SeededGenerator.printingItsSeed())
        var served = 0
        for _ in Rounds.numbers(60, nightly: 3_000) {
            let file = generator.file()
            let imported = try LaunchDarklyImport(jsonData: file.jsonData())
            for remark in imported.report {
                #expect(!remark.message.contains("rule is left out"), "\(remark) \(file)")
            }
            let project = PublishedProject(
                CompiledTemplate(
                    try ValidatedTemplate(json: imported.template.json()),
                    version: TemplateVersion(number: 1, updateTime: .distantPast)))
            let evaluator = FlagEvaluator(file: file)
            for _ in 0..<20 {
                let user = generator.user()
                let section = project.state(for: user.context).section(named: "Default")
                for (key, flag) in evaluator.flags {
                    let variations = flag["variations"]?.arrayValue ?? []
                    let possible = evaluator.variations(of: key, for: user)
                    let values = possible.map { $0.map { variations[$0].settingValue } }
                    let value = section?.value(forKey: key)
                    #expect(
                        values.contains(value),
                        "\(key) for \(user) in \(file): \(imported.template)")
                    served += possible.count == 1 ? 1 : 0
                }
            }
        }
        #expect(served > 1_000)
    }
}

/// A user of LaunchDarkly, with attributes of the types that flags expect.
private struct FlagUser: CustomStringConvertible {
    let key: String
    let attributes: NamedValues<JSONNode>

    var context: TargetingContext {
        var custom: [ExactText: String] = [:]
        for (name, value) in attributes {
            custom[ExactText(name)] =
                switch value {
                case .string(let text): text
                case .number(let text): ScriptNumber.text(ofJSON: text)
                default: value.boolValue == true ? "true" : "false"
                }
        }
        return TargetingContext(
            userID: key, signals: Signals(custom: custom), date: Date(timeIntervalSince1970: 0))
    }

    var description: String { "\(key) \(JSONNode.object(attributes))" }
}

/// Evaluates flags as LaunchDarkly does: off, prerequisites, targets, rules, default rule.
private struct FlagEvaluator {
    let flags: NamedValues<JSONNode>
    private let segments: NamedValues<JSONNode>

    init(file: JSONNode) {
        flags = file["flags"]?.objectValue ?? [:]
        segments = file["segments"]?.objectValue ?? [:]
    }

    /// The variations that a user can get: several of a rollout; nil is the app's default.
    func variations(of key: String, for user: FlagUser) -> [Int?] {
        guard let flag = flags[key] else { return [nil] }
        let off = [flag["offVariation"]?.integerValue]
        guard flag["on"] == true else { return off }
        for prerequisite in flag["prerequisites"]?.arrayValue ?? [] {
            let other = prerequisite["key"]?.stringValue ?? ""
            guard flags[other]?["on"] == true,
                variations(of: other, for: user) == [prerequisite["variation"]?.integerValue]
            else { return off }
        }
        let targets = flag["targets"]?.arrayValue ?? []
        if let target = targets.first(where: { contains($0["values"], .string(user.key)) }) {
            return [target["variation"]?.integerValue]
        }
        let rules = flag["rules"]?.arrayValue ?? []
        let rule = rules.first { matches($0["clauses"], user) } ?? flag["fallthrough"]
        if let variation = rule?["variation"]?.integerValue { return [variation] }
        let shares = rule?["rollout"]?["variations"]?.arrayValue ?? []
        return shares.filter { ($0["weight"]?.integerValue ?? 0) > 0 }
            .map { $0["variation"]?.integerValue }
    }

    private func contains(_ list: JSONNode?, _ value: JSONNode) -> Bool {
        list?.arrayValue?.contains(value) == true
    }

    private func matches(_ clauses: JSONNode?, _ user: FlagUser) -> Bool {
        (clauses?.arrayValue ?? []).allSatisfy { clause in
            let isNegated = clause["negate"] == true
            let values = clause["values"]?.arrayValue ?? []
            if clause["op"] == "segmentMatch" {
                return values.contains { isMember($0.stringValue ?? "", user) } != isNegated
            }
            let name = clause["attribute"]?.stringValue ?? ""
            let attribute = name == "key" ? .string(user.key) : user.attributes[name]
            guard let attribute else { return false }
            let operation = clause["op"]?.stringValue ?? ""
            return values.contains { test(operation, attribute, $0) } != isNegated
        }
    }

    private func isMember(_ key: String, _ user: FlagUser) -> Bool {
        guard let segment = segments[key] else { return false }
        if contains(segment["included"], .string(user.key)) { return true }
        if contains(segment["excluded"], .string(user.key)) { return false }
        return (segment["rules"]?.arrayValue ?? []).contains { matches($0["clauses"], user) }
    }

    private func test(_ operation: String, _ attribute: JSONNode, _ value: JSONNode) -> Bool {
        if operation == "in" { return attribute == value }
        if let own = attribute.doubleValue, let other = value.doubleValue {
            return switch operation {
            case "lessThan": own < other
            case "lessThanOrEqual": own <= other
            case "greaterThan": own > other
            case "greaterThanOrEqual": own >= other
            default: false
            }
        }
        guard let own = attribute.stringValue, let other = value.stringValue else { return false }
        switch operation {
        case "contains": return own.contains(other)
        case "startsWith": return own.hasPrefix(other)
        case "endsWith": return own.hasSuffix(other)
        case "matches": return own.range(of: other, options: .regularExpression) != nil
        default: break
        }
        let order = zip(numbers(own), numbers(other)).first { $0 != $1 }.map { $0 < $1 ? -1 : 1 }
        return switch operation {
        case "semVerEqual": order == nil
        case "semVerLessThan": order == -1
        case "semVerGreaterThan": order == 1
        default: false
        }
    }

    /// The three numbers of a version.
    private func numbers(_ version: String) -> [Int] {
        let numbers = version.split(separator: ".").compactMap { Int($0) }
        return numbers + Array(repeating: 0, count: 3 - numbers.count)
    }
}

/// Generates files of the supported kinds, and users that their rules can tell apart.
private struct FlagGenerator: RandomNumberGenerator {
    private var generator: SeededGenerator

    private static let plans = ["free", "pro", "team", "pro.eu", "it's"]
    private static let versions = ["1", "1.2", "1.2.0", "1.10.3", "2.0", "10.0.1"]
    private static let emails = ["a@example.com", "b@test.org", "a.b@exampleXcom"]
    private static let keys = (0..<8).map { "u\($0)" }

    init(_ generator: SeededGenerator) {
        self.generator = generator
    }

    mutating func next() -> UInt64 { generator.next() }

    private mutating func one(of count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }

    private mutating func some(_ texts: [String]) -> [JSONNode] {
        texts.shuffled(using: &self).prefix(Int.random(in: 1...2, using: &self))
            .map { .string($0) }
    }

    private mutating func pick(_ texts: [String]) -> String {
        texts[Int.random(in: texts.indices, using: &self)]
    }

    mutating func user() -> FlagUser {
        var attributes: NamedValues<JSONNode> = [:]
        if !one(of: 4) { attributes["plan"] = .string(pick(Self.plans)) }
        if !one(of: 4) { attributes["version"] = .string(pick(Self.versions)) }
        if !one(of: 4) { attributes["email"] = .string(pick(Self.emails)) }
        if !one(of: 4) { attributes["level"] = .number("\(Int.random(in: -2...12, using: &self))") }
        if !one(of: 4) { attributes["isAdult"] = .bool(Bool.random(using: &self)) }
        return FlagUser(key: pick(Self.keys), attributes: attributes)
    }

    mutating func file() -> JSONNode {
        var flags: JSONNode = [
            "on": flag(isConstant: true, isOn: true), "off": flag(isConstant: true, isOn: false),
        ]
        for index in 0..<6 {
            flags.setMember("f\(index)", flag(isConstant: false, isOn: !one(of: 8)))
        }
        var segments = JSONNode.emptyObject
        for name in ["users", "signals", "nested"] {
            var segment: JSONNode = ["included": .array(some(Self.keys))]
            if name != "users" {
                segment.setMember("excluded", .array(some(Self.keys)))
                let rules = (0...1).map { _ -> JSONNode in ["clauses": clauses()] }
                segment.setMember("rules", .array(rules))
            }
            if name == "nested" {
                segment.setMember(
                    "rules",
                    [["clauses": .array([segmentMatch(), clause()])], ["clauses": clauses()]])
            }
            segments.setMember(name, segment)
        }
        return ["flags": flags, "segments": segments]
    }

    private mutating func flag(isConstant: Bool, isOn: Bool) -> JSONNode {
        let variations: [[JSONNode]] = [
            [true, false], ["a", "b", "c"], [1, .number("2.5"), 3], [["a": 1], [1], "x"],
        ]
        let values = variations[Int.random(in: variations.indices, using: &self)]
        var flag: JSONNode = [
            "on": .bool(isOn), "variations": .array(values), "offVariation": index(values),
            "fallthrough": ["variation": index(values)],
        ]
        if isConstant { return flag }
        if one(of: 5) {
            let key: JSONNode = one(of: 3) ? "off" : "on"
            flag.setMember("prerequisites", [["key": key, "variation": index(values)]])
        }
        let keys = Self.keys.shuffled(using: &self)
        flag.setMember(
            "targets",
            .array(
                (0..<Int.random(in: 0...2, using: &self)).map { list in
                    [
                        "values": .array([.string(keys[2 * list]), .string(keys[2 * list + 1])]),
                        "variation": index(values),
                    ]
                }))
        flag.setMember(
            "rules",
            .array(
                (0..<Int.random(in: 0...4, using: &self)).map { _ in
                    var rule = serving(values)
                    rule.setMember("clauses", one(of: 2) ? [onlySegment()] : clauses())
                    return rule
                }))
        flag.setMember("fallthrough", serving(values))
        return flag
    }

    private mutating func index(_ values: [JSONNode]) -> JSONNode {
        .number("\(Int.random(in: values.indices, using: &self))")
    }

    private mutating func serving(_ values: [JSONNode]) -> JSONNode {
        guard one(of: 6) else { return ["variation": index(values)] }
        let weight = [0, 10_000, 100_000][Int.random(in: 0..<3, using: &self)]
        return [
            "rollout": [
                "variations": [
                    ["variation": 0, "weight": .number("\(weight)")],
                    ["variation": 1, "weight": .number("\(100_000 - weight)")],
                ]
            ]
        ]
    }

    /// The clause of a rule whose condition other flags share, in any order.
    private mutating func onlySegment() -> JSONNode {
        one(of: 3)
            ? segmentMatch()
            : [
                "op": "segmentMatch",
                "values": [.string(pick(["users", "signals", "nested"]))],
            ]
    }

    private mutating func segmentMatch() -> JSONNode {
        // Only segments of users can be negated.
        if one(of: 3) { return ["op": "segmentMatch", "values": ["users"], "negate": true] }
        return ["op": "segmentMatch", "values": .array(some(["users", "signals"]))]
    }

    private mutating func clauses() -> JSONNode {
        .array((0..<Int.random(in: 0...2, using: &self)).map { _ in clause() })
    }

    private mutating func clause() -> JSONNode {
        var clause: JSONNode = ["negate": .bool(one(of: 3))]
        let attribute = pick(["key", "plan", "version", "email", "level", "isAdult"])
        clause.setMember("attribute", .string(attribute))
        let (operations, values): ([String], [JSONNode]) =
            switch attribute {
            case "key": (["in"], some(Self.keys))
            case "plan":
                (["in", "contains", "startsWith", "endsWith"], some(Self.plans + ["p", "o", "."]))
            case "version":
                (["semVerEqual", "semVerLessThan", "semVerGreaterThan"], some(Self.versions))
            case "email": (["endsWith", "contains", "matches"], some(["example.com", "^a"]))
            case "level":
                (
                    ["in", "lessThan", "lessThanOrEqual", "greaterThan", "greaterThanOrEqual"],
                    [.number("\(Int.random(in: 0...10, using: &self))"), 3]
                )
            default: (["in"], [.bool(Bool.random(using: &self))])
            }
        clause.setMember("op", .string(pick(operations)))
        clause.setMember("values", .array(values))
        return clause
    }
}
