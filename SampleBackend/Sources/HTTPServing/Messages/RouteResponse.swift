package import HTTPTypes
package import JSONTree
package import NIOCore

/// A fully buffered response.
package struct RouteResponse: Sendable {
    package var status: HTTPResponse.Status
    /// The fields, without `Content-Length` and `Date`.
    package var headerFields: HTTPFields
    /// Empty when there is none.
    package var body: ByteBuffer

    package init(
        status: HTTPResponse.Status, headerFields: HTTPFields = [:],
        body: ByteBuffer = ByteBuffer()
    ) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }

    /// Makes a response with a JSON body, UTF-8; `Content-Type` is added.
    package static func json(
        _ bytes: ByteBuffer, status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:]
    ) -> RouteResponse {
        var headerFields = headerFields
        headerFields[.contentType] = "application/json"
        return RouteResponse(status: status, headerFields: headerFields, body: bytes)
    }

    /// Makes a response with a JSON body that nobody may keep, unless the fields allow it.
    package static func json(_ node: JSONNode, headerFields: HTTPFields = [:]) -> RouteResponse {
        var headerFields = headerFields
        headerFields[.cacheControl] = headerFields[.cacheControl] ?? "no-store"
        return .json(ByteBuffer(bytes: node.jsonData()), headerFields: headerFields)
    }
}
