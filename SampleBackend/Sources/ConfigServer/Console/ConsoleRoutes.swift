import HTTPTypes
import Rendering

/// A type that has the routes of the console's files (HTTP 5).
struct ConsoleRoutes: Sendable {
    /// The files.
    let pages: ConsolePages

    /// The path of the console.
    private static let path = "/console/"

    /// The routes, for the server's table.
    var routes: [Route] {
        [
            .get("/") { _ in Self.redirect(.temporaryRedirect) },
            .get("/console") { _ in Self.redirect(.permanentRedirect) },
            .get(Self.path + "{file}", handler: page),
        ]
    }

    /// Sends a browser to the console.
    private static func redirect(_ status: HTTPResponse.Status) -> RouteResponse {
        RouteResponse(status: status, headerFields: [.location: path])
    }

    /// Answers with a file, or with 304 when the browser has it.
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
            EntityTagCondition(tags).matches(page.entityTag)
        {
            return RouteResponse(status: .notModified, headerFields: headerFields)
        }
        var response = RouteResponse(
            status: .ok, headerFields: headerFields, body: page.content)
        response.headerFields[.contentType] = page.contentType
        return response
    }
}
