import HTTPTypes

/// A type that says which pages of other origins may read configurations (CORS).
///
/// The routes of administrators are for no other origin, whatever is allowed here.
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

    /// Whether nobody is allowed.
    var isEmpty: Bool { origins.isEmpty }

    /// Adds what tells a browser that a page may read the response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - origin: The value of `Origin`.
    ///   - isForClients: Whether the route is one for apps.
    func addFields(to response: inout RouteResponse, origin: String?, isForClients: Bool) {
        guard isForClients, !isEmpty else { return }
        response.headerFields[.vary] = "Origin"
        guard let origin, origins.contains(origin) || origins.contains("*") else { return }
        response.headerFields[.accessControlAllowOrigin] = origin
        response.headerFields[.accessControlExposeHeaders] = "ETag, Retry-After"
        if response.status == .noContent {
            response.headerFields[.accessControlAllowMethods] = "GET, HEAD, POST"
            response.headerFields[.accessControlAllowHeaders] =
                "Authorization, Content-Type, If-None-Match, X-API-Key"
            response.headerFields[.accessControlMaxAge] = "3600"
        }
    }
}
