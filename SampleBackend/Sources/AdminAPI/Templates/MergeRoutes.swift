import ClientAPI
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore
import Templates

/// The route of API 3 that merges an edit with the versions published since its base version.
struct MergeRoutes: Sendable {
    let administration: Administration

    var routes: [Route] {
        [
            Route(
                "/v1/projects/{project}/remoteConfig:merge",
                [.post: Endpoint(access: RoleAccess(.editor), handler: merge)])
        ]
    }

    /// Merges `mine`, an edit of version `base`, with the current version; nothing is stored.
    @Sendable
    private func merge(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.jsonBody(knows: ["base", "mine", "resolutions"])
        let baseVersion = try baseVersion(in: body)
        let choices = try body.resolutions
        let mine = try mine(in: body)
        let current = try await administration.template(inProject: request.project)
        let theirs = try current.validated().template
        // An edit started before the first publish is based on an empty template.
        let base =
            baseVersion == 0
            ? RemoteConfigTemplate()
            : try await administration.template(
                version: baseVersion, inProject: request.project
            ).validated().template
        let merge = TemplateMerge(base: base, mine: mine, theirs: theirs)
        let merged = merge.resolving(choices).json()
        let authors = try await administration.authors(
            of: merge.conflicts, from: base, since: baseVersion, to: current)
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
                        node.setMember("changedBy", authors[conflict.path]?.json)
                        return node
                    }),
                "problems": .array(ValidatedTemplate.problems(of: merged).map(\.json)),
                "changes": [
                    "mine": TemplateDiff(from: base, to: mine).json,
                    "theirs": TemplateDiff(from: base, to: theirs).json,
                ],
            ],
            headerFields: [.eTag: tag.entityTag])
    }

    /// The version on which the edit is based.
    private func baseVersion(in body: JSONNode) throws(RequestError) -> Int {
        if let version = body["base"]?.versionNumber { return version }
        throw .invalidArgument(
            "base is missing or not a version number: send the version on which the edit is based, "
                + "such as \"5\", or \"0\" for an edit before the first publish.")
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
}

extension JSONNode {
    /// The chosen side of each resolved conflict, by its path, in the member `resolutions`.
    ///
    /// - Throws: A ``RequestError`` with status 400 for anything else.
    var resolutions: NamedValues<TemplateMerge.Side> {
        get throws(RequestError) {
            let node = self["resolutions"] ?? .emptyObject
            guard case .object(let members) = node else {
                throw .invalidArgument("resolutions is \(node.kindDescription): send an object.")
            }
            var choices: NamedValues<TemplateMerge.Side> = [:]
            for (path, side) in members {
                guard let side = side.stringValue.flatMap(TemplateMerge.Side.init(rawValue:)) else {
                    throw .invalidArgument(
                        "The resolution of \"\(path.shortened)\" is invalid: send \"mine\" or "
                            + "\"theirs\".")
                }
                choices[path] = side
            }
            return choices
        }
    }
}

extension ValidatedTemplate {
    /// The reasons why a merged template cannot be published, since two valid templates can merge
    /// into one that is too large.
    static func problems(of merged: JSONNode) -> [TemplateProblem] {
        do {
            _ = try ValidatedTemplate(merged: merged)
            return []
        } catch {
            return error.problems
        }
    }
}

extension StoredTemplate {
    /// Reads the published template.
    func validated() throws(TemplateValidationError) -> ValidatedTemplate {
        try ValidatedTemplate(jsonData: content, limits: .none)
    }
}
