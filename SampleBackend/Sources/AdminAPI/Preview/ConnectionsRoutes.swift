import ClientAPI
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore

/// The route of API 3 for open streams.
struct ConnectionsRoutes: Sendable {
    let administration: Administration

    var routes: [Route] {
        [
            .get(
                "/v1/projects/{project}/connections", access: RoleAccess(.viewer),
                handler: connections)
        ]
    }

    /// The number of listening users, in total and per version, and the acknowledgements of clients.
    ///
    /// ```json
    /// {"connections": 214, "versions": {"7": 14, "8": 200},
    ///  "lastPublish": {"version": "8", "users": 214, "changed": 12}, "acknowledgements": {…},
    ///  "replicas": {"count": 3, "silent": 0, "isComplete": true}}
    /// ```
    ///
    /// `"unknown": 3` counts the users whose app has a version that the store never made, as after a
    /// restore; they are not in `versions`. The counts cover all replicas known to the store.
    /// `users=TEXT` adds the users whose ID contains the text, and `signals=true` the common signal
    /// values: `{…, "users": ["17"], "userCount": 1, "signals": {…}}`.
    @Sendable
    private func connections(_ request: RouteRequest) async throws -> RouteResponse {
        try await administration.checkExists(request.project)
        let project = request.project
        let others = await administration.replicas?.others()
        let counts = await administration.connections(inProject: project, others: others)
        var versions = JSONNode.emptyObject
        for (version, count) in counts.versions.sorted(by: { $0.key < $1.key }) {
            versions.setMember("\(version)", .number("\(count)"))
        }
        var answer: JSONNode = [
            "connections": .number("\(counts.count)"), "versions": versions,
        ]
        if counts.unknownCount > 0 {
            answer.setMember("unknown", .number("\(counts.unknownCount)"))
        }
        answer.setMember("lastPublish", counts.lastPublish?.json)
        let acknowledgements = administration.acknowledgements(inProject: project, others: others)
        answer.setMember("acknowledgements", acknowledgements?.json)
        answer.setMember("replicas", others?.json)
        let text = try request.queryValue(named: "users")
        let hasSignals = try request.flag(named: "signals")
        guard text != nil || hasSignals else { return .json(answer) }
        let listeners = await administration.listeners(inProject: project, others: others)
        if let text {
            let users = ConnectedUsers(of: listeners, containing: text)
            answer.setMember("users", users.json)
            answer.setMember("userCount", .number("\(users.count)"))
        }
        if hasSignals {
            let signals = await CommonSignals(
                of: administration.sample?.entries(inProject: request.project) ?? [], listeners)
            answer.setMember("signals", signals.json)
        }
        return .json(answer)
    }
}

extension Administration {
    /// The counts of the users who listen to this replica and, as far as known, to the others.
    func connections(inProject name: String, others: OtherReplicas?) async -> ConnectionCounts {
        var counts = await hub?.connections(inProject: name) ?? ConnectionCounts()
        if let others { counts.add(others.connections(inProject: name)) }
        return counts
    }

    /// The acknowledgements of clients of all known replicas; nil when they are disabled.
    func acknowledgements(
        inProject name: String, others: OtherReplicas?
    ) -> AcknowledgementCounts? {
        acknowledgements.map { acknowledgements in
            AcknowledgementCounts(
                ofReplicas: [acknowledgements.replicaAcknowledgements(inProject: name)]
                    + (others?.acknowledgements(inProject: name) ?? []))
        }
    }

    /// The clients that listen to this replica and, as far as known, to the others.
    func listeners(
        inProject name: String, others: OtherReplicas?
    ) async -> [StreamListener] {
        let own = await hub?.listeners(inProject: name) ?? []
        guard let others, let project = library.project(name) else { return own }
        return own + others.listeners(of: project, named: name)
    }
}

extension PublishEffect {
    /// `{"version": "8", "users": 214, "changed": 12}`.
    fileprivate var json: JSONNode {
        [
            "version": .string("\(version)"), "users": .number("\(users)"),
            "changed": .number("\(changed)"),
        ]
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
