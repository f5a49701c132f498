public import Foundation

/// A warning, given some time before a scheduled start, that approvals are lacking.
///
/// It is stored with the request, so whichever servers look, it is given once.
public struct ApprovalNotice: Sendable, Hashable, Codable {
    /// How long before a start it is checked whether approvals are lacking, in seconds.
    public enum Lead: TimeInterval, Sendable, Hashable, Codable, CaseIterable {
        case day = 86_400
        case hour = 3_600

        /// The time of the check.
        package func date(before start: Date) -> Date { start - rawValue }

        /// The last check before a start whose time has come; nil before the first one.
        package static func last(before start: Date, at date: Date) -> Lead? {
            allCases.last { $0.date(before: start) <= date }
        }
    }

    /// How long before the start it was given.
    public let lead: Lead

    /// The number of approvals that are lacking.
    public let missing: Int

    /// The people whose request for changes stands.
    public let rejections: [String]

    /// Creates a warning.
    public init(_ lead: Lead, missing: Int, rejections: [String] = []) {
        self.lead = lead
        self.missing = missing
        self.rejections = rejections
    }
}

extension ScheduledPublish {
    /// The check that is due before a start that waits; nil when it has led to a warning, and when its
    /// time had passed when the publish was scheduled.
    package func dueNotice(at date: Date) -> ApprovalNotice.Lead? {
        guard waitingPart == .start, date < start.date,
            let lead = ApprovalNotice.Lead.last(before: start.date, at: date),
            lead.rawValue < lastLead?.rawValue ?? .infinity
        else { return nil }
        return lead
    }

    /// Records a warning.
    package mutating func give(_ notice: ApprovalNotice) {
        approvalNotice = notice
        lastLead = notice.lead
    }

    /// Leaves out the checks whose time has passed when the publish is scheduled.
    mutating func skipNotices(at date: Date) {
        lastLead = ApprovalNotice.Lead.last(before: start.date, at: date)
    }
}
