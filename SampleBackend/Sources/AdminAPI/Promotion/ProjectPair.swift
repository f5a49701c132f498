import ClientAPI
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore
import Templates

/// The current templates of two projects that are compared.
struct ProjectPair: Sendable {
    /// The project in the path.
    let target: StoredTemplate
    let source: StoredTemplate

    /// Reads both templates.
    ///
    /// - Throws: A ``RequestError`` with status 404 when one of the projects does not exist or the
    ///   caller's token does not include it, and 400 when they are the same.
    init(
        of request: RouteRequest, source name: String, _ administration: Administration
    ) async throws(RequestError) {
        try ProjectName.check(name)
        guard request.administrator?.includes(name) ?? true else { throw .unknownProject(name) }
        guard !name.hasSameBytes(as: request.project) else {
            throw .invalidArgument("Both projects are \"\(name)\": send another one.")
        }
        target = try await administration.template(inProject: request.project)
        source = try await administration.template(inProject: name)
    }

    /// A response with the state of the target.
    func answer(_ body: JSONNode) -> RouteResponse {
        var body = body
        body.setMember("versionNumber", .string("\(target.version.number)"))
        body.setMember("etag", .string(target.tag.description))
        return .json(
            body, headerFields: [.eTag: target.tag.entityTag, .cacheControl: "no-store"])
    }
}

extension StoredTemplate {
    var tag: TemplateTag { TemplateTag(project: project, version: version.number) }

    /// - Throws: A ``RequestError`` with status 412 when a tag is given that is not the template's.
    func check(tag text: String?, in place: String) throws(RequestError) {
        guard let text, text != "*", TemplateTag(text, project: project) != tag else { return }
        throw RequestError(
            httpStatus: .preconditionFailed, statusName: "VERSION_MISMATCH",
            message: "The current version of \"\(project)\" is \(version.number), not the one in "
                + "\(place): compare the projects again, and send the new ETag.")
    }
}

extension JSONNode {
    /// A member that is a string; nil when it is missing.
    ///
    /// - Throws: A ``RequestError`` with status 400 for any other value.
    func optionalString(named name: String, _ what: String) throws(RequestError) -> String? {
        switch self[name] {
        case nil: return nil
        case .string(let text): return text
        default:
            throw .invalidArgument("\(name) is not a string: send \(what), or leave it out.")
        }
    }
}
