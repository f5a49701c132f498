import Foundation
import JSONTree
import SeededRandomness
import Targeting

/// Generates conditions, and users with values that the conditions read.
struct ConditionGenerator {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    private mutating func one<T>(of values: [T]) -> T {
        values[Int.random(in: 0..<values.count, using: &generator)]
    }

    /// Generates a valid expression of at most the given nesting depth.
    mutating func expression(depth: Int) -> String {
        guard depth > 0, Int.random(in: 0..<3, using: &generator) > 0 else { return rule() }
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return "!(\(expression(depth: depth - 1)))"
        case 1: return "!\(rule())"
        default:
            let sign = one(of: ["&&", "||"])
            let count = Int.random(in: 2...3, using: &generator)
            return (0..<count).map { _ in "(\(expression(depth: depth - 1)))" }
                .joined(separator: " \(sign) ")
        }
    }

    private mutating func rule() -> String {
        let version = one(of: Self.versions)
        let sign = one(of: ["<", "<=", ">", ">=", "==", "!="])
        let signal = one(of: ["a", "b", "c"])
        let text = one(of: Self.values)
        switch Int.random(in: 0..<14, using: &generator) {
        case 0: return "app.version.\(sign)(['\(version)'])"
        case 1: return "app.build.\(sign)(['\(version)'])"
        case 2: return "device.country in ['\(one(of: Self.countries))', 'XX']"
        case 3: return "device.os \(one(of: ["==", "!="])) '\(one(of: ["ios", "macos"]))'"
        case 4: return "percent\(one(of: ["", "('s')", "('t')"])) <= \(one(of: [10, 50, 90]))"
        case 5: return "percent\(one(of: ["", "('s')"])) between 20 and \(one(of: [30, 80]))"
        case 6: return "app.customSignal['\(signal)'] \(sign) \(one(of: ["0", "-1", "1.5"]))"
        case 7: return "version(app.customSignal['\(signal)']) \(sign) '\(version)'"
        case 8:
            let method = one(of: ["contains", "notContains", "exactlyMatches"])
            return "app.customSignal['\(signal)'].\(method)(['\(text)', '1.'])"
        case 9:
            return "app.customSignal['\(signal)'].matches(['\(one(of: ["^1", "[a-z]+$", ""]))'])"
        case 10: return "dateTime \(one(of: ["<", ">="])) dateTime('2025-01-01T00:00:00')"
        case 11: return "user.id \(one(of: ["==", "!="])) '\(one(of: ["1", "2"]))'"
        case 12: return "app.audiences.inAll(['a'])"
        default: return one(of: ["true", "false"])
        }
    }

    /// Generates a user with some unknown values.
    mutating func context() -> TargetingContext {
        var custom: [ExactText: String] = [:]
        for name in ["a", "b", "c"] where Bool.random(using: &generator) {
            custom[ExactText(name)] = one(of: Self.values)
        }
        return TargetingContext(
            userID: one(of: [nil, "", "1", "2", "3", "4"]),
            signals: Signals(
                appVersion: one(of: Self.versions.map(Optional.some) + [nil, "x"]),
                appBuild: one(of: Self.versions.map(Optional.some) + [nil]),
                deviceOS: one(of: [nil, "ios", "macos"]),
                deviceCountry: one(of: Self.countries.map(Optional.some) + [nil]), custom: custom),
            date: Date(timeIntervalSince1970: one(of: [1_700_000_000, 1_800_000_000])))
    }

    private static let versions = ["1", "1.2", "1.2.0", "1.10", "2.0.1"]

    private static let countries = ["US", "JP", "DE"]

    private static let values = ["", "0", "-1", "1.5", " 1.2 ", "abc", "1.x", "0x1", "Infinity"]
}
