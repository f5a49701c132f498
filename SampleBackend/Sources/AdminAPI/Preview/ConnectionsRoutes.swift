import ClientAPI
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore

/// The route of HTTP 3 for open streams.
struct ConnectionsRoutes: Sendable {
    let administration: Administration

    var routes: [Route] {
        [
            .get(
                "/v1/projects/{project}/connections", access: RoleAccess(.viewer),
                handler: connections)
        ]
    }

    /// The number of open streams, and of those at each version:
    /// `{"connections": 214, "versions": {"7": 14, "8": 200}}`.
    @Sendable
    private func connections(_ request: RouteRequest) async throws -> RouteResponse {
        try await administration.checkExists(request.project)
        let counts = await administration.hub?.connections(inProject: request.project)
        var versions = JSONNode.emptyObject
        for (version, count) in (counts?.versions ?? [:]).sorted(by: { $0.key < $1.key }) {
            versions.setMember("\(version)", .number("\(count)"))
        }
        return .json(["connections": .number("\(counts?.count ?? 0)"), "versions": versions])
    }
}
