import JSONTree
import Targeting

/// Raises the percentage of a condition in a template, if it is as expected.
public struct TemplateRollout: Sendable {
    private let condition: String
    private let expression: RolloutExpression

    /// Creates a rollout of a condition.
    ///
    /// - Parameters:
    ///   - condition: The name of the condition.
    ///   - template: A template that has it.
    /// - Throws: ``TemplateRolloutError`` when it has none whose percentage can be raised.
    public init(
        _ condition: String, in template: RemoteConfigTemplate
    ) throws(TemplateRolloutError) {
        self.condition = condition
        guard let place = template.place(ofCondition: condition) else {
            throw TemplateRolloutError("There is no condition '\(condition.shortened)'.")
        }
        guard let text = template.conditions[place].expression else {
            throw TemplateRolloutError(
                "The condition '\(condition.shortened)' is one of a server template: write it as an "
                    + "expression.")
        }
        do {
            expression = try RolloutExpression(text)
        } catch {
            throw TemplateRolloutError(
                "The condition '\(condition.shortened)' cannot be rolled out: \(error.reason).")
        }
    }

    /// The lower bound of the condition's `percent` rule, in millionths of a percent.
    public var lowerBound: Int { expression.lowerBound }

    /// The upper bound of the condition's `percent` rule, in millionths of a percent.
    public var upperBound: Int { expression.upperBound }

    /// A template with another percentage.
    ///
    /// - Parameters:
    ///   - template: The template.
    ///   - expected: The percentage that the condition has to have, in millionths of a percent, and
    ///     otherwise be as in this rollout; nil for any condition of the name.
    ///   - bound: The percentage to set.
    /// - Returns: The template; nil when the condition was removed or is another one.
    public func template(
        _ template: RemoteConfigTemplate, from expected: Int? = nil, to bound: Int
    ) -> RemoteConfigTemplate? {
        guard let place = template.place(ofCondition: condition) else { return nil }
        if let expected {
            guard let text = template.conditions[place].expression,
                let live = try? RolloutExpression(text), live.upperBound == expected,
                live.text(upTo: bound).utf8.elementsEqual(expression.text(upTo: bound).utf8)
            else { return nil }
        }
        var changed = template
        changed.conditions[place].expression = expression.text(upTo: bound)
        return changed
    }
}

/// Why a condition cannot be rolled out.
public struct TemplateRolloutError: Error, Sendable, Hashable {
    /// The reason, as a sentence.
    public let message: String

    init(_ message: String) { self.message = message }
}

extension RemoteConfigTemplate {
    fileprivate func place(ofCondition name: String) -> Int? {
        conditions.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
    }
}
