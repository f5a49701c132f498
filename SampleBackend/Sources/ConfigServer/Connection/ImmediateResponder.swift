import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1

/// A type that answers the requests for configurations right on the connection's thread.
///
/// They are most of all requests and need nothing but memory, so that they are spared the way
/// through tasks. Whatever is not plain, such as a token that has to be verified, is
/// left to the ``ConfigServerResponder``, whose answers are the same.
struct ImmediateResponder: Sendable {
    /// A path that is answered here.
    private struct Entry: Sendable {
        /// The path.
        let pattern: RoutePattern
        /// What is counted of it.
        let metrics: RouteMetrics
    }

    /// The paths that are answered here.
    private let entries: [Entry]

    /// What answers.
    private let routes: ConfigurationRoutes

    /// Where each request is written down.
    private let accessLog: AccessLog

    /// Makes a responder, or nil when every request has to go the long way.
    ///
    /// - Parameters:
    ///   - routes: What answers.
    ///   - crossOriginAccess: Which pages of other origins may read.
    ///   - accessLog: Where each request is written down.
    init?(
        routes: ConfigurationRoutes, crossOriginAccess: CrossOriginAccess, accessLog: AccessLog
    ) {
        guard routes.clientAccess.needsKeyOnly, crossOriginAccess.isEmpty else { return nil }
        self.routes = routes
        self.accessLog = accessLog
        entries = ConfigurationRequest.patterns.map {
            Entry(pattern: RoutePattern($0), metrics: RouteMetrics(route: $0))
        }
    }

    /// Answers a request.
    ///
    /// - Parameter head: The request, which has no body that counts.
    /// - Returns: The response, or nil when the request has to go the long way.
    func response(to head: HTTPRequestHead) -> RouteResponse? {
        guard head.method == .GET || head.method == .HEAD else { return nil }
        let start = ContinuousClock.now
        guard let target = try? RequestTarget(head.uri) else { return nil }
        for entry in entries {
            guard let parameters = entry.pattern.match(target.segments) else { continue }
            let response = response(to: head, target: target, parameters: parameters)
            let duration = start.duration(to: .now)
            entry.metrics.record(status: response.status.code, duration: duration)
            accessLog.record(
                method: head.method.rawValue, path: entry.pattern.description,
                status: response.status.code,
                bytes: head.method == .HEAD ? 0 : response.body.readableBytes,
                duration: duration)
            return response
        }
        return nil
    }

    /// Answers a request for a configuration; errors become responses.
    private func response(
        to head: HTTPRequestHead, target: RequestTarget, parameters: [String: String]
    ) -> RouteResponse {
        do throws(RequestError) {
            try routes.clientAccess.checkKey(
                .init(
                    apiKey: head.headers.first(name: "x-api-key"),
                    authorization: head.headers.first(name: "authorization")))
            return try routes.answer(
                ConfigurationRequest(target: target, parameters: parameters),
                ifNoneMatch: head.headers.joinedValue(named: "if-none-match"))
        } catch {
            return .error(error, target: head.uri)
        }
    }
}

extension HTTPHeaders {
    /// The values of all fields of a name as one list, or nil when there is none.
    fileprivate func joinedValue(named name: String) -> String? {
        let values = self[name]
        return values.count > 1 ? values.joined(separator: ", ") : values.first
    }
}
