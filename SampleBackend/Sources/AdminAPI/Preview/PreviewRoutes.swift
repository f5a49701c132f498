import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import NIOCore
import Rendering
import Targeting
import TemplateStore
import Templates

/// The preview route of API 3: the configurations that users would get, with the reasons.
struct PreviewRoutes: Sendable {
    /// Maximum number of users in one request.
    private static let maximumUsers = 100

    /// Time limit for evaluating connected clients, and for evaluating the sample and them.
    private static let maximumDuration: Duration = .seconds(1)

    /// Maximum size of the part of the response about users, in bytes: each user has two documents
    /// and their reasons.
    private static let maximumBytes = 32 << 20

    /// Maximum number of different signals of the connected clients of a user in the response.
    private static let maximumConnectedSignals = 3

    let administration: Administration

    var routes: [Route] {
        // Each holds a template and tens of megabytes of its answer.
        let pool = WorkPool(.previews, waiting: 8, wait: .seconds(30))
        return [
            Route(
                "/v1/projects/{project}/remoteConfig:preview",
                [.post: Endpoint(access: RoleAccess(.editor), pool: pool, handler: preview)])
        ]
    }

    /// Evaluates the users of the request; nothing is stored.
    @Sendable
    private func preview(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.jsonBody(knows: ["template", "users"])
        let users = try users(in: body)
        let current = administration.library.project(request.project)
        var proposed: PublishedProject?
        if let template = body["template"], template != .null {
            try ProjectName.check(request.project)
            proposed = try propose(template, instead: current)
        } else if current == nil {
            throw RequestError.unknownProject(request.project)
        }
        let preview = Preview(current: current, proposed: proposed, date: administration.now())
        var answer = ByteBuffer(string: #"{"users":["#)
        let others = await administration.replicas?.others()
        let signals = await connectedSignals(
            of: users, inProject: request.project, others: others)
        try await Self.write(users, by: preview, connectedSignals: signals, to: &answer)
        answer.writeString("]")
        if let current {
            answer.writeString(#","versionNumber":"\#(current.compiled.version.number)""#)
        }
        if let proposed {
            try await write(
                effectsOf: proposed, instead: current, inProject: request.project,
                others: others, date: preview.date, to: &answer)
        }
        answer.writeString("}")
        return .json(answer)
    }

    /// Writes whom a template changes and reaches, and what is doubtful in it.
    private func write(
        effectsOf proposed: PublishedProject, instead current: PublishedProject?,
        inProject project: String, others: OtherReplicas?, date: Date,
        to answer: inout ByteBuffer
    ) async throws {
        let hub = administration.hub
        let sample = administration.sample
        let listeners = await administration.listeners(inProject: project, others: others)
        var documents = current.map { DocumentComparison(from: $0, to: proposed) }
        if hub != nil, var comparison = documents {
            // The other replicas do not say of all their clients who they are.
            var all = await hub?.connections(inProject: project) ?? ConnectionCounts()
            if let others { all.add(others.connections(inProject: project)) }
            let connected = try await ConnectedPreview(
                of: listeners, amongAtLeast: all.count, comparing: &comparison, date: date,
                atMost: Self.maximumDuration)
            documents = comparison
            var node = connected.json
            node.setMember("replicas", others?.json)
            answer.writeString(#","connected":"#)
            answer.writeBytes(node.jsonData())
        }
        let reach = try await ReachPreview(
            of: sample, inProject: project, listeners, to: proposed, comparing: &documents,
            date: date, atMost: Self.maximumDuration)
        answer.writeString(#","reach":"#)
        answer.writeBytes(reach.json.jsonData())
        if sample != nil {
            answer.writeString(#","estimate":"#)
            answer.writeBytes(reach.estimateJSON.jsonData())
        }
        let known = KnownSignals(
            names: sample?.commonNames(inProject: project) ?? [],
            values: sample?.commonValues(inProject: project) ?? [:])
        answer.writeString(#","doubts":"#)
        answer.writeBytes(
            proposed.compiled.doubtsJSON(of: reach.conditions, knowing: known).jsonData())
    }

    /// Writes one user at a time: the JSON tree of all of them would take many times the memory of
    /// the text.
    private static func write(
        _ users: [PreviewUser], by preview: Preview, connectedSignals: [ExactText: [Signals]],
        to answer: inout ByteBuffer
    ) async throws {
        for (index, user) in users.enumerated() {
            if index > 0 { answer.writeString(",") }
            // Before the documents are made: a short request can name the ID in them without end.
            guard answer.readableBytes + preview.maximumUserIDBytes(for: user) <= maximumBytes
            else {
                throw RequestError.previewTooLarge(users: index, limit: maximumBytes)
            }
            var node = preview.json(for: user)
            if let sets = user.userID.flatMap({ connectedSignals[ExactText($0)] }) {
                node.setMember("connectedSignals", .array(sets.map(Self.json)))
            }
            answer.writeBytes(node.jsonData())
            guard answer.readableBytes <= maximumBytes else {
                throw RequestError.previewTooLarge(users: index, limit: maximumBytes)
            }
            // Lets other requests run between two users.
            await Task.yield()
            try Task.checkCancellation()
        }
    }

    /// The signals of the clients of the users that are connected now, to this server or, as far as
    /// these are known, to another replica.
    private func connectedSignals(
        of users: [PreviewUser], inProject name: String, others: OtherReplicas?
    ) async -> [ExactText: [Signals]] {
        let userIDs = Set(users.compactMap { user in user.userID.map { ExactText($0) } })
        guard let hub = administration.hub, !userIDs.isEmpty else { return [:] }
        let maximum = Self.maximumConnectedSignals
        var signals = await hub.signals(ofUsers: userIDs, inProject: name, atMost: maximum)
        guard let others, let project = administration.library.project(name) else { return signals }
        for listener in others.listeners(of: project, named: name) {
            guard let userID = listener.userID.map({ ExactText($0) }), userIDs.contains(userID)
            else { continue }
            signals[userID, default: []].add(listener.signals, atMost: maximum)
        }
        return signals
    }

    /// Signals by the names that clients send: `{"app.version": "2.0", "signal.plan": "gold"}`.
    private static func json(_ signals: Signals) -> JSONNode {
        var node = JSONNode.emptyObject
        for (name, value) in signals.namedValues { node.setMember(name, .string(value)) }
        return node
    }

    private func users(in body: JSONNode) throws(RequestError) -> [PreviewUser] {
        guard case .array(let nodes)? = body["users"] else {
            throw .invalidArgument(
                "users is missing or no array: send {\"users\": [{\"userID\": \"1\"}]}.")
        }
        guard nodes.count <= Self.maximumUsers else {
            throw .invalidArgument(
                "There are \(nodes.count) users: send at most \(Self.maximumUsers).")
        }
        var users: [PreviewUser] = []
        for (index, node) in nodes.enumerated() {
            users.append(try PreviewUser(node, path: "users[\(index)]"))
        }
        return users
    }

    /// The project as it would be after publishing a template.
    private func propose(
        _ template: JSONNode, instead current: PublishedProject?
    ) throws(RequestError) -> PublishedProject {
        let validated: ValidatedTemplate
        do {
            validated = try ValidatedTemplate(json: template)
        } catch {
            throw .invalidTemplate(error)
        }
        let version = TemplateVersion(
            number: (current?.compiled.version.number ?? 0) + 1, updateTime: administration.now())
        return PublishedProject(
            CompiledTemplate(validated, version: version), overrides: current?.overrides ?? [:],
            cacheBytes: 0)
    }
}

extension WorkThreads {
    /// For previews, which evaluate a template for many users.
    fileprivate static let previews = WorkThreads()
}
