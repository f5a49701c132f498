import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// Makes a response with a JSON body.
    ///
    /// - Parameters:
    ///   - bytes: The body, UTF-8.
    ///   - status: The status; 200 unless said otherwise.
    ///   - headerFields: Further fields; `Content-Type` is added.
    /// - Returns: The response.
    static func json(
        _ bytes: ByteBuffer, status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:]
    ) -> Response {
        var headerFields = headerFields
        headerFields[.contentType] = "application/json"
        return Response(
            status: status, headers: headerFields, body: ResponseBody(byteBuffer: bytes))
    }

    /// Makes the response that tells a client of an error.
    ///
    /// - Parameter error: What went wrong.
    /// - Returns: The response, with the error's own fields.
    static func error(_ error: RequestError) -> Response {
        .json(error.jsonBytes, status: error.httpStatus, headerFields: error.headerFields)
    }
}
