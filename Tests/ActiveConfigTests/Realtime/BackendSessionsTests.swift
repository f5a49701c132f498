import ActiveConfig
import ActiveConfigRealtime
import ActiveConfigReporting
import ActiveConfigTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests of all components that use the same backend.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct BackendSessionsTests {
    private static let document =
        #"{"meta":{"template_version":7},"config_sections":{"S":{"settings":{"a":{"value":1}}}}}"#

    private enum Kind: Hashable {
        case document, stream, acknowledgement
    }

    private static func kind(_ request: LoopbackServer.Request) -> Kind {
        if request.target.contains("/acknowledgement") { return .acknowledgement }
        return request.target.contains("/events") ? .stream : .document
    }

    private static func answer(_ kind: Kind) -> [LoopbackServer.Step] {
        switch kind {
        case .document:
            [
                .send(
                    "HTTP/1.1 200 OK\r\nContent-Length: \(document.utf8.count)\r\nETag: \"7\"\r\n"
                        + "ActiveConfig-Acknowledge: 1\r\n\r\n\(document)")
            ]
        case .stream:
            [
                .send(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                        + "event: hello\nid: 7\ndata: {}\n\n"), .hang,
            ]
        case .acknowledgement: [.send("HTTP/1.1 204 Noted\r\n\r\n")]
        }
    }

    @Test(arguments: [false, true])
    func documentsStreamsAndAcknowledgementsHaveItsSessionsAndCredentials(
        isService: Bool
    ) async throws {
        let (kinds, kind) = AsyncStream.makeStream(of: Kind.self)
        let server = try LoopbackServer(keepsAlive: true) { request in
            kind.yield(Self.kind(request))
            return Self.answer(Self.kind(request))
        }
        defer { server.stop() }
        let sessions = URLSessionPool {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpAdditionalHeaders = ["X-Proxy-Token": "p"]
            return configuration
        }
        let backend = ActiveConfigBackend(
            url: try server.url("/"), credentials: .apiKey("key"), sessions: sessions)
        let config = ActiveConfig.make(downloader: JSONURLDownloader(backend: backend))
        let acknowledger = ConfigurationAcknowledger(config, backend: backend, maximumDelay: .zero)
        defer { acknowledger.stop() }
        try await config.downloadNewConfig()
        let updater =
            isService
            ? ActiveConfigUpdater(
                config,
                source: ServiceEventSource(backend: backend, serviceCredentials: .apiKey("key")),
                users: .fixed([nil]), activity: .always)
            : ActiveConfigUpdater(config, backend: backend, activity: .always)
        updater.start()
        defer { updater.stop() }
        var missing: Set<Kind> = [.document, .stream, .acknowledgement]
        for await kind in kinds {
            missing.remove(kind)
            if missing.isEmpty { break }
        }
        let requests = server.requests
        #expect(requests.count { Self.kind($0) == .document } >= 2)
        #expect(requests.allSatisfy { $0.headers["x-proxy-token"] == "p" })
        #expect(requests.allSatisfy { $0.headers["x-api-key"] == "key" })
    }
}
