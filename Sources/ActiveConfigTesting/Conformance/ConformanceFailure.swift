/// That something does not keep the rules of its protocol: all rules that it breaks, with the
/// sentence of each.
public struct ConformanceFailure: Error, Sendable, Hashable {
    /// A check that failed.
    public struct FailedCheck: Sendable, Hashable {
        /// The rule that is broken, a sentence.
        public let rule: String
        /// What was found instead; may be empty.
        public let finding: String
    }

    /// What was checked, such as `ActiveConfigStore`.
    public let subject: String
    /// The checks that failed, at least one, in the order in which they were made.
    public let failedChecks: [FailedCheck]
}

extension ConformanceFailure: CustomStringConvertible {
    /// A line that says how many checks failed, and a line for each.
    public var description: String {
        let lines = failedChecks.map { check in
            "- \(check.rule)" + (check.finding.isEmpty ? "" : " Found: \(check.finding)")
        }
        let count = failedChecks.count
        let head = "\(count) \(count == 1 ? "check" : "checks") of \(subject) failed:"
        return ([head] + lines).joined(separator: "\n")
    }
}
