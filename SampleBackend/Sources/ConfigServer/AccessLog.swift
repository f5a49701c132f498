import HTTPTypes
import Logging

/// A type that writes one log line per request, at level info.
///
/// A line names the method, the route, the status, the bytes of the body and the duration. It has
/// neither the query nor a user ID, which are about people: of `/activeconfig/user/ada` it keeps
/// `/activeconfig/user/{userID}`. A path that belongs to no route may hold anything, and is `other`.
struct AccessLog: Sendable {
    /// What stands in the place of a path that belongs to no route.
    static let otherRoute = "other"

    /// Where the lines go.
    let logger: Logger

    /// Writes the line of a request.
    ///
    /// - Parameters:
    ///   - method: The method, or nil when the head could not be read.
    ///   - path: The route's pattern, or ``otherRoute``; nil when the head could not be read.
    ///   - status: The response's status.
    ///   - bytes: The bytes of the response's body.
    ///   - duration: From the head of the request to the response, or nil when there was no head.
    func record(
        method: String?, path: String?, status: Int, bytes: Int, duration: Duration?
    ) {
        guard logger.logLevel <= .info else { return }
        logger.info(
            "request",
            metadata: [
                "method": "\(method ?? "-")",
                "path": "\(path ?? "-")",
                "status": "\(status)",
                "bytes": "\(bytes)",
                "duration_ms": "\(duration.map(Self.milliseconds) ?? "-")",
            ])
    }

    /// A duration in milliseconds, to the microsecond.
    private static func milliseconds(_ duration: Duration) -> String {
        let microseconds = duration / .microseconds(1)
        return "\((microseconds).rounded() / 1000)"
    }
}
