import ClientAPI
import HTTPServing
import HTTPTypes
import JSONTree
import NIOCore
import Rendering
import Targeting
import TemplateStore
import Templates

/// The route of API 3 for Firebase's server libraries, which load a whole template and evaluate it
/// themselves.
struct ServerTemplateRoutes: Sendable {
    let administration: Administration

    /// Whoever may evaluate users.
    private static let access = RoleAccess(.evaluator)

    var routes: [Route] {
        [
            .get(
                "/v1/projects/{project}/namespaces/firebase-server/serverRemoteConfig",
                access: Self.access, handler: get)
        ]
    }

    /// Returns the current template, or 304 when the caller has it.
    @Sendable
    private func get(_ request: RouteRequest) throws -> RouteResponse {
        guard let published = administration.library.project(request.project) else {
            throw administration.library.refusal(ofProject: request.project)
        }
        let compiled = published.compiled
        let template = ServerTemplate(
            compiled.template, conditions: compiled.conditions.conditions,
            version: compiled.version, at: administration.now())
        let body = ByteBuffer(bytes: template.json.jsonData())
        // The conditions change with the time, too.
        let tag = EntityTag(
            ofContent: body,
            prefix: "etag-\(request.project)-firebase-server-\(compiled.version.number)-")
        var headerFields: HTTPFields = [
            .eTag: tag.description, .cacheControl: "private, no-cache",
        ]
        headerFields.append(warnings: template.warnings + Self.warnings(about: published))
        let held = request.headerFields[.ifNoneMatch].map(EntityTagCondition.init)
        if held?.matches(tag.opaqueTag) ?? false {
            return RouteResponse(status: .notModified, headerFields: headerFields)
        }
        return .json(body, headerFields: headerFields)
    }

    private static func warnings(about project: PublishedProject) -> [String] {
        let count = project.overrides.count
        return count == 0
            ? [] : ["The values pinned for users, \(count) at present, are no part of it."]
    }
}
