package import HTTPTypes
package import NIOCore

/// A type that is what a route answers: a status, fields and a body that is all there.
package struct RouteResponse: Sendable {
    /// The status.
    package var status: HTTPResponse.Status

    /// The fields, without `Content-Length`.
    package var headerFields: HTTPFields

    /// The body; empty when there is none.
    package var body: ByteBuffer

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headerFields: The fields.
    ///   - body: The body.
    init(
        status: HTTPResponse.Status, headerFields: HTTPFields = [:],
        body: ByteBuffer = ByteBuffer()
    ) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }

    /// Makes a response with a JSON body.
    ///
    /// - Parameters:
    ///   - bytes: The body, UTF-8.
    ///   - status: The status; 200 unless said otherwise.
    ///   - headerFields: Further fields; `Content-Type` is added.
    /// - Returns: The response.
    static func json(
        _ bytes: ByteBuffer, status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:]
    ) -> RouteResponse {
        var headerFields = headerFields
        headerFields[.contentType] = "application/json"
        return RouteResponse(status: status, headerFields: headerFields, body: bytes)
    }

    /// Makes the response that tells a client of an error.
    ///
    /// - Parameters:
    ///   - error: What went wrong.
    ///   - target: The target of the request, which decides the form of the body.
    /// - Returns: The response, with the error's own fields.
    static func error(_ error: RequestError, target: String) -> RouteResponse {
        .json(
            error.jsonBytes(forTarget: target), status: error.httpStatus,
            headerFields: error.headerFields)
    }
}
