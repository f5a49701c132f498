import ClientAPI
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore
import Templates

/// The routes of API 3 that compare the templates of two projects, and merge parts of one into the
/// other.
struct PromotionRoutes: Sendable {
    let administration: Administration

    private static let path = "/v1/projects/{project}/remoteConfig"

    var routes: [Route] {
        [
            .get(Self.path + ":compare", access: RoleAccess(.viewer), handler: compare),
            Route(
                Self.path + ":promote",
                [.post: Endpoint(access: RoleAccess(.editor), handler: promote)]),
        ]
    }

    /// The current templates of two projects.
    private struct Pair {
        /// The project in the path.
        let target: StoredTemplate
        let source: StoredTemplate
    }

    /// Returns what differs between the project and another one.
    @Sendable
    private func compare(_ request: RouteRequest) async throws -> RouteResponse {
        guard let source = try request.queryValue(named: "with") else {
            throw RequestError.invalidArgument("with is missing: send the name of a project.")
        }
        let pair = try await pair(of: request, source: source)
        let old = try pair.target.validated().template
        let new = try pair.source.validated().template
        var body = TemplateDiff(from: old, to: new).json
        body.setMember(
            "affectedSettings", Self.json(TemplateDiff.affectedSettings(from: old, to: new)))
        body.setMember("with", .string(source))
        body.setMember("withVersionNumber", .string("\(pair.source.version.number)"))
        body.setMember("withETag", .string(pair.source.tag.description))
        return Self.answer(body, pair)
    }

    /// Returns the project's template with chosen settings of another project; nothing is stored.
    @Sendable
    private func promote(_ request: RouteRequest) async throws -> RouteResponse {
        let promotion = try PromotionRequest(request.jsonBody(knows: PromotionRequest.members))
        let pair = try await pair(of: request, source: promotion.source)
        try pair.target.check(tag: request.headerFields[.ifMatch], in: "If-Match")
        try pair.source.check(tag: promotion.sourceTag, in: "fromETag")
        let merge = TemplatePromotion(
            from: try pair.source.validated(), to: try pair.target.validated().template,
            choice: promotion.choice)
        guard merge.missingNames.isEmpty else {
            throw RequestError.missingNames(merge.missingNames, in: promotion)
        }
        let merged = merge.resolving(promotion.resolutions)
        var body = merge.json(merged, resolutions: promotion.resolutions)
        let number = pair.source.version.number
        var template = merged.json()
        template.setMember(
            "version", ["description": .string("From \(promotion.source), version \(number)")])
        body.setMember("template", template)
        body.setMember(
            "problems", .array(ValidatedTemplate.problems(of: template).map(\.json)))
        body.setMember("from", .string(promotion.source))
        body.setMember("fromVersionNumber", .string("\(number)"))
        body.setMember("fromETag", .string(pair.source.tag.description))
        return Self.answer(body, pair)
    }

    /// Reads both templates.
    ///
    /// - Throws: A ``RequestError`` with status 404 when one of the projects does not exist or the
    ///   caller's token does not include it, and 400 when they are the same.
    private func pair(
        of request: RouteRequest, source: String
    ) async throws(RequestError) -> Pair {
        try ProjectName.check(source)
        guard request.administrator?.includes(source) ?? true else {
            throw .unknownProject(source)
        }
        guard !source.hasSameBytes(as: request.project) else {
            throw .invalidArgument("Both projects are \"\(source)\": send another one.")
        }
        return Pair(
            target: try await administration.template(inProject: request.project),
            source: try await administration.template(inProject: source))
    }

    private static func answer(_ body: JSONNode, _ pair: Pair) -> RouteResponse {
        var body = body
        body.setMember("versionNumber", .string("\(pair.target.version.number)"))
        body.setMember("etag", .string(pair.target.tag.description))
        return .json(
            body,
            headerFields: [.eTag: pair.target.tag.entityTag, .cacheControl: "no-store"])
    }

    fileprivate static func json(_ settings: [SettingPlace]) -> JSONNode {
        .array(settings.map(\.json))
    }
}

extension TemplatePromotion {
    /// The parts of the response of `remoteConfig:promote` that concern the merge.
    fileprivate func json(
        _ merged: RemoteConfigTemplate, resolutions: NamedValues<TemplateMerge.Side>
    ) -> JSONNode {
        func names(_ names: [String]) -> JSONNode { .array(names.map { .string($0) }) }
        return [
            "conflicts": .array(
                conflicts.map { conflict in
                    var node = conflict.json
                    node.setMember(
                        "resolution",
                        resolutions[conflict.path].map { .string($0.rawValue) })
                    return node
                }),
            "conditions": [
                "added": names(conditions.added), "reused": names(conditions.reused),
                "different": names(conditions.different), "omitted": names(conditions.omitted),
            ],
            "omittedValues": .array(
                omittedValues.map { value in
                    var node = value.setting.json
                    node.setMember("condition", .string(value.condition))
                    return node
                }),
            "affectedSettings": PromotionRoutes.json(
                TemplateDiff.affectedSettings(from: target, to: merged)),
            "changes": TemplateDiff(from: target, to: merged).json,
        ]
    }
}

