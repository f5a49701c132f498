import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore

/// The token routes of API 3, for publishers only.
struct TokenRoutes: Sendable {
    let administration: Administration

    var routes: [Route] {
        [
            Route(
                "/v1/tokens",
                [
                    .get: Endpoint(access: RoleAccess(.publisher), handler: list),
                    .post: Endpoint(access: RoleAccess(.publisher), handler: create),
                ]),
            Route(
                "/v1/tokens/{tokenID}",
                [.delete: Endpoint(access: RoleAccess(.publisher), handler: revoke)]),
        ]
    }

    /// Lists the tokens, oldest first, without their texts.
    @Sendable
    private func list(_ request: RouteRequest) async throws -> RouteResponse {
        let tokens = try await administration.storedTokens()
        return .json(["tokens": .array(tokens.map(\.json))])
    }

    /// Creates a token: `{"name": "ci", "role": "publisher", "expirationTime": "…"}`, or with
    /// `"projects": {"shop": "editor"}` for these projects only; `"owner": "Ada"` names the person
    /// who uses it.
    ///
    /// Only a token that may bypass approvals can create another one, or one of another owner, since
    /// whoever has it votes as that person.
    @Sendable
    private func create(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.jsonBody(
            knows: ["name", "role", "projects", "owner", "bypass", "expirationTime"])
        let name = body["name"]?.stringValue ?? ""
        try TokenName.check(name, by: request.administrator?.owner)
        let projects = try TokenProjects.roles(in: body["projects"])
        guard let role = TokenProjects.role(body["role"]) ?? projects?.values.max() else {
            throw RequestError.invalidArgument(
                "role is missing or unknown: send one of \(TokenProjects.roleNames).")
        }
        let owner = try owner(in: body, for: request)
        let mayBypass = try mayBypass(in: body, for: request)
        let creator = request.administrator?.owner ?? request.administrator?.creator
        let isOfCreator = owner.map { creator?.hasSameBytes(as: $0) ?? false } ?? true
        let date = administration.now()
        let expirationDate = try expirationDate(in: body)
        let token = AccessToken(
            name: name, role: role, projects: projects, owner: owner,
            creator: creator, identity: isOfCreator ? request.administrator?.identity : nil,
            mayBypass: mayBypass, date: date, expirationDate: expirationDate)
        try await administration.addToken(
            token.stored, actor: request.administrator?.name ?? "")
        var answer = token.stored.json
        answer.setMember("token", .string(token.text))
        return .json(answer)
    }

    @Sendable
    private func revoke(_ request: RouteRequest) async throws -> RouteResponse {
        let id = request.parameters["tokenID"] ?? ""
        let wasThere = try await administration.revokeToken(
            id: id, actor: request.administrator?.name ?? "")
        guard wasThere else {
            throw RequestError.notFound("There is no token with this identifier: list the tokens.")
        }
        return .json(.emptyObject)
    }

    /// The owner of the new token; nil for a token of a program.
    private func owner(
        in body: JSONNode, for request: RouteRequest
    ) throws(RequestError) -> String? {
        guard let owner = try TokenName.owner(in: body["owner"]) else { return nil }
        let isOwn = request.administrator?.owner?.hasSameBytes(as: owner) ?? false
        guard isOwn || request.administrator?.mayBypass == true else {
            throw .permissionDenied(
                "This token may not bypass approvals, so it cannot create one with which somebody "
                    + "else votes: use a token that may.")
        }
        return owner
    }

    /// Whether the new token may bypass approvals.
    private func mayBypass(
        in body: JSONNode, for request: RouteRequest
    ) throws(RequestError) -> Bool {
        switch body["bypass"] {
        case nil, .null, .bool(false): return false
        case .bool(true):
            guard request.administrator?.mayBypass == true else {
                throw .permissionDenied(
                    "This token may not bypass approvals, so it cannot create one that may: use a "
                        + "token that may.")
            }
            return true
        case let other?:
            throw .invalidArgument("bypass is \(other.kindDescription): send true or false.")
        }
    }

    /// The expiration time of a new token; nil means never.
    private func expirationDate(in body: JSONNode) throws(RequestError) -> Date? {
        guard let node = body["expirationTime"], node != .null else { return nil }
        guard let date = node.stringValue.flatMap({ Date(timestamp: $0) }),
            date > administration.now()
        else {
            throw .invalidArgument(
                "expirationTime is invalid: send a future time, such as 2030-01-31T12:00:00Z.")
        }
        return date
    }
}

extension StoredToken {
    /// The token in responses, without its hash.
    fileprivate var json: JSONNode {
        var node: JSONNode = [
            "id": .string(id), "name": .string(name), "role": .string(role.rawValue),
            "creationTime": .string(creationDate.timestamp),
        ]
        node.setMember("projects", projects.map(\.json))
        node.setMember("owner", owner.map { .string($0) })
        node.setMember("creator", creator.map { .string($0) })
        node.setMember("bypass", mayBypass ? .bool(true) : nil)
        node.setMember("expirationTime", expirationDate.map { .string($0.timestamp) })
        node.setMember("lastUseTime", lastUseDate.map { .string($0.timestamp) })
        node.setMember("revocationTime", revocationDate.map { .string($0.timestamp) })
        return node
    }
}
