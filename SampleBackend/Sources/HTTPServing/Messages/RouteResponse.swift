package import HTTPTypes
package import JSONTree
package import NIOCore

/// A fully buffered response.
package struct RouteResponse: Sendable {
    package var status: HTTPResponse.Status
    /// The fields of this response alone, each of which is sent: those of ``fieldLines``,
    /// ``entityTag`` and ``numberField``, and `Content-Length` and `Date`, which the connection adds, are not repeated here.
    package var headerFields: HTTPFields
    /// Fields beside ``headerFields`` that many responses share; nil for none.
    package var fieldLines: FieldLines?
    /// The value of `ETag`, its quotation marks left out; nil for none, or one in ``headerFields``.
    package var entityTag: (opaqueTag: String, isWeak: Bool)?
    /// A field whose value is a number that is not negative; nil for none.
    package var numberField: (name: StaticString, value: Int)?
    /// Empty when there is none.
    package var body: ByteBuffer
    /// False for the answer to `HEAD` of a stream, whose length is not known.
    package var hasLength = true

    package init(
        status: HTTPResponse.Status, headerFields: HTTPFields = [:],
        body: ByteBuffer = ByteBuffer()
    ) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }

    /// A response with a JSON body in UTF-8; adds `Content-Type`.
    package static func json(
        _ bytes: ByteBuffer, status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:]
    ) -> RouteResponse {
        var headerFields = headerFields
        headerFields[.contentType] = "application/json"
        return RouteResponse(status: status, headerFields: headerFields, body: bytes)
    }

    /// A response with a JSON body that must not be cached, unless the fields have a
    /// `Cache-Control`.
    package static func json(_ node: JSONNode, headerFields: HTTPFields = [:]) -> RouteResponse {
        var headerFields = headerFields
        headerFields[.cacheControl] = headerFields[.cacheControl] ?? "no-store"
        return .json(ByteBuffer(bytes: node.jsonData()), headerFields: headerFields)
    }
}
