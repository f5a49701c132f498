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

/// The preview route of API 3: the configurations that users would receive, with the reasons.
struct PreviewRoutes: Sendable {
    /// Maximum number of users in one request.
    private static let maximumUsers = 100

    /// Time limit for evaluating the connected clients, and again for evaluating the sample and the
    /// connected clients.
    private static let maximumDuration: Duration = .seconds(1)

    /// Maximum size of the users in the response, in bytes: each has two documents and the reasons.
    private static let maximumBytes = 32 << 20

    /// Maximum number of distinct signal sets of a user's connected clients in the response.
    private static let maximumConnectedSignals = 3

    let administration: Administration

    var routes: [Route] {
        // Few may wait: each holds a template, and its answer can take tens of megabytes.
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
        let body = try request.jsonBody(knows: ["template", "users", "at"])
        let users = try users(in: body)
        if let time = try pastTime(in: body) {
            return try await previewPast(users, at: time, inProject: request.project)
        }
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
        try await write(
            users, by: preview, connectedSignals: signals, inProject: request.project, to: &answer)
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

    /// Writes whose documents a template changes, whom its values reach, and its doubtful rules.
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
            // The other replicas announce the number of their clients, but not the identity of all.
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
        let known = await administration.knownSignals(inProject: project)
        let compiled = proposed.compiled
        let doubts = JSONNode.doubts(
            about: zip(compiled.template.conditions.map(\.name), compiled.conditions.conditions),
            of: reach.conditions, known)
        answer.writeString(#","doubts":"#)
        answer.writeBytes(doubts.jsonData())
    }

    /// Writes one user at a time, since the JSON tree of all users would take many times the memory
    /// of the text.
    ///
    /// `pins` is what is known of the pinned values at an earlier time; nil for now.
    func write(
        _ users: [PreviewUser], by preview: Preview, pins: [ExactText: PastPins.Outcome]? = nil,
        connectedSignals: [ExactText: [Signals]], inProject project: String,
        to answer: inout ByteBuffer
    ) async throws {
        for (index, user) in users.enumerated() {
            if index > 0 { answer.writeString(",") }
            // Checked before rendering: a template can repeat the user's ID any number of times, so
            // a small request can ask for a huge document.
            let limit = Self.maximumBytes
            guard answer.readableBytes + preview.maximumUserIDBytes(for: user) <= limit else {
                throw RequestError.previewTooLarge(users: index, limit: limit)
            }
            var node = preview.json(for: user)
            if let pins {
                // Nothing can be pinned for users without an ID.
                let outcome = user.userID.flatMap { pins[ExactText($0)] } ?? .known(PinnedValues())
                outcome.add(to: &node)
            } else if let userID = user.userID {
                if let sets = connectedSignals[ExactText(userID)] {
                    node.setMember("connectedSignals", .array(sets.map(Self.json)))
                } else if let recent = recentSignals(ofUser: userID, inProject: project) {
                    node.setMember("recentSignals", Self.json(recent))
                }
            }
            answer.writeBytes(node.jsonData())
            guard answer.readableBytes <= limit else {
                throw RequestError.previewTooLarge(users: index, limit: limit)
            }
            // Lets other requests run between users.
            await Task.yield()
            try Task.checkCancellation()
        }
    }

    /// The signals of the users' clients that are connected to this server or, as far as known, to
    /// another replica.
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

    /// The signals of the user's last request to this server, from the sample, without values that
    /// few users send; nil without any.
    private func recentSignals(ofUser userID: String, inProject project: String) -> Signals? {
        guard let signals = administration.sample?.signals(ofUser: userID, inProject: project),
            !signals.namedValues.isEmpty
        else { return nil }
        return signals
    }

    /// Signals by their names in queries: `{"app.version": "2.0", "signal.plan": "gold"}`.
    private static func json(_ signals: Signals) -> JSONNode {
        var node = JSONNode.emptyObject
        for (name, value) in signals.namedValues { node.setMember(name, .string(value)) }
        return node
    }

    private func users(in body: JSONNode) throws(RequestError) -> [PreviewUser] {
        guard case .array(let nodes)? = body["users"] else {
            throw .invalidArgument(
                "users is missing or not an array: send {\"users\": [{\"userID\": \"1\"}]}.")
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
            cache: RenderCache(maximumBytes: 0))
    }
}

extension WorkThreads {
    /// The threads for previews, which evaluate a template for many users.
    fileprivate static let previews = WorkThreads()
}
