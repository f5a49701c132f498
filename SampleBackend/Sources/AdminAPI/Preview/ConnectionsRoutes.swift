import ClientAPI
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore

/// A type that has the route of HTTP 3 that says who listens.
struct ConnectionsRoutes: Sendable {
    /// What does the work.
    let administration: Administration

    /// The routes, for the server's table.
    var routes: [Route] {
        [
            .get(
                "/v1/projects/{project}/connections", access: RoleAccess(.viewer),
                handler: connections)
        ]
    }

    /// How many streams are open, and which versions their clients have:
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
