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

/// The checks of one run of a conformance suite, and what they found.
struct ConformanceChecks {
    /// What is checked, such as `ActiveConfigStore`.
    let subject: String
    private var failedChecks: [ConformanceFailure.FailedCheck] = []

    /// Starts a run.
    init(of subject: String) { self.subject = subject }

    /// Checks a rule.
    ///
    /// - Parameters:
    ///   - isKept: Whether it is kept.
    ///   - rule: The rule, a sentence.
    ///   - finding: What was found instead.
    mutating func expect(_ isKept: Bool, _ rule: String, found finding: @autoclosure () -> String) {
        if !isKept { failedChecks.append(.init(rule: rule, finding: finding())) }
    }

    /// Makes some checks; that they cannot be made is a failure of `rule`.
    ///
    /// - Parameters:
    ///   - rule: The rule that the checks are about, a sentence.
    ///   - body: Makes them.
    mutating func group(
        _ rule: String, _ body: (inout ConformanceChecks) async throws -> Void
    ) async {
        do {
            try await body(&self)
        } catch {
            failedChecks.append(.init(rule: rule, finding: "the error: \(error)"))
        }
    }

    /// Ends the run.
    ///
    /// - Throws: ``ConformanceFailure`` when a check failed.
    func finish() throws(ConformanceFailure) {
        if failedChecks.isEmpty { return }
        throw ConformanceFailure(subject: subject, failedChecks: failedChecks)
    }
}
