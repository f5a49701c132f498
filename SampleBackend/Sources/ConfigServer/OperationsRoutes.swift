import AdminAPI
import ClientAPI
package import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import Logging
import NIOCore
import TemplateStore

/// The routes of API 5: health, metrics and the OpenAPI description.
struct OperationsRoutes: Sendable {
    /// The source that determines the server's readiness.
    let source: any DocumentSource

    let health: StoreHealth

    /// The metrics in Prometheus text format; nil serves an empty text.
    let metricsText: (@Sendable () -> String)?

    /// Restricts the metrics, which contain project names, to administrators; nil leaves them open.
    let metricsRecognition: (any CallerRecognition)?

    let logger: Logger

    var groups: [RouteGroup] {
        var metrics = RouteGroup([metricsRoute])
        metrics.recognition = metricsRecognition
        return [RouteGroup(routes), metrics]
    }

    private var metricsRoute: Route {
        let access: any EndpointAccess =
            metricsRecognition == nil ? OpenAccess() : RoleAccess(.viewer)
        return .get("/metrics", access: access) { _ in
            RouteResponse(
                status: .ok,
                headerFields: [
                    .contentType: "text/plain; version=0.0.4; charset=utf-8",
                    .cacheControl: "no-store",
                ],
                body: ByteBuffer(string: metricsText?() ?? ""))
        }
    }

    private var routes: [Route] {
        [
            // Immediate, so liveness does not depend on how busy Swift's cooperative threads are.
            Route(
                "/health/live",
                [.get: Endpoint(access: OpenAccess(), .immediate { _ in .response(Self.fine) })]),
            .get("/health/ready") { _ in
                if health.isDraining { throw RequestError.draining }
                do {
                    try await source.checkReadiness()
                } catch {
                    logger.warning("Not ready", metadata: ["error": "\(error)"])
                    throw (error as? TemplateStoreError).map { RequestError($0, project: "") }
                        ?? .unavailable
                }
                guard let reason = await health.degradation() else { return Self.fine }
                // 200, because a load balancer that removed every replica would stop all reads.
                return .json(
                    ["status": "degraded", "reason": .string(reason)],
                    headerFields: [.cacheControl: "no-store"])
            },
            .get("/openapi.json") { _ in
                .json(ByteBuffer(bytes: OpenAPIDescription.jsonData))
            },
        ]
    }

    private static var fine: RouteResponse {
        .json(
            ByteBuffer(string: #"{"status":"ok"}"#),
            headerFields: [.cacheControl: "no-store"])
    }
}

extension RequestError {
    /// 503: the server shuts down soon.
    fileprivate static let draining = RequestError(
        httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
        message: "The server is about to shut down: send requests to another one.",
        headerFields: [.cacheControl: "no-store"])
}

/// The OpenAPI 3.1 description of the server's HTTP interface.
package enum OpenAPIDescription: Sendable {
    /// UTF-8 JSON.
    package static let jsonData = EmbeddedFiles.files["openapi.json"] ?? Data()
}
