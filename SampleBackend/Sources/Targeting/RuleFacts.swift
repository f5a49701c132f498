import Foundation
import LinearRegex

/// What a rule comes to for a user, with the reason: the plain evaluation that explanations use.
struct RuleFacts {
    /// Who asks.
    let context: TargetingContext

    /// The user's place for a seed, which a test may fix.
    let percentile: (String) -> Int?

    /// Evaluates for a user.
    ///
    /// - Parameters:
    ///   - context: Who asks.
    ///   - forcedPercentile: A place to use instead of the computed one.
    init(_ context: TargetingContext, forcedPercentile: Int? = nil) {
        self.context = context
        percentile = { seed in
            guard let id = context.userID, !id.isEmpty else { return nil }
            return forcedPercentile ?? Percentile.micro(seed: seed, id: id)
        }
    }

    /// Evaluates a rule.
    ///
    /// - Parameter rule: The rule.
    /// - Returns: nil when it is unknown.
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
        case .contains(let subject, let targets):
            value = actual(subject).flatMap(Signals.searchable).map { text in
                targets.contains { TextSearch($0).isFound(in: text) }
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
        case .date(let comparison, let target):
            value = comparison.holds(
                context.date.timeIntervalSinceReferenceDate, target.timeIntervalSinceReferenceDate)
        case .unevaluated, .never: value = nil
        }
        return value.map { $0 != rule.isNegated }
    }

    /// The actual value.
    private func actual(_ subject: Subject) -> String? {
        subject.value(in: context)
    }

    /// Says what a rule saw.
    ///
    /// - Parameter rule: The rule.
    /// - Returns: Such as "device.country is 'US'".
    func observation(of rule: Rule) -> String {
        switch rule.test {
        case .percent(let seed, _, _):
            guard let place = percentile(seed) else { return Subject.userID.absence }
            let name = seed.isEmpty ? "percent" : "percent('\(seed)')"
            return "\(name) is \(Percentile.percentText(place))"
        case .isOneOf(let subject, _, _), .contains(let subject, _), .matches(let subject, _):
            return actual(subject).map { "\(subject.name) is '\($0)'" } ?? subject.absence
        case .number(let subject, _, let target):
            guard let text = actual(subject) else { return subject.absence }
            if target.isNaN { return "the rule's value is no number" }
            let isNumber = !ScriptNumber.value(of: text).isNaN
            return "\(subject.name) is '\(text)'" + (isNumber ? "" : ", which is no number")
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
