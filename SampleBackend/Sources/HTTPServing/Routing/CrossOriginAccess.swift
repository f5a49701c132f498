package import HTTPTypes

/// The pages of other origins that may read (CORS).
///
/// It counts for the groups that are ``RouteGroup/isReadableAcrossOrigins``.
public struct CrossOriginAccess: Sendable, Hashable {
    /// No page of another origin may read.
    public static let none = CrossOriginAccess(origins: [])

    /// The origins, such as `https://app.example`; `*` stands for all.
    private let origins: Set<String>

    /// Makes the rule.
    ///
    /// - Parameter origins: The origins, such as `https://app.example`, as browsers send them; `*`
    ///   stands for all.
    public init(origins: [String]) {
        self.origins = Set(origins)
    }

    /// Adds what tells a browser that a page of an origin may read the response.
    package func addFields(
        to headerFields: inout HTTPFields, status: HTTPResponse.Status, origin: String?
    ) {
        guard !origins.isEmpty else { return }
        headerFields[.vary] = "Origin"
        guard let origin, origins.contains(origin) || origins.contains("*") else { return }
        headerFields[.accessControlAllowOrigin] = origin
        headerFields[.accessControlExposeHeaders] = "ETag, Retry-After"
        if status == .noContent {
            headerFields[.accessControlAllowMethods] = "GET, HEAD, POST"
            headerFields[.accessControlAllowHeaders] =
                "Authorization, Content-Type, If-None-Match, X-API-Key"
            headerFields[.accessControlMaxAge] = "3600"
        }
    }
}
