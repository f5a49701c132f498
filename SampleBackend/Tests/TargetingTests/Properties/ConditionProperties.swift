import Foundation
import JSONTree

@testable import Targeting

/// Properties that hold for all conditions and users.
enum ConditionProperties {
    /// Tests a condition with a user's values; zero bytes separate them.
    ///
    /// - Parameter input: Bytes; invalid UTF-8 is repaired. A condition that begins with `{` is a
    ///   server condition.
    /// - Returns: The violated property, or nil.
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

    private static func violation(
        of expression: String, _ context: TargetingContext
    ) -> String? {
        do throws(ConditionSyntaxError) {
            let condition = try TargetingCondition(expression: expression)
            let spaced = try? TargetingCondition(expression: " \(expression) ")
            if spaced?.root != condition.root { return "space around it does not count" }
            // The expression may already have the maximum nesting depth.
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

    /// Compares the evaluation of conditions with their explanations.
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

    /// User with the given values; empty and missing ones are unknown.
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
