import Foundation
import HTTPTypes
import NIOCore

/// A type that says why a request gets no document, in the form clients see (HTTP.md's error body).
///
/// It is thrown by whatever finds the fault, and turned into a response in one place.
struct RequestError: Error, Sendable, Hashable {
    /// The HTTP status of the response; its code is also the body's `code`.
    let httpStatus: HTTPResponse.Status

    /// The body's `status`: the name programs compare, such as `NOT_FOUND`.
    let statusName: String

    /// The body's `message`: one sentence that says what to do.
    let message: String

    /// Fields of the response beyond those of every error, such as `Allow`.
    var headerFields: HTTPFields = [:]

    /// The body: `{"error": {"code": …, "status": …, "message": …}}`.
    var jsonBytes: ByteBuffer {
        let body = Body(
            error: .init(code: httpStatus.code, status: statusName, message: message))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and an integer: there is nothing that could fail to encode.
        return ByteBuffer(bytes: (try? encoder.encode(body)) ?? Data("{}".utf8))
    }

    /// What ``jsonBytes`` encodes.
    private struct Body: Encodable {
        /// The only member of every error body.
        struct Content: Encodable {
            /// The HTTP status code.
            let code: Int
            /// The name of the status.
            let status: String
            /// One sentence that says what to do.
            let message: String
        }

        /// The only member of every error body.
        let error: Content
    }
}

extension RequestError {
    /// 400: the request itself is wrong, and will be however often it is sent.
    static func invalidArgument(_ message: String) -> RequestError {
        RequestError(
            httpStatus: .badRequest, statusName: "INVALID_ARGUMENT", message: message)
    }

    /// 404: there is nothing under this path.
    static func notFound(_ message: String) -> RequestError {
        RequestError(httpStatus: .notFound, statusName: "NOT_FOUND", message: message)
    }

    /// 405: the path exists, the method does not.
    ///
    /// - Parameter allowed: The methods to list in `Allow`.
    /// - Returns: The error, with the field `Allow`.
    static func methodNotAllowed(allowed: [HTTPRequest.Method]) -> RequestError {
        let names = allowed.map(\.rawValue)
        return RequestError(
            httpStatus: .methodNotAllowed, statusName: "METHOD_NOT_ALLOWED",
            message: "This path does not have that method: use \(names.joined(separator: " or ")).",
            headerFields: [.allow: names.joined(separator: ", ")])
    }

    /// 408: the request's body did not arrive in time.
    static func requestTimeout(_ limit: Duration) -> RequestError {
        RequestError(
            httpStatus: .requestTimeout, statusName: "DEADLINE_EXCEEDED",
            message: "The body of the request did not arrive within \(limit): send it again.")
    }

    /// 413: the request's body is over the limit.
    static func bodyTooLarge(limit: Int) -> RequestError {
        RequestError(
            httpStatus: .contentTooLarge, statusName: "PAYLOAD_TOO_LARGE",
            message: "The body of the request is too large: send at most \(limit) bytes.")
    }

    /// 431: the request line and the header fields together are over the limit.
    static func headerTooLarge(bytes: Int, fields: Int) -> RequestError {
        RequestError(
            httpStatus: .requestHeaderFieldsTooLarge,
            statusName: "REQUEST_HEADER_FIELDS_TOO_LARGE",
            message: "The request line and the header fields are too large: send at most "
                + "\(bytes) bytes and \(fields) fields.")
    }

    /// 500: a fault of the server, which its log describes.
    static let internalError = RequestError(
        httpStatus: .internalServerError, statusName: "INTERNAL",
        message: "The server has a fault that its log describes: tell whoever runs it.")

    /// 503: the source of the documents does not answer.
    static let unavailable = RequestError(
        httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
        message: "The server cannot read its configurations now: try again in a few seconds.",
        headerFields: [.retryAfter: "5"])
}
