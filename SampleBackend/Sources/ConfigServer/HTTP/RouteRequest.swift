import HTTPTypes
import NIOCore

/// A type that is a request as its route's handler sees it.
struct RouteRequest: Sendable {
    /// The method.
    let method: HTTPRequest.Method

    /// The value of `Host`; nil of a request that came over no connection.
    let host: String?

    /// The path and the query.
    let target: RequestTarget

    /// The decoded values of the pattern's parameters, by name.
    let parameters: [String: String]

    /// The header fields.
    let headerFields: HTTPFields

    /// The body; empty when there is none.
    let body: ByteBuffer

    /// Who asks, on the routes of administrators.
    var administrator: Administrator?
}
