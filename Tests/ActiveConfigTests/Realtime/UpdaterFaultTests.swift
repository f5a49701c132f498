import ActiveConfig
import ActiveConfigRealtime
import ActiveConfigTesting
import Foundation
import Testing

/// An updater against a server that is unreachable, slow or hostile.
@Suite(.serialized, .timeLimit(.minutes(Rounds.minutes)))
struct UpdaterFaultTests {
    /// A fault of the server and the expected text of the state.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [LoopbackServer.Step]
        let text: String
    }

    static let faults = [
        Fault(testDescription: "slow", steps: [.hang], text: "in time"),
        Fault(
            testDescription: "half an answer",
            steps: [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"meta\":"), .close],
            text: "broke the connection"),
        Fault(
            testDescription: "garbage",
            steps: LoopbackServer.response(body: "\u{1}\u{2}garbage"), text: "found the byte"),
        Fault(
            testDescription: "301 to elsewhere",
            steps: LoopbackServer.response(301, headers: ["Location": "http://example.invalid/"]),
            text: "redirects"),
        Fault(
            testDescription: "401",
            steps: LoopbackServer.response(
                401, headers: ["WWW-Authenticate": "Basic realm=\"x\""]), text: "401"),
        Fault(
            testDescription: "429",
            steps: LoopbackServer.response(429, headers: ["Retry-After": "100"]),
            text: "later attempt"),
        Fault(testDescription: "500", steps: LoopbackServer.response(500), text: "500"),
        Fault(
            testDescription: "1 GB body",
            steps: [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"),
                .flood(String(repeating: " ", count: 65_536)),
            ], text: "more than a document"),
        Fault(
            testDescription: "an endless body",
            steps: [.send("HTTP/1.1 200 OK\r\n\r\n"), .drip], text: "in time"),
    ]

    @Test(arguments: faults)
    func theActiveConfigurationStays(fault: Fault) async throws {
        let server = try LoopbackServer { _ in fault.steps }
        defer { server.stop() }
        let config = ActiveConfig.make(
            configuration: .make(sections: ["Home": ["title": "kept"]]))
        let updater = ActiveConfigUpdater(
            config,
            source: URLSessionEventSource(
                backend: ActiveConfigBackend(url: try server.url("")),
                // deadline: a second is for the body that never ends
                timeout: .seconds(fault.text == "in time" ? 1 : 60)))
        updater.start()
        defer { updater.stop() }
        for await update in updater.updates {
            guard case .state(.waiting(_, let reason), _) = update else { continue }
            #expect(reason.description.contains(fault.text), "\(reason)")
            break
        }
        #expect(config["Home"]?.string(forKey: "title") == "kept")
    }

    @Test func anAppReadsTheStatusAndTheCodeOfTheReason() async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(401) }
        defer { server.stop() }
        let updater = ActiveConfigUpdater(
            .make(), backend: ActiveConfigBackend(url: try server.url("")))
        updater.start()
        defer { updater.stop() }
        for await update in updater.updates {
            guard case .state(.waiting(_, let reason), _) = update else { continue }
            #expect(reason.code == .failure)
            #expect((reason.error as? DownloadError)?.status == 401)
            break
        }
        typealias Reason = ActiveConfigUpdateState.WaitReason
        #expect(Reason.offline.code == .offline && Reason.offline.error == nil)
        #expect(Reason.failure(DownloadError(.timedOut)) == .failure(DownloadError(.timedOut)))
        #expect(Reason.failure(DownloadError(.timedOut)) != .failure(DownloadError(.cannotConnect)))
    }

    @Test func aServerThatIsGoneIsAStateToo() async throws {
        let server = try LoopbackServer { _ in [] }
        let url = try server.url("")
        server.stop()
        let config = ActiveConfig.make()
        let updater = ActiveConfigUpdater(
            config, source: URLSessionEventSource(backend: ActiveConfigBackend(url: url)))
        updater.start()
        defer { updater.stop() }
        for await update in updater.updates {
            guard case .state(.waiting(let until, _), _) = update else { continue }
            #expect(until != nil)
            break
        }
    }
}
