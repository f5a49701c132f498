/// The rules of a protocol that an implementation breaks.
public struct ConformanceFailure: Error, Sendable, Hashable {
    /// A check that failed.
    public struct FailedCheck: Sendable, Hashable {
        /// The broken rule, a sentence.
        public let rule: String
        /// The finding; may be empty.
        public let finding: String
    }

    /// The protocol that was checked, such as `ActiveConfigStore`.
    public let subject: String
    /// The checks that failed, at least one, in the order in which they were made.
    public let failedChecks: [FailedCheck]
}

extension ConformanceFailure: CustomStringConvertible {
    /// One line with the number of failed checks, and a line for each.
    public var description: String {
        let lines = failedChecks.map { check in
            "- \(check.rule)" + (check.finding.isEmpty ? "" : " Found: \(check.finding)")
        }
        let count = failedChecks.count
        let head = "\(count) \(count == 1 ? "check" : "checks") of \(subject) failed:"
        return ([head] + lines).joined(separator: "\n")
    }
}

/// Findings of one run of a conformance suite.
struct ConformanceChecks {
    /// Such as `ActiveConfigStore`.
    let subject: String
    private var failedChecks: [ConformanceFailure.FailedCheck] = []

    init(of subject: String) { self.subject = subject }

    /// `rule` is a sentence; `finding` says what was found instead.
    mutating func expect(_ isKept: Bool, _ rule: String, found finding: @autoclosure () -> String) {
        if !isKept { failedChecks.append(.init(rule: rule, finding: finding())) }
    }

    /// An error thrown by the checks counts as a failure of `rule`.
    mutating func group(
        _ rule: String, _ body: (inout ConformanceChecks) async throws -> Void
    ) async {
        do {
            try await body(&self)
        } catch {
            failedChecks.append(.init(rule: rule, finding: "the error: \(error)"))
        }
    }

    /// - Throws: ``ConformanceFailure`` when a check failed.
    func finish() throws(ConformanceFailure) {
        if failedChecks.isEmpty { return }
        throw ConformanceFailure(subject: subject, failedChecks: failedChecks)
    }
}
