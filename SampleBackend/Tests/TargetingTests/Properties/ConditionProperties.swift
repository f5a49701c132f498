import Foundation
import JSONTree

@testable import Targeting

/// What holds of every condition and user.
enum ConditionProperties {
    /// Tries a condition, a zero byte, and the values of a user between zero bytes.
    ///
    /// - Parameter input: The bytes; what is no UTF-8 is mended. A condition that begins with `{` is
    ///   that of a server.
    /// - Returns: The property that does not hold, or nil.
    static func violation(_ input: [UInt8]) -> String? {
        let parts = input.split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let context = context(Array(parts.dropFirst()))
        if parts[0].utf8.first == UInt8(ascii: "{") {
            guard let node = try? JSONNode(jsonData: Data(parts[0].utf8)),
                let condition = try? TargetingCondition(serverCondition: node)
            else { return nil }
            return violation(of: [condition], context)
        }
        return violation(of: parts[0], context)
    }

    /// Tries an expression.
    private static func violation(
        of expression: String, _ context: TargetingContext
    ) -> String? {
        do throws(ConditionSyntaxError) {
            let condition = try TargetingCondition(expression: expression)
            let spaced = try? TargetingCondition(expression: " \(expression) ")
            if spaced?.root != condition.root { return "space around it does not count" }
            // The nesting may be at its limit already.
            let opposite = try? TargetingCondition(expression: "!(\(expression))")
            if let opposite {
                let set = ConditionSet([condition, opposite])
                let results = set.evaluate(context)
                if results[0], results[1] { return "it and its opposite are not both true" }
            }
            return violation(of: [condition] + [opposite].compactMap { $0 }, context)
        } catch {
            if !(1...expression.unicodeScalars.count + 1).contains(error.column) {
                return "an error is within the expression"
            }
            if error.reason.isEmpty || error.reason.unicodeScalars.count > 600 {
                return "an error is one short sentence"
            }
            return nil
        }
    }

    /// Evaluates conditions in both ways.
    private static func violation(
        of conditions: [TargetingCondition], _ context: TargetingContext
    ) -> String? {
        let set = ConditionSet(conditions + conditions)
        let results = set.evaluate(context)
        for index in conditions.indices {
            let explanation = set.explain(index, in: context)
            if results[index] != explanation.isTrue { return "it is evaluated as it is explained" }
            if results[index] != results[index + conditions.count] {
                return "equal conditions have equal results"
            }
            if explanation.isTrue != (explanation.reason == nil) {
                return "what is false has a reason"
            }
        }
        return nil
    }

    /// A user of whom some values are known.
    private static func context(_ values: [String]) -> TargetingContext {
        func value(_ index: Int) -> String? {
            values.indices.contains(index) && !values[index].isEmpty ? values[index] : nil
        }
        var custom: [ExactText: String] = [:]
        for (index, name) in ["a", "b", "k"].enumerated() {
            custom[ExactText(name)] = value(index)
        }
        return TargetingContext(
            userID: value(3),
            signals: Signals(
                appID: value(0), appVersion: value(4) ?? value(0), appBuild: value(1),
                deviceOS: value(5), deviceCountry: value(2), deviceLanguage: value(6),
                custom: custom),
            date: Date(timeIntervalSince1970: Double(values.count) * 400_000_000))
    }
}
