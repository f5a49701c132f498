import ClientAPI
import HTTPServing
import TemplateStore

/// The change request that a call names, and which ones its caller sees.
struct ChangeRequestTarget: Sendable {
    let project: String
    let id: String
    /// True for a token that is limited to projects: it does not see the requests of an earlier
    /// project of the same name.
    let isLimitedToPresentProject: Bool
}

extension RouteRequest {
    /// The change request in the path; its identifier is empty where the path has none.
    var changeRequestTarget: ChangeRequestTarget {
        ChangeRequestTarget(
            project: project, id: parameters["changeRequestID"] ?? "",
            isLimitedToPresentProject: administrator?.projects != nil)
    }
}
