import ClientAPI
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore
import Templates

/// The route of HTTP 3 that lists projects.
struct ProjectRoutes: Sendable {
    let administration: Administration

    var routes: [Route] {
        [.get("/v1/projects", access: RoleAccess(.viewer), handler: list)]
    }

    /// The projects by name, each with its current version.
    @Sendable
    private func list(_ request: RouteRequest) async throws -> RouteResponse {
        let versions = administration.library.versions.sorted { $0.key < $1.key }
        return .json([
            "projects": .array(
                versions.map { name, version in
                    [
                        "name": .string(name),
                        "versionNumber": .string("\(version.number)"),
                        "updateTime": .string(version.updateTime.timestamp),
                    ]
                })
        ])
    }
}
