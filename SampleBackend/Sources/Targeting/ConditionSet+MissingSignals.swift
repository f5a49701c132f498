extension ConditionSet {
    /// The signals that were not sent and that keep conditions from being true or false.
    ///
    /// Such a condition counts as false. One that comes out the same whatever is sent, as
    /// `user.id == '1' || device.os == 'ios'` does for user 1, misses nothing.
    ///
    /// - Parameter context: Who asks, with what signals, and when.
    /// - Returns: The names as they stand in a query, such as `app.version` and `signal.plan`.
    public func missingSignals(in context: TargetingContext) -> Set<String> {
        let facts = RuleFacts(context)
        var names: Set<String> = []
        for condition in conditions {
            var missing: [String] = []
            condition.root.forEachRule { rule in
                guard let subject = rule.subject, subject.value(in: context) == nil else { return }
                if case .signal(let signal) = subject { missing.append(signal.queryName) }
            }
            if !missing.isEmpty, facts.value(of: condition.root) == nil {
                names.formUnion(missing)
            }
        }
        return names
    }
}

extension Rule {
    /// What the rule looks at; nil for the time and for what no client can send.
    fileprivate var subject: Subject? {
        switch test {
        case .isOneOf(let subject, _, _), .contains(let subject, _), .matches(let subject, _),
            .number(let subject, _, _), .version(let subject, _, _):
            subject
        case .percent: .userID
        case .date, .unevaluated, .never: nil
        }
    }
}
