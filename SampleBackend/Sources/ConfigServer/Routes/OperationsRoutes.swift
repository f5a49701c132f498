import HTTPTypes
import Logging
import NIOCore
import TemplateStore

/// A type that has the routes of HTTP 5: how the server is, what it counts, and what it can do.
struct OperationsRoutes: Sendable {
    /// What has to answer for the server to be ready.
    let source: any ConfigurationSource

    /// The counts as Prometheus reads them; nil when nothing is counted.
    let metricsText: (@Sendable () -> String)?

    /// Who may read the counts, which name projects.
    let metricsAccess: RouteAccess

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
                    throw (error as? TemplateStoreError).map { RequestError($0, project: "") }
                        ?? .unavailable
                }
                return Self.fine
            },
            .get("/metrics", access: metricsAccess) { _ in
                RouteResponse(
                    status: .ok,
                    headerFields: [
                        .contentType: "text/plain; version=0.0.4; charset=utf-8",
                        .cacheControl: "no-store",
                    ],
                    body: ByteBuffer(string: metricsText?() ?? ""))
            },
            .get("/openapi.json") { _ in
                .json(ByteBuffer(bytes: OpenAPIDescription.jsonBytes))
            },
        ]
    }

    /// The answer when all is well.
    private static var fine: RouteResponse {
        .json(
            ByteBuffer(string: #"{"status":"ok"}"#),
            headerFields: [.cacheControl: "no-store"])
    }
}