/// The body of a promotion.
private struct PromotionRequest {
    static let members = [
        "from", "fromETag", "settings", "sections", "deletions", "userConditions", "resolutions",
    ]

    /// The project to copy from.
    let source: String

    /// The expected tag of its template; nil for any.
    let sourceTag: String?

    let choice: TemplatePromotion.Choice

    let resolutions: NamedValues<TemplateMerge.Side>

    init(_ body: JSONNode) throws(RequestError) {
        guard let source = body["from"]?.stringValue else {
            throw .invalidArgument(
                "from is missing or not a string: send the project to copy from.")
        }
        self.source = source
        switch body["fromETag"] {
        case nil: sourceTag = nil
        case .string(let tag): sourceTag = tag
        default: throw .invalidArgument("fromETag is not a string: send an ETag, or leave it out.")
        }
        var choice = TemplatePromotion.Choice()
        choice.includesDeletions = try body.flag(named: "deletions")
        choice.includesUserConditions = try body.flag(named: "userConditions")
        choice.sections = try Self.names(body["sections"], at: "sections")
        guard let settings = (body["settings"] ?? []).arrayValue else {
            throw .invalidArgument("settings is not an array: send settings, or leave it out.")
        }
        for (index, node) in settings.enumerated() {
            let (place, parts) = try Self.setting(node, at: "settings[\(index)]")
            choice.settings[place] = parts
        }
        // An empty list chooses nothing; without both lists everything is chosen.
        guard !choice.isWhole || body["settings"] == nil && body["sections"] == nil else {
            throw .invalidArgument(
                "settings and sections choose nothing: leave both out to copy everything.")
        }
        self.choice = choice
        resolutions = try body.resolutions
    }

    /// Reads `{"section": "Home", "key": "title", "parts": ["defaultValue"]}`.
    private static func setting(
        _ node: JSONNode, at path: String
    ) throws(RequestError) -> (SettingPlace, TemplatePromotion.Parts) {
        guard let members = node.objectValue, let section = node["section"]?.stringValue,
            let key = node["key"]?.stringValue
        else {
            throw .invalidArgument(
                "\(path) has no section or key: send {\"section\": \"Home\", \"key\": \"title\"}.")
        }
        try members.checkMembers(known: ["section", "key", "parts"], in: "\(path).")
        let parts = try node["parts"].map { parts throws(RequestError) in
            let names = try names(parts, at: "\(path).parts")
            guard !names.isEmpty else {
                throw .invalidArgument(
                    "\(path).parts chooses nothing: leave it out to copy the whole setting.")
            }
            return TemplatePromotion.Parts.named(names)
        }
        return (SettingPlace(section: section, key: key), parts ?? .all)
    }

    private static func names(
        _ node: JSONNode?, at path: String
    ) throws(RequestError) -> Set<ExactText> {
        guard let node else { return [] }
        let names = node.arrayValue?.map(\.stringValue)
        guard let names, !names.contains(nil) else {
            throw .invalidArgument("\(path) is not an array of strings: send one.")
        }
        return names.compactMap(\.self).exactNames
    }
}

extension StoredTemplate {
    fileprivate var tag: TemplateTag {
        TemplateTag(project: project, version: version.number)
    }

    /// - Throws: A ``RequestError`` with status 412 when a tag is given that is not the template's.
    fileprivate func check(tag text: String?, in place: String) throws(RequestError) {
        guard let text, text != "*", TemplateTag(text, project: project) != tag else { return }
        throw RequestError(
            httpStatus: .preconditionFailed, statusName: "VERSION_MISMATCH",
            message: "The current version of \"\(project)\" is \(version.number), not the one in "
                + "\(place): compare the projects again, and send the new ETag.")
    }
}

extension RequestError {
    /// 400: chosen settings, sections or parts of settings do not exist.
    fileprivate static func missingNames(
        _ names: [String], in promotion: PromotionRequest
    ) -> RequestError {
        let shown = names.prefix(3).map { "\"\($0.shortened)\"" }.joined(separator: ", ")
        let more = names.count > 3 ? " and \(names.count - 3) more" : ""
        guard !promotion.choice.includesDeletions else {
            return .invalidArgument(
                "Neither project has \(shown)\(more): choose what one of them has.")
        }
        return .invalidArgument(
            "\"\(promotion.source)\" has no \(shown)\(more): choose what it has, or send "
                + "\"deletions\": true to remove from the other project what it lacks.")
    }
}
