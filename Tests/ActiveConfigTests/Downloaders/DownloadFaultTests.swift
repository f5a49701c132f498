import ActiveConfig
import Foundation
import Testing

/// Downloads by a separate process from misbehaving servers.
///
/// The process survives, stays within its memory bound, and reports the outcome. `Tests/run.sh
/// release` runs these tests with a release build of `DownloadProbe`.
@Suite(.serialized, .timeLimit(.minutes(Rounds.minutes)), .disabled(if: Sanitizer.isOn))
struct DownloadFaultTests {
    private static let document =
        #"{"meta":{},"config_sections":{"S":{"settings":{"a":{"value":1}}}}}"#
    /// Peak memory allowed, in MiB: more than a download needs, less than an unbounded body takes.
    private static let bound = 200

    /// A server's behaviour, and the outcome that the probe must report.
    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let steps: [LoopbackServer.Step]
        let outcome: String
        var timeout = "-"

        init(
            _ name: String, _ steps: [LoopbackServer.Step], _ outcome: String, timeout: String = "-"
        ) {
            testDescription = name
            self.steps = steps
            self.outcome = outcome
            self.timeout = timeout
        }
    }

    private static let blanks = String(repeating: " ", count: 65_536)
    private static let head = "HTTP/1.1 200 OK\r\n"

    /// Answers that never end.
    private static let endless = [
        Fault("stream", [.send("\(head)\r\n"), .flood(blanks)], "bodyTooLarge"),
        Fault(
            "chunks",
            [
                .send("\(head)Transfer-Encoding: chunked\r\n\r\n"),
                .flood("10000\r\n\(blanks)\r\n"),
            ], "bodyTooLarge"),
        Fault(
            "gigabyte", [.send("\(head)Content-Length: 1000000000\r\n\r\n"), .flood(blanks)],
            "bodyTooLarge"),
        Fault("error", [.send("HTTP/1.1 500 E\r\n\r\n"), .flood(blanks)], "httpStatus 500"),
        Fault(
            "challenge",
            [
                .send("HTTP/1.1 401 U\r\nWWW-Authenticate: Basic realm=\"a\"\r\n\r\n"),
                .flood(blanks),
            ],
            "httpStatus 401"),
        Fault("head", [.send(head), .flood("X: \(blanks.prefix(4_000))b\r\n")], "other"),
        Fault("slow", [.send("\(head)\r\n"), .drip], "timedOut", timeout: "500"),
        Fault("slow flood", [.send("\(head)\r\n"), .flood(" ")], "timedOut", timeout: "500"),
        Fault("silence", [.hang], "timedOut", timeout: "500"),
        Fault(
            "half", [.send("\(head)Content-Length: 100\r\n\r\n{"), .hang], "timedOut",
            timeout: "500"),
    ]

    /// The error arrives while the server still sends, the process continues, and the connection
    /// closes.
    @Test(arguments: endless)
    func theDownloaderLeavesAnAnswerWithoutEnd(fault: Fault) async throws {
        let server = try LoopbackServer { _ in fault.steps }
        defer { server.stop() }
        let url = try server.url("/").absoluteString
        let probe = try DownloadProbeProcess(["get", url, fault.timeout])
        #expect(await probe.nextLine() == "\(fault.outcome): 1")
        await server.wait(for: .hangUp)
        let result = await probe.finish()
        #expect(result.hasSurvived)
        #expect(result.peak < Self.bound)
    }

    @Test(arguments: [
        Fault("nothing", [], "connectionLost"),
        Fault("half an answer", [.send("\(head)Content-Length: 100\r\n\r\n{")], "connectionLost"),
        Fault(
            "half a chunk", [.send("\(head)Transfer-Encoding: chunked\r\n\r\n9\r\n{")],
            "connectionLost"),
        Fault("half a head", [.send(String(head.dropLast(6)))], "connectionLost"),
        Fault("garbage", [.send(String(repeating: "\u{1}é\0", count: 1_000))], "other"),
        Fault("text", [.send("<html>hello</html>")], "other"),
        Fault("no JSON", LoopbackServer.response(body: "<html>"), "format"),
        Fault(
            "hello first",
            [.send("HTTP/1.1 103 E\r\nX: y\r\n\r\n")]
                + LoopbackServer.response(body: document), "document"),
        Fault(
            "moved", LoopbackServer.response(301, headers: ["Location": "https://a.invalid/"]),
            "redirectRefused"),
        Fault(
            "too many", LoopbackServer.response(429, headers: ["Retry-After": "9"]),
            "httpStatus 429"),
        Fault("for ever", LoopbackServer.response(302, headers: ["Location": "/"]), "other"),
    ])
    func theDownloaderReportsTheOutcomeOfAStrangeAnswer(fault: Fault) async throws {
        let server = try LoopbackServer { _ in fault.steps }
        defer { server.stop() }
        let probe = try DownloadProbeProcess(["get", try server.url("/").absoluteString, "60000"])
        let result = await probe.finish()
        #expect(result.outcomes == [fault.outcome: 1])
        #expect(result.hasSurvived)
        #expect(result.peak < Self.bound)
    }

    /// Answers during which a download is cancelled, at any time from their start to their end.
    private static let answers = [
        Fault("document", LoopbackServer.response(body: document), "document"),
        Fault("redirect", LoopbackServer.response(302, headers: ["Location": "/end"]), "document"),
        Fault(
            "refused", LoopbackServer.response(302, headers: ["Location": "http://a.invalid/"]),
            "redirectRefused"),
        Fault(
            "challenge",
            LoopbackServer.response(401, headers: ["WWW-Authenticate": "Basic realm=a"]),
            "httpStatus 401"),
        Fault("error", LoopbackServer.response(500, body: "no"), "httpStatus 500"),
        Fault("silence", [.hang], ""),
        Fault("flood", [.send("\(head)\r\n"), .flood(blanks)], ""),
    ]

    @Test(arguments: answers)
    func theDownloaderSurvivesACancelAtAnyMoment(fault: Fault) async throws {
        let server = try LoopbackServer { request in
            request.target == "/end" ? LoopbackServer.response(body: Self.document) : fault.steps
        }
        defer { server.stop() }
        let count = Rounds.count(180, nightly: 600)
        let probe = try DownloadProbeProcess(
            ["cancel", try server.url("/").absoluteString, "\(count)"])
        let result = await probe.finish()
        #expect(result.hasSurvived)
        #expect(result.outcomes.values.reduce(0, +) == count)
        #expect(Set(result.outcomes.keys).isSubset(of: ["cancelled", fault.outcome]))
        #expect(result.outcomes["cancelled"] ?? 0 > 0)
        #expect(result.peak < Self.bound)
    }

    /// Floods share one of Foundation's queues, so some of them may time out.
    @Test(arguments: [
        ("/", 800, Set(["document"])), ("/flood", 8, Set(["bodyTooLarge", "timedOut"])),
    ])
    func downloadsAtOnceAllEnd(path: String, count: Int, outcomes: Set<String>) async throws {
        let server = try LoopbackServer { request in
            request.target == "/flood"
                ? [.send("\(Self.head)\r\n"), .flood(Self.blanks)]
                : LoopbackServer.response(body: Self.document)
        }
        defer { server.stop() }
        let probe = try DownloadProbeProcess(
            ["together", try server.url(path).absoluteString, "\(count)"])
        let result = await probe.finish()
        #expect(result.hasSurvived)
        #expect(Set(result.outcomes.keys).isSubset(of: outcomes))
        #expect(result.outcomes.values.reduce(0, +) == count)
        #expect(result.peak < 2 * Self.bound)
    }
}
