import HTTPTypes

/// A type that is a request as its route's handler sees it.
struct RouteRequest: Sendable {
    /// The path and the query.
    let target: RequestTarget

    /// The decoded values of the pattern's parameters, by name.
    let parameters: [String: String]

    /// The header fields.
    let headerFields: HTTPFields
}
