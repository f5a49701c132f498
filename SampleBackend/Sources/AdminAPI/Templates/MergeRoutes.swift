import ClientAPI
import HTTPServing
import HTTPTypes
import JSONTree
import OrderedCollections
import TemplateStore
import Templates

/// A type that has the route of HTTP 3 that puts an edit together with what was published since it
/// began.
struct MergeRoutes: Sendable {
    /// What does the work.
    let administration: Administration

    /// The routes, for the server's table.
    var routes: [Route] {
        [
            Route(
                "/v1/projects/{project}/remoteConfig:merge",
                [.post: Endpoint(access: RoleAccess(.editor), handler: merge)])
        ]
    }

    /// Merges `mine`, which began with the version `base`, with the current version; nothing is
    /// stored.
    @Sendable
    private func merge(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.jsonBody()
        let baseVersion = try baseVersion(in: body)
        let choices = try choices(in: body)
        let mine = try mine(in: body)
        let current = try await administration.template(inProject: request.project)
        let theirs = try template(of: current)
        // An edit that began before the first publish began with nothing.
        let base =
            baseVersion == 0
            ? RemoteConfigTemplate()
            : try template(
                of: try await administration.template(
                    version: baseVersion, inProject: request.project))
        let merge = TemplateMerge(base: base, mine: mine, theirs: theirs)
        let merged = merge.resolving(choices).json()
        let tag = TemplateTag(project: request.project, version: current.version.number)
        return .json(
            [
                "versionNumber": .string("\(current.version.number)"),
                "etag": .string(tag.description),
                "template": merged,
                "conflicts": .array(
                    merge.conflicts.map { conflict in
                        var node = conflict.json
                        node.setMember(
                            "resolution", choices[conflict.path].map { .string($0.rawValue) })
                        return node
                    }),
                "problems": .array(Self.problems(of: merged).map(\.json)),
                "changes": [
                    "mine": TemplateDiff(from: base, to: mine).json,
                    "theirs": TemplateDiff(from: base, to: theirs).json,
                ],
            ],
            headerFields: [.eTag: tag.description])
    }

    /// The version that the edit began with.
    private func baseVersion(in body: JSONNode) throws(RequestError) -> Int {
        if let version = body["base"]?.versionNumber { return version }
        throw .invalidArgument(
            "base is missing or no version's number: send the one the edit began with, such as "
                + "\"5\", or \"0\" when nothing was published then.")
    }

    /// The side for each conflict that is decided, by its path.
    private func choices(in body: JSONNode) throws(RequestError) -> [String: TemplateMerge.Side] {
        let node = body["resolutions"] ?? .emptyObject
        guard case .object(let members) = node else {
            throw .invalidArgument("resolutions is \(node.kindDescription): send an object.")
        }
        var choices: [String: TemplateMerge.Side] = [:]
        for (path, side) in members {
            guard let side = side.stringValue.flatMap(TemplateMerge.Side.init(rawValue:)) else {
                throw .invalidArgument(
                    "The resolution of \"\(path.shortened)\" is wrong: send \"mine\" or "
                        + "\"theirs\".")
            }
            choices[path] = side
        }
        return choices
    }

    /// The edited template.
    private func mine(in body: JSONNode) throws(RequestError) -> RemoteConfigTemplate {
        guard let mine = body["mine"] else {
            throw .invalidArgument("mine is missing: send the edited template.")
        }
        do {
            return try ValidatedTemplate(json: mine).template
        } catch {
            throw .invalidTemplate(error)
        }
    }

    /// The template of a version.
    private func template(
        of stored: StoredTemplate
    ) throws(TemplateValidationError) -> RemoteConfigTemplate {
        try ValidatedTemplate(jsonData: stored.content, limits: .none).template
    }

    /// What keeps a merged template from being published: two sound ones can make one that is too
    /// large.
    private static func problems(of merged: JSONNode) -> [TemplateProblem] {
        do {
            _ = try ValidatedTemplate(json: merged)
            return []
        } catch {
            return error.problems
        }
    }
}
