import ClientAPI
import HTTPServing
import HTTPTypes
import JSONTree
import OrderedCollections
import TemplateStore
import Templates

/// The route of HTTP 3 that merges an edit with the versions published since it began.
struct MergeRoutes: Sendable {
    let administration: Administration

    var routes: [Route] {
        [
            Route(
                "/v1/projects/{project}/remoteConfig:merge",
                [.post: Endpoint(access: RoleAccess(.editor), handler: merge)])
        ]
    }

    /// Merges `mine`, an edit of the version `base`, with the current version; nothing is stored.
    @Sendable
    private func merge(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.jsonBody()
        let baseVersion = try baseVersion(in: body)
        let choices = try choices(in: body)
        let mine = try mine(in: body)
        let current = try await administration.template(inProject: request.project)
        let theirs = try template(of: current)
        // An edit that began before the first publish is based on an empty template.
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

    /// The version that the edit is based on.
    private func baseVersion(in body: JSONNode) throws(RequestError) -> Int {
        if let version = body["base"]?.versionNumber { return version }
        throw .invalidArgument(
            "base is missing or no version's number: send the one the edit began with, such as "
                + "\"5\", or \"0\" when nothing was published then.")
    }

    /// The chosen side of each resolved conflict, by its path.
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

    private func template(
        of stored: StoredTemplate
    ) throws(TemplateValidationError) -> RemoteConfigTemplate {
        try ValidatedTemplate(jsonData: stored.content, limits: .none).template
    }

    /// The reasons why the merged template cannot be published: two valid templates can merge into
    /// one that is too large.
    private static func problems(of merged: JSONNode) -> [TemplateProblem] {
        do {
            _ = try ValidatedTemplate(json: merged)
            return []
        } catch {
            return error.problems
        }
    }
}
