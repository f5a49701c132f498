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

    /// Returns what differs between the project and another one.
    @Sendable
    private func compare(_ request: RouteRequest) async throws -> RouteResponse {
        guard let source = try request.queryValue(named: "with") else {
            throw RequestError.invalidArgument("with is missing: send the name of a project.")
        }
        let pair = try await ProjectPair(of: request, source: source, administration)
        let old = try pair.target.validated().template
        let new = try pair.source.validated().template
        let marks = try await administration.marks(for: source, by: request, from: old, to: new)
        let differences = TemplateDiff(from: old, to: new).separating(Set(marks.holding))
        var body = marks.json(of: differences.open, areIntended: false)
        body.setMember("intended", marks.json(of: differences.intended, areIntended: true))
        body.setMember(
            "affectedSettings",
            Self.json(TemplateDiff.affectedSettings(from: old, to: new, except: Set(marks.holding)))
        )
        body.setMember("with", .string(source))
        body.setMember("withVersionNumber", .string("\(pair.source.version.number)"))
        body.setMember("withETag", .string(pair.source.tag.description))
        return pair.answer(body)
    }

    /// Returns the project's template with chosen settings of another project; nothing is stored.
    @Sendable
    private func promote(_ request: RouteRequest) async throws -> RouteResponse {
        var promotion = try PromotionRequest(request.jsonBody(knows: PromotionRequest.members))
        let pair = try await ProjectPair(of: request, source: promotion.source, administration)
        try pair.target.check(tag: request.headerFields[.ifMatch], in: "If-Match")
        try pair.source.check(tag: promotion.sourceTag, in: "fromETag")
        let source = try pair.source.validated()
        let target = try pair.target.validated().template
        let marks = try await administration.marks(
            for: promotion.source, by: request, from: target, to: source.template)
        promotion.choice.intended = Set(marks.settings)
        let merge = TemplatePromotion(from: source, to: target, choice: promotion.choice)
        guard merge.missingNames.isEmpty else {
            throw RequestError.missingNames(merge.missingNames, in: promotion)
        }
        let kept = promotion.keepConditions(marks, amongst: merge.conflicts)
        let merged = merge.resolving(promotion.resolutions)
        var body = merge.json(merged, resolutions: promotion.resolutions)
        body.setMember("intended", .array(promotion.omitted(marks, kept: kept).map(\.json)))
        let number = pair.source.version.number
        var template = merged.json()
        template.setMember(
            "version", ["description": .string("From \(promotion.source), version \(number)")])
        body.setMember("template", template)
        let known = await administration.knownSignals(inProject: request.project)
        do throws(TemplateValidationError) {
            let checked = try ValidatedTemplate(merged: template)
            let taken =
                merge.conditions.added
                + merge.conflicts.filter { promotion.resolutions[$0.path] == .mine }
                .compactMap(\.conditionName)
            body.setMember("problems", [])
            body.setMember("doubts", checked.doubtsJSON(of: taken.exactNames, knowing: known))
        } catch {
            body.setMember("problems", .array(error.problems.map(\.json)))
        }
        body.setMember("from", .string(promotion.source))
        body.setMember("fromVersionNumber", .string("\(number)"))
        body.setMember("fromETag", .string(pair.source.tag.description))
        return pair.answer(body)
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

    var choice: TemplatePromotion.Choice

    var resolutions: NamedValues<TemplateMerge.Side>

    init(_ body: JSONNode) throws(RequestError) {
        guard let source = body["from"]?.stringValue else {
            throw .invalidArgument(
                "from is missing or not a string: send the project to copy from.")
        }
        self.source = source
        sourceTag = try body.optionalString(named: "fromETag", "an ETag")
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

    /// Keeps the target's side of the conditions that differ on purpose, unless the request decides
    /// about them; returns these conditions.
    mutating func keepConditions(
        _ marks: ComparedMarks, amongst conflicts: [TemplateMerge.Conflict]
    ) -> [ComparedSubject] {
        let names = Set(marks.conditions)
        let kept = conflicts.filter { conflict in
            guard let name = conflict.conditionName else { return false }
            return names.contains(name: name) && resolutions[conflict.path] == nil
        }
        for conflict in kept { resolutions[conflict.path] = .theirs }
        return kept.compactMap { $0.conditionName.map { .condition(ExactText($0)) } }
    }

    /// What is not copied, since it differs on purpose.
    func omitted(_ marks: ComparedMarks, kept conditions: [ComparedSubject]) -> [ComparedSubject] {
        let settings = marks.settings.filter { place in
            (choice.isWhole || choice.sections.contains(place.section))
                && choice.settings[place] == nil
        }
        return settings.map { .setting($0) } + conditions
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
