package import HTTPServing
import HTTPTypes
import JSONTree
import Rendering

/// The routes of the console's files (API 5).
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
            .get(Self.path + "{version}/{file}", handler: versionedPage),
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

    private static let noFile = RequestError.notFound(
        "The console has no such file: open \(path).")

    private static func redirect(_ status: HTTPResponse.Status) -> RouteResponse {
        RouteResponse(status: status, headerFields: [.location: path])
    }

    @Sendable
    private func page(_ request: RouteRequest) throws(RequestError) -> RouteResponse {
        let name = request.parameters["file"] ?? ""
        return try response(
            to: request, name: name.isEmpty ? ConsolePages.indexName : name,
            cacheControl: "no-cache")
    }

    /// A file that a browser may cache, since its address changes with its content.
    ///
    /// Other versions are from servers before or after an update: their pages get this server's
    /// files instead of an error.
    @Sendable
    private func versionedPage(_ request: RouteRequest) throws(RequestError) -> RouteResponse {
        let isCurrent = request.parameters["version"] == pages.version
        let name = request.parameters["file"] ?? ""
        // The index is in the parent folder, so its links start there.
        guard name != ConsolePages.indexName else { throw Self.noFile }
        return try response(
            to: request, name: name,
            cacheControl: isCurrent ? "public, max-age=31536000, immutable" : "no-cache")
    }

    /// Responds with the file, or with 304 when the browser has it.
    private func response(
        to request: RouteRequest, name: String, cacheControl: String
    ) throws(RequestError) -> RouteResponse {
        guard let page = pages[name] else {
            throw Self.noFile
        }
        let headerFields: HTTPFields = [
            .eTag: page.entityTag.description, .cacheControl: cacheControl,
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
