import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import NIOConcurrencyHelpers
import NIOCore
import Rendering
import TemplateStore
import Templates

/// The preview route of HTTP 3: the configurations that users would get, with the reasons.
struct PreviewRoutes: Sendable {
    /// Maximum number of users in one request.
    private static let maximumUsers = 100

    /// Time limit for evaluating connected clients.
    private static let maximumDuration: Duration = .seconds(1)

    /// Maximum size of the part of the response about users, in bytes: each user has two documents
    /// and their reasons.
    private static let maximumBytes = 32 << 20

    /// Maximum number of concurrent previews, over all callers.
    private static let maximumPreviews = 4

    let administration: Administration

    /// Number of running previews.
    private let previews = NIOLockedValueBox(0)

    init(administration: Administration) { self.administration = administration }

    var routes: [Route] {
        [
            Route(
                "/v1/projects/{project}/remoteConfig:preview",
                [.post: Endpoint(access: RoleAccess(.editor), handler: preview)])
        ]
    }

    /// Evaluates the users of the request; nothing is stored.
    @Sendable
    private func preview(_ request: RouteRequest) async throws -> RouteResponse {
        let isAllowed = previews.withLockedValue { count in
            guard count < Self.maximumPreviews else { return false }
            count += 1
            return true
        }
        guard isAllowed else { throw RequestError.tooManyPreviews }
        defer { previews.withLockedValue { $0 -= 1 } }
        let body = try request.jsonBody()
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
        try await Self.write(users, by: preview, to: &answer)
        answer.writeString("]")
        if let current {
            answer.writeString(#","versionNumber":"\#(current.compiled.version.number)""#)
        }
        if let hub = administration.hub, let current, let proposed {
            let connected = await ConnectedPreview(
                of: hub.listeners(inProject: request.project), from: current, to: proposed,
                date: preview.date, atMost: Self.maximumDuration)
            answer.writeString(#","connected":"#)
            answer.writeBytes(connected.json.jsonData())
        }
        answer.writeString("}")
        return .json(answer)
    }

    /// Writes one user at a time: the JSON tree of all of them would take many times the memory of
    /// the text.
    private static func write(
        _ users: [PreviewUser], by preview: Preview, to answer: inout ByteBuffer
    ) async throws {
        for (index, user) in users.enumerated() {
            if index > 0 { answer.writeString(",") }
            answer.writeBytes(preview.json(for: user).jsonData())
            guard answer.readableBytes <= maximumBytes else {
                throw RequestError.previewTooLarge(users: index, limit: maximumBytes)
            }
            // Lets other requests run between two users.
            await Task.yield()
            try Task.checkCancellation()
        }
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
