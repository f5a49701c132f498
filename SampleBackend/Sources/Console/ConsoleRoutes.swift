package import HTTPServing
import HTTPTypes
import JSONTree
import Rendering

/// The routes of the console's files (HTTP 5).
package struct ConsoleRoutes: Sendable {
    private let pages: ConsolePages

    package init(pages: ConsolePages) {
        self.pages = pages
    }

    private static let path = "/console/"

    package var group: RouteGroup {
        var group = RouteGroup([
            .get("/") { _ in Self.redirect(.temporaryRedirect) },
            .get("/console") { _ in Self.redirect(.permanentRedirect) },
            .get(Self.path + "{file}", handler: page),
        ])
        group.covers = { target in
            guard let segments = TargetParts(target)?.segments, let first = segments.first else {
                return false
            }
            return first.hasSameBytes(as: "console") || (first.isEmpty && segments.count == 1)
        }
        group.protectAsConsole()
        return group
    }

    private static func redirect(_ status: HTTPResponse.Status) -> RouteResponse {
        RouteResponse(status: status, headerFields: [.location: path])
    }

    /// The file, or 304 when the browser has it.
    @Sendable
    private func page(_ request: RouteRequest) throws(RequestError) -> RouteResponse {
        let name = request.parameters["file"] ?? ""
        guard let page = pages[name.isEmpty ? ConsolePages.indexName : name] else {
            throw .notFound("The console has no such file: open \(Self.path).")
        }
        let headerFields: HTTPFields = [
            .eTag: page.entityTag.description, .cacheControl: "no-cache",
        ]
        if let tags = request.headerFields[.ifNoneMatch],
            EntityTagCondition(tags).matches(page.entityTag.opaqueTag)
        {
            return RouteResponse(status: .notModified, headerFields: headerFields)
        }
        var response = RouteResponse(
            status: .ok, headerFields: headerFields, body: page.content)
        response.headerFields[.contentType] = page.contentType
        return response
    }
}
