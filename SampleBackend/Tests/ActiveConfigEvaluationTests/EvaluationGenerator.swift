import Foundation
import JSONTree
import SeededRandomness

/// Generates templates with values of all types, pinned values, and users with signals; always the same
/// for one seed.
struct EvaluationGenerator: RandomNumberGenerator {
    private var generator: SeededGenerator

    init(_ generator: SeededGenerator) { self.generator = generator }

    mutating func next() -> UInt64 { generator.next() }

    private mutating func one<T>(of values: [T]) -> T {
        values[Int.random(in: 0..<values.count, using: &self)]
    }

    /// A template in Firebase's format, with up to eight conditions.
    mutating func template() -> JSONNode {
        let names = (0..<Int.random(in: 0...8, using: &self)).map { "c\($0)" }
        let conditions = names.map { name -> JSONNode in
            ["name": .string(name), "expression": .string(expression(depth: 2))]
        }
        var template: JSONNode = [
            "conditions": .array(conditions), "parameters": parameters(under: names),
        ]
        var groups = JSONNode.emptyObject
        // The last two are equal as Swift strings.
        for group in ["Home", "Überblick", "cafe\u{301}", "caf\u{e9}"]
        where Bool.random(using: &self) {
            groups.setMember(group, ["parameters": parameters(under: names)])
        }
        template.setMember("parameterGroups", groups)
        return template
    }

    private mutating func parameters(under conditions: [String]) -> JSONNode {
        var parameters = JSONNode.emptyObject
        let prefix = Int.random(in: 0..<1_000_000, using: &self)
        for index in 0..<Int.random(in: 0...5, using: &self) {
            let type = one(of: ["STRING", "BOOLEAN", "NUMBER", "JSON"])
            var parameter: JSONNode = ["valueType": .string(type)]
            if Int.random(in: 0..<6, using: &self) > 0 {
                parameter.setMember("defaultValue", value(type))
            }
            var values = JSONNode.emptyObject
            for condition in conditions where Int.random(in: 0..<3, using: &self) == 0 {
                values.setMember(condition, value(type))
            }
            parameter.setMember("conditionalValues", values)
            if Int.random(in: 0..<12, using: &self) == 0 {
                parameter.setMember("masterKeyOnly", true)
            }
            parameters.setMember("k\(prefix)_\(index)", parameter)
        }
        if Int.random(in: 0..<4, using: &self) == 0 {
            // Users have values pinned to it.
            parameters.setMember(
                "title", ["defaultValue": ["value": "archived"], "archived": true])
        }
        return parameters
    }

    private mutating func value(_ type: String) -> JSONNode {
        if Int.random(in: 0..<8, using: &self) == 0 { return ["useInAppDefault": true] }
        let text =
            switch type {
            case "BOOLEAN": one(of: ["true", "false"])
            case "NUMBER": one(of: ["1", "-0.5", "12345678901234567890", "1e3", "0.1"])
            case "JSON":
                one(of: [#"{"a": [1, 2.50, null], "b": "ä"}"#, "[]", "[9007199254740993]"])
            default:
                one(of: ["", "x", "é \u{1F600} \"\n", "to ${user.id}", "${user.id}${user.id}"])
            }
        return ["value": .string(text)]
    }

    /// Pinned values of a user.
    mutating func pins() -> JSONNode {
        [
            one(of: ["Home", "New", "cafe\u{301}"]): [
                one(of: ["title", "k"]): one(of: [true, 5, "pinned", ["a": .null], 1])
            ]
        ]
    }

    private mutating func expression(depth: Int) -> String {
        guard depth > 0, Bool.random(using: &self) else { return rule() }
        let sign = one(of: ["&&", "||"])
        let parts = (0..<2).map { _ in "(\(expression(depth: depth - 1)))" }
        return one(of: ["", "!"]) + "(\(parts.joined(separator: " \(sign) ")))"
    }

    private mutating func rule() -> String {
        let percent = Int.random(in: 1...99, using: &self)
        return switch Int.random(in: 0..<10, using: &self) {
        case 0: "percent <= \(percent)"
        case 1: "percent('\(one(of: ["s", "t"]))') > \(percent)"
        case 2: "device.country in ['JP', 'DE']"
        case 3: "device.language in ['ja', 'pt-BR']"
        case 4: "app.version.>=(['1.2'])"
        case 5: "app.customSignal['plan'].exactlyMatches(['gold'])"
        case 6: "app.customSignal['level'] >= 5"
        case 7: "dateTime < dateTime('2100-01-01T00:00:00')"
        case 8: "user.id == '\(one(of: Self.users))'"
        default: "device.os == 'ios'"
        }
    }

    /// User IDs, some of which are equal as Swift strings.
    static let users = ["", "1", "42", "a b", "cafe\u{301}", "caf\u{e9}", "\u{1F600}"]

    /// A user; nil is the generic one.
    mutating func userID() -> String? {
        switch Int.random(in: 0..<4, using: &self) {
        case 0: Int.random(in: 0..<4, using: &self) == 0 ? nil : one(of: Self.users)
        default: "user-\(Int.random(in: 0..<1_000_000, using: &self))"
        }
    }

    /// Signals by the names that clients send.
    mutating func signals() -> [String: String] {
        var signals: [String: String] = [:]
        for (name, values) in [
            ("device.country", ["JP", "US"]), ("device.language", ["ja", "pt-BR", "en"]),
            ("app.version", ["1.1", "1.2", "x"]), ("device.os", ["ios", "android"]),
            ("signal.plan", ["gold", "free"]), ("signal.level", ["4", "5.0", ""]),
        ] where Bool.random(using: &self) {
            signals[name] = one(of: values)
        }
        return signals
    }
}
