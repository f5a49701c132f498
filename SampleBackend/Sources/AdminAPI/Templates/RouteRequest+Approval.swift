import HTTPServing
import TemplateStore

extension RouteRequest {
    /// Maximum length of the reason for a bypass, in characters.
    private static let maximumReasonLength = 200

    /// The grounds on which the caller publishes: `?bypass=REASON`, or none.
    ///
    /// - Throws: A ``RequestError`` with status 400 without a reason, and 403 when the token may not
    ///   bypass approvals.
    var approval: PublishApproval {
        get throws(RequestError) {
            var approval = PublishApproval(person: administrator?.owner)
            guard let reason = try queryValue(named: "bypass") else { return approval }
            try ShownText.check(
                reason, named: "reason of bypass", maximumLength: Self.maximumReasonLength)
            guard administrator?.mayBypass == true else {
                throw .permissionDenied(
                    "This token may not bypass approvals: make a change request, or use a token "
                        + "that may.")
            }
            approval.bypassReason = reason
            return approval
        }
    }
}
