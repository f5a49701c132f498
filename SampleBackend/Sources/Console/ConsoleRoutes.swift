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
    /// Other versions are from servers before or after an update. Their pages get this server's files
    /// instead of an error, except modules that load on demand: they would not fit the page's others.
    @Sendable
    private func versionedPage(_ request: RouteRequest) throws(RequestError) -> RouteResponse {
        let folder = request.parameters["version"] ?? ""
        let name = request.parameters["file"] ?? ""
        // The index is in the parent folder, so its links start there.
        guard name.hasBoundedMarks, name != ConsolePages.indexName else { throw Self.noFile }
        guard let version = pages.version else {
            return try response(
                to: request, name: name, subfolder: folder, cacheControl: "no-cache")
        }
        let isCurrent = folder.hasSameBytes(as: version)
        guard isCurrent || name == ConsolePages.mainName || !name.hasSuffix(".js") else {
            throw Self.noFile
        }
        return try response(
            to: request, name: name,
            cacheControl: isCurrent ? "public, max-age=31536000, immutable" : "no-cache")
    }

    /// Responds with the file, compressed if the browser accepts that, or with 304 when it has it.
    private func response(
        to request: RouteRequest, name: String, subfolder: String? = nil, cacheControl: String
    ) throws(RequestError) -> RouteResponse {
        // Hashing a name with many combining marks would take seconds.
        guard name.hasBoundedMarks, let page = pages[name, subfolder: subfolder] else {
            throw Self.noFile
        }
        let compressed = pages.compressed(name)
        let isCompressed = request.headerFields[.acceptEncoding].map(acceptsGzip) == true
        let sent = isCompressed ? compressed ?? page : page
        var headerFields: HTTPFields = [
            .eTag: sent.entityTag.description, .cacheControl: cacheControl,
        ]
        if compressed != nil { headerFields[.vary] = "Accept-Encoding" }
        if let tags = request.headerFields[.ifNoneMatch],
            EntityTagCondition(tags).matches(sent.entityTag.opaqueTag)
        {
            return RouteResponse(status: .notModified, headerFields: headerFields)
        }
        var response = RouteResponse(status: .ok, headerFields: headerFields, body: sent.content)
        response.headerFields[.contentType] = sent.contentType
        if sent.entityTag != page.entityTag { response.headerFields[.contentEncoding] = "gzip" }
        return response
    }
}

/// True if a value of `Accept-Encoding` includes gzip, by name or `*`, with another weight than 0.
///
/// Ignores a value over 1 kB, which no browser sends: anyone may send it, for any file.
private func acceptsGzip(_ value: String) -> Bool {
    guard value.utf8.count <= 1_024 else { return false }
    var accepts: [String: Bool] = [:]  // names: our own literals, in ASCII
    for element in value.lowercased().utf8.split(separator: UInt8(ascii: ",")) {
        let parts = element.split(separator: UInt8(ascii: ";")).map { part in
            String(Substring(part.drop(while: isBlank).prefix { !isBlank($0) }))
        }
        guard let name = parts.first else { continue }
        let zeros = ["q=0", "q=0.", "q=0.0", "q=0.00", "q=0.000"]
        accepts[name] = !parts.dropFirst().contains(where: zeros.contains)
    }
    return accepts["gzip"] ?? accepts["*"] ?? false
}

private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}
