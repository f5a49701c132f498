import Foundation
package import HTTPTypes
package import JSONTree
package import NIOCore

/// An error response in the format of the client protocol.
///
/// Any code that handles a request may throw it; ``RequestDispatcher`` turns it into a response.
package struct RequestError: Error, Sendable, Hashable {
    /// The status of the response; its code is also the body's `code`.
    package let httpStatus: HTTPResponse.Status

    /// The body's `status`: a stable, machine-readable name such as `NOT_FOUND`.
    package let statusName: String

    /// The body's `message`: one sentence with the problem and the remedy.
    package let message: String

    /// Additional fields of the response, such as `Allow`.
    package var headerFields: HTTPFields = [:]

    /// The body's `details`: one object per problem of a template; omitted when empty.
    package var details: [JSONNode] = []

    package init(
        httpStatus: HTTPResponse.Status, statusName: String, message: String,
        headerFields: HTTPFields = [:]
    ) {
        self.httpStatus = httpStatus
        self.statusName = statusName
        self.message = message
        self.headerFields = headerFields
    }

    /// The body: `{"error": {"code": …, "status": …, "message": …}}`.
    package var jsonBytes: ByteBuffer {
        var content: NamedValues<JSONNode> = [
            "code": .number("\(httpStatus.code)"), "message": .string(message),
            "status": .string(statusName),
        ]
        if !details.isEmpty { content["details"] = .array(details) }
        return ByteBuffer(bytes: JSONNode.object(["error": .object(content)]).jsonData())
    }
}

extension RequestError {
    /// 400: the request is invalid, and a retry would fail as well.
    package static func invalidArgument(_ message: String) -> RequestError {
        RequestError(
            httpStatus: .badRequest, statusName: "INVALID_ARGUMENT", message: message)
    }

    /// 404: nothing exists at this path.
    package static func notFound(_ message: String) -> RequestError {
        RequestError(httpStatus: .notFound, statusName: "NOT_FOUND", message: message)
    }

    /// 405: the path exists but does not support the method; `Allow` lists the supported ones.
    static func methodNotAllowed(allowed: [HTTPRequest.Method]) -> RequestError {
        let names = allowed.map(\.rawValue)
        return RequestError(
            httpStatus: .methodNotAllowed, statusName: "METHOD_NOT_ALLOWED",
            message: "The path does not support this method: use "
                + "\(names.joined(separator: " or ")).",
            headerFields: [.allow: names.joined(separator: ", ")])
    }

    /// 408: the request body did not arrive in time.
    static func requestTimeout(_ limit: Duration) -> RequestError {
        RequestError(
            httpStatus: .requestTimeout, statusName: "DEADLINE_EXCEEDED",
            message: "The body of the request did not arrive within \(limit): send it again.")
    }

    /// 415: the request body is compressed.
    static func unsupportedCoding(_ coding: String) -> RequestError {
        RequestError(
            httpStatus: .unsupportedMediaType, statusName: "INVALID_ARGUMENT",
            message: "The body is encoded as \(coding.shortened): send it without "
                + "Content-Encoding.",
            headerFields: [.acceptEncoding: "identity"])
    }

    /// 400: the request body has a transfer coding other than chunked.
    ///
    /// RFC 9112, 6.1, suggests 501, but a request must not be able to cause a 5xx response.
    static let unsupportedTransferCoding = RequestError(
        httpStatus: .badRequest, statusName: "INVALID_ARGUMENT",
        message: "The body has a transfer coding other than chunked: send it without one, or with "
            + "Transfer-Encoding: chunked.")

    /// 413: the request body exceeds the limit.
    static func bodyTooLarge(limit: Int) -> RequestError {
        RequestError(
            httpStatus: .contentTooLarge, statusName: "PAYLOAD_TOO_LARGE",
            message: "The body of the request is too large: send at most \(limit) bytes.")
    }

    /// 413: the answer exceeds the limit.
    static func answerTooLarge(bytes: Int, limit: Int) -> RequestError {
        RequestError(
            httpStatus: .contentTooLarge, statusName: "PAYLOAD_TOO_LARGE",
            message: "The answer would have \(bytes) bytes, more than the \(limit) that the server "
                + "may buffer for one client: ask for less.")
    }

    /// 431: the request line and the header fields together exceed the limit.
    static func headerTooLarge(bytes: Int, fields: Int) -> RequestError {
        RequestError(
            httpStatus: .requestHeaderFieldsTooLarge,
            statusName: "REQUEST_HEADER_FIELDS_TOO_LARGE",
            message: "The request line and the header fields are too large: send at most "
                + "\(bytes) bytes and \(fields) fields.")
    }

    /// 500: an internal error, described in the server's log.
    static let internalError = RequestError(
        httpStatus: .internalServerError, statusName: "INTERNAL",
        message: "An internal error occurred: see the server log.")

    /// 503: the source of the documents is unavailable.
    package static let unavailable = RequestError(
        httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
        message: "The server cannot read its configurations now: try again in a few seconds.",
        headerFields: [.retryAfter: "5"])

    /// 503: too many requests of this kind are waiting.
    ///
    /// The delay is random so that clients do not retry simultaneously.
    static var tooBusy: RequestError {
        let seconds = Int.random(in: 1...5)
        return RequestError(
            httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
            message: "The server has too many long-running requests: try again in \(seconds) s.",
            headerFields: [.retryAfter: "\(seconds)"])
    }
}

extension RequestError {
    /// 401: the credentials are missing or invalid.
    package static func unauthenticated(_ message: String) -> RequestError {
        RequestError(
            httpStatus: .unauthorized, statusName: "UNAUTHENTICATED", message: message,
            headerFields: [.wwwAuthenticate: "Bearer"])
    }

    /// 403: the caller lacks the permission.
    package static func permissionDenied(_ message: String) -> RequestError {
        RequestError(
            httpStatus: .forbidden, statusName: "PERMISSION_DENIED", message: message)
    }

    /// 429: too many requests from one address, or from the given `source`.
    package static func tooManyRequests(
        retryAfter seconds: Int, from source: String = "this address"
    ) -> RequestError {
        RequestError(
            httpStatus: .tooManyRequests, statusName: "RESOURCE_EXHAUSTED",
            message: "There are too many requests from \(source): try again in \(seconds) s.",
            headerFields: [.retryAfter: "\(seconds)"])
    }
}
