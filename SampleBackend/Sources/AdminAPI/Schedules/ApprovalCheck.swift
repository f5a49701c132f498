import ClientAPI
package import Foundation
import HTTPServing
package import TemplateStore

/// The question, some time before the start of a schedule, whether approvals are lacking.
package struct ApprovalCheck: Sendable {
    package let request: ChangeRequestHeader
    package let lead: ApprovalNotice.Lead

    /// The check whose time has come; nil unless the start of a schedule waits.
    package init?(of header: ChangeRequestHeader, at date: Date) {
        guard header.state == .open, let start = header.dueDate, start > date,
            let lead = ApprovalNotice.Lead.last(before: start, at: date)
        else { return nil }
        (request, self.lead) = (header, lead)
    }

    /// The times of all checks of a request; none unless the start of a schedule waits.
    static func dates(of header: ChangeRequestHeader) -> [Date] {
        guard header.state == .open, let start = header.dueDate else { return [] }
        return ApprovalNotice.Lead.allCases.map { $0.date(before: start) }
    }
}

extension Administration {
    /// Stores a warning with a request that lacks approvals before its time.
    ///
    /// - Returns: False when somebody else changed the request, so that the check is to be repeated.
    func warn(by check: ApprovalCheck) async throws -> Bool {
        let stored = try await changeRequestIfPresent(check.request.target)
        guard let stored, stored.dueDate == check.request.dueDate,
            stored.request.schedule?.dueNotice(at: now()) == check.lead
        else { return true }
        let reviewed = try await reviewed(stored)
        guard reviewed.lacksApprovals else { return true }
        var changed = stored.request
        changed.schedule?.give(
            ApprovalNotice(
                check.lead, missing: reviewed.count.missing,
                rejections: reviewed.count.rejections))
        var submission = submission(
            of: changed, over: stored, .warnOfLackingApprovals, by: .init(person: nil, actor: ""))
        submission.detail = reviewed.lackingApprovals
        do {
            _ = try await callStore("save_change_request", project: stored.project) {
                () throws(TemplateStoreError) in try await store.saveChangeRequest(submission)
            }
            return true
        } catch {
            guard error.statusName == "CHANGE_REQUEST_MISMATCH" else { throw error }
            return false
        }
    }
}
