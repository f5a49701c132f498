import Foundation
import JSONTree
import LinearRegex

/// Evaluates rules for a user and reports the reasons, for explanations.
struct RuleFacts {
    let context: TargetingContext

    /// The user's percentile for a seed, or a fixed one in tests; nil without a user.
    let percentile: (String) -> Int?

    /// `forcedPercentile` replaces the computed percentile.
    init(_ context: TargetingContext, forcedPercentile: Int? = nil) {
        self.context = context
        percentile = { seed in
            guard let id = context.userID, !id.isEmpty else { return nil }
            return forcedPercentile ?? Percentile.micro(seed: seed, id: id)
        }
    }

    /// The result of a rule; nil when it is unknown.
    func value(of rule: Rule) -> Bool? {
        let value: Bool?
        switch rule.test {
        case .percent(let seed, let above, let upTo):
            value = percentile(seed).map { $0 > above && $0 <= upTo }
        case .isOneOf(let subject, let targets, let isTrimmed):
            value = actual(subject).map { text in
                let text = ExactText(isTrimmed ? String(ScriptNumber.trimmed(text)) : text)
                return targets.contains { ExactText($0) == text }
            }
        case .isInLanguages(let subject, let ranges, _):
            value = actual(subject).flatMap(Signals.searchable).map { text in
                ranges.contains { $0.includes(text) }
            }
        case .contains(let subject, let targets):
            value = actual(subject).flatMap(Signals.searchable).map { text in
                var searches = TextSearches()
                for target in targets { searches.append(target) }
                return (0..<searches.count).contains { searches.isFound($0, in: text) }
            }
        case .matches(let subject, let expression):
            value = actual(subject).flatMap(Signals.searchable).map(expression.matches)
        case .number(let subject, let comparison, let target):
            value = actual(subject).flatMap {
                comparison.holds(ScriptNumber.value(of: $0), target)
            }
        case .version(let subject, let comparison, let target):
            value = actual(subject).flatMap { subject.version($0)?.order(to: target) }
                .map(comparison.accepts)
        case .date(let comparison, let target, _):
            value = comparison.holds(
                context.date.timeIntervalSinceReferenceDate, target.timeIntervalSinceReferenceDate)
        case .unevaluated, .never: value = nil
        }
        return value.map { $0 != rule.isNegated }
    }

    private func actual(_ subject: Subject) -> String? {
        subject.value(in: context)
    }

    /// The observed value of a rule, for an explanation.
    func observation(of rule: Rule) -> String {
        switch rule.test {
        case .percent(let seed, _, _):
            guard let place = percentile(seed) else { return Subject.userID.absence }
            let name = seed.isEmpty ? "percent" : "percent('\(seed)')"
            return "\(name) is \(Percentile.percentText(place))"
        case .isOneOf(let subject, _, _), .isInLanguages(let subject, _, _),
            .contains(let subject, _), .matches(let subject, _):
            return actual(subject).map { "\(subject.name) is '\($0)'" } ?? subject.absence
        case .number(let subject, _, let target):
            guard let text = actual(subject) else { return subject.absence }
            if target.isNaN { return "the rule's value is not a number" }
            let isNumber = !ScriptNumber.value(of: text).isNaN
            return "\(subject.name) is '\(text)'" + (isNumber ? "" : ", which is not a number")
        case .version(let subject, _, let target):
            guard let text = actual(subject) else { return subject.absence }
            let isKnown = subject.version(text)?.order(to: target) != nil
            return "\(subject.name) is '\(text)'"
                + (isKnown ? "" : ", which cannot be compared as a version")
        case .date: return "dateTime is \(context.date.formatted(.iso8601))"
        case .unevaluated(let element): return "this backend does not know \(element)"
        case .never(let reason): return reason
        }
    }
}

extension RuleFacts {
    /// The part of a condition that decides its result.
    struct Finding {
        let text: String
        let reason: String
    }

    /// The result of a condition; nil when it is unknown.
    ///
    /// The parsers' limits bound the recursion.
    func value(of node: ConditionNode) -> Bool? {
        switch node {
        case .constant(let value): return value
        case .rule(let rule): return value(of: rule)
        case .not(let node): return value(of: node).map { !$0 }
        case .all(let nodes):
            var result: Bool? = true
            for node in nodes {
                switch value(of: node) {
                case false: return false
                case nil: result = nil
                default: break
                }
            }
            return result
        case .any(let nodes):
            var result: Bool? = false
            for node in nodes {
                switch value(of: node) {
                case true: return true
                case nil: result = nil
                default: break
                }
            }
            return result
        }
    }

    /// The part that keeps a false or unknown condition from being true: the first operand of `&&`
    /// that is not true, all operands of `||`, or the rule.
    func failure(of node: ConditionNode) -> Finding {
        switch node {
        case .constant: Finding(text: node.text, reason: "it is always false")
        case .rule(let rule): Finding(text: rule.text, reason: observation(of: rule))
        case .not(let inner): Finding(text: node.text, reason: observations(of: inner))
        case .all(let nodes):
            nodes.first { value(of: $0) != true }.map(failure(of:))
                ?? Finding(text: node.text, reason: "it is false")
        case .any(let nodes):
            Finding(
                text: node.text,
                reason: nodes.isEmpty
                    ? "it has no operands" : joined(nodes.map { failure(of: $0).reason }))
        }
    }

    /// The observed values of all rules of a condition.
    private func observations(of node: ConditionNode) -> String {
        var reasons: [String] = []
        node.forEachRule { reasons.append(observation(of: $0)) }
        return reasons.isEmpty ? "\(node.text) is constant" : joined(reasons)
    }

    /// The reasons, joined without duplicates.
    private func joined(_ reasons: [String]) -> String {
        var known: Set<ExactText> = []
        let distinct = reasons.filter { known.insert(ExactText($0)).inserted }
        let shown = distinct.prefix(5).joined(separator: "; ")
        return distinct.count > 5 ? shown + "; and more" : shown
    }
}
