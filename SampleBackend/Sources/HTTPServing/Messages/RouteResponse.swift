package import HTTPTypes
package import JSONTree
package import NIOCore

/// A fully buffered response.
package struct RouteResponse: Sendable {
    package var status: HTTPResponse.Status
    /// The fields of this response only.
    ///
    /// Do not repeat those of ``fieldLines``, ``entityTag`` and ``numberField``, nor
    /// `Content-Length` and `Date`, which the connection adds: every field is sent.
    package var headerFields: HTTPFields
    /// Additional fields that many responses share; nil for none.
    package var fieldLines: FieldLines?
    /// The value of `ETag` without quotation marks; nil for none, or when ``headerFields`` has one.
    package var entityTag: (opaqueTag: String, isWeak: Bool)?
    /// A field with a nonnegative number as its value; nil for none.
    package var numberField: (name: StaticString, value: Int)?
    /// Empty when there is none.
    package var body: ByteBuffer
    /// False for the answer to `HEAD` of a stream, whose length is unknown.
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
