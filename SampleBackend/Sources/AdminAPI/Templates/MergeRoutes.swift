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
        let choices = try choices(in: body)
        let mine = try mine(in: body)
        let current = try await administration.template(inProject: request.project)
        let theirs = try template(of: current)
        // An edit started before the first publish is based on an empty template.
        let base =
            baseVersion == 0
            ? RemoteConfigTemplate()
            : try template(
                of: try await administration.template(
                    version: baseVersion, inProject: request.project))
        let merge = TemplateMerge(base: base, mine: mine, theirs: theirs)
        let merged = merge.resolving(choices).json()
        let authors = try await authors(
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
                "problems": .array(Self.problems(of: merged).map(\.json)),
                "changes": [
                    "mine": TemplateDiff(from: base, to: mine).json,
                    "theirs": TemplateDiff(from: base, to: theirs).json,
                ],
            ],
            headerFields: [.eTag: tag.entityTag])
    }

    /// Maximum number of versions to search for the authors of conflicts.
    private static let maximumVersions = 30

    /// The last version since `base` that changed each conflicting unit, by the path of the
    /// conflict; missing for a change that is older than the searched versions.
    private func authors(
        of conflicts: [TemplateMerge.Conflict], from base: RemoteConfigTemplate, since: Int,
        to current: StoredTemplate
    ) async throws -> NamedValues<TemplateVersion> {
        var authors: NamedValues<TemplateVersion> = [:]
        var open = conflicts
        var newer = TemplateMerge.Units(try template(of: current))
        let query = VersionQuery(
            limit: Self.maximumVersions, endVersion: current.version.number)
        let page = try await administration.versions(
            inProject: current.project, matching: query)
        let later = page.versions.filter { $0.number > since }
        for (index, version) in later.enumerated() where !open.isEmpty {
            var older = base
            if index + 1 < later.count {
                older = try await template(
                    of: administration.template(
                        version: later[index + 1].number, inProject: current.project))
            } else if later.count == Self.maximumVersions {
                break
            }
            let units = TemplateMerge.Units(older)
            open.removeAll { conflict in
                guard Self.value(of: conflict, in: units) != Self.value(of: conflict, in: newer)
                else { return false }
                authors[conflict.path] = version
                return true
            }
            newer = units
        }
        return authors
    }

    /// The value of a conflicting unit in a template; for the order of conditions, only the names
    /// that all sides have.
    private static func value(
        of conflict: TemplateMerge.Conflict, in units: TemplateMerge.Units
    ) -> JSONNode? {
        let value = units[conflict.subject]
        guard conflict.subject == .conditionOrder, case .array(let names)? = value else {
            return value
        }
        let sides = [conflict.base, conflict.mine, conflict.theirs].map {
            Set($0?.arrayValue ?? [])
        }
        return .array(names.filter { name in sides.allSatisfy { $0.contains(name) } })
    }

    /// The version on which the edit is based.
    private func baseVersion(in body: JSONNode) throws(RequestError) -> Int {
        if let version = body["base"]?.versionNumber { return version }
        throw .invalidArgument(
            "base is missing or not a version number: send the version on which the edit is based, "
                + "such as \"5\", or \"0\" for an edit before the first publish.")
    }

    /// The chosen side of each resolved conflict, by its path.
    private func choices(
        in body: JSONNode
    ) throws(RequestError) -> NamedValues<TemplateMerge.Side> {
        let node = body["resolutions"] ?? .emptyObject
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

    /// The reasons why the merged template cannot be published, since two valid templates can merge
    /// into one that is too large.
    private static func problems(of merged: JSONNode) -> [TemplateProblem] {
        do {
            _ = try ValidatedTemplate(json: merged)
            return []
        } catch {
            return error.problems
        }
    }
}
