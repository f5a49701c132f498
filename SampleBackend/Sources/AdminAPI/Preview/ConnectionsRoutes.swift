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

    /// The number of users that listen, of those at each version, and what clients say of their
    /// versions: `{"connections": 214, "versions": {"7": 14, "8": 200}, "acknowledgements": {…}}`.
    @Sendable
    private func connections(_ request: RouteRequest) async throws -> RouteResponse {
        try await administration.checkExists(request.project)
        let counts = await administration.hub?.connections(inProject: request.project)
        var versions = JSONNode.emptyObject
        for (version, count) in (counts?.versions ?? [:]).sorted(by: { $0.key < $1.key }) {
            versions.setMember("\(version)", .number("\(count)"))
        }
        var answer: JSONNode = [
            "connections": .number("\(counts?.count ?? 0)"), "versions": versions,
        ]
        answer.setMember(
            "acknowledgements",
            administration.acknowledgements?.counts(inProject: request.project).json)
        return .json(answer)
    }
}

extension AcknowledgementCounts {
    /// `{"clients": 203, "versions": [{"version": "12", "inForce": 200, "withProblems": 3,
    /// "problems": [{"section": "Checkout", "key": "limits", "clients": 3, "message": "…"}]}]}`.
    fileprivate var json: JSONNode {
        let versions = versions.map { version -> JSONNode in
            let problems = version.problems.map { problem -> JSONNode in
                [
                    "section": .string(problem.place.section),
                    "key": problem.place.key.map { .string($0) } ?? .null,
                    "clients": .number("\(problem.clients)"), "message": .string(problem.message),
                ]
            }
            return [
                "version": .string("\(version.number)"), "inForce": .number("\(version.inForce)"),
                "withProblems": .number("\(version.withProblems)"), "problems": .array(problems),
            ]
        }
        return ["clients": .number("\(clients)"), "versions": .array(versions)]
    }
}
