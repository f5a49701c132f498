import Hummingbird
import Logging
import NIOCore

/// A type that has the routes by which a supervisor asks how the server is (HTTP 5).
struct HealthRoutes: Sendable {
    /// What has to answer for the server to be ready.
    let source: any ConfigurationSource

    /// Where the reason of not being ready is named.
    let logger: Logger

    /// The routes, for the server's table.
    var routes: [Route] {
        [
            .get("/health/live") { _ in Self.fine },
            .get("/health/ready") { _ in
                do {
                    try await source.checkReadiness()
                } catch {
                    logger.warning("Not ready", metadata: ["error": "\(error)"])
                    throw RequestError.unavailable
                }
                return Self.fine
            },
        ]
    }

    /// The answer when all is well.
    private static var fine: Response {
        .json(
            ByteBuffer(string: #"{"status":"ok"}"#),
            headerFields: [.cacheControl: "no-store"])
    }
}
