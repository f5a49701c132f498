import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

/// Text with tens of thousands of combining marks, whose comparison as a Swift string takes
/// seconds, in every place where the server compares a request's text.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct CombiningMarksTests {
    /// Not in canonical order, so a comparison has to sort them.
    private static let marks =
        "a" + String(repeating: "\u{301}", count: 20_000)
        + String(repeating: "\u{316}", count: 20_000)

    private static let encoded =
        "a" + String(repeating: "%CC%81", count: 8_000) + String(repeating: "%CC%96", count: 8_000)

    @Test(arguments: [
        "Host", "Cookie", "If-None-Match", "Authorization", "Origin", "Prefer", "X-API-Key",
        "X-Forwarded-Proto", "Expect",
    ])
    func aFieldIsReadInLinearTime(name: String) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for target in ["/activeconfig", "/console/", "/v1/projects"] {
                let host = name == "Host" ? "" : "Host: localhost\r\n"
                let status = try await HTTPConnection.open(port: server.port) { connection in
                    connection.send(
                        "GET \(target) HTTP/1.1\r\n\(host)\(name): \(Self.marks)\r\n\r\n")
                    return try await connection.receive().status
                }
                #expect([200, 401, 404, 421].contains(status), "\(status)")
            }
        }
    }

    @Test(arguments: [
        ("/MARKS", 404), ("/console/MARKS", 404), ("/console/x/MARKS", 404),
        ("/console/MARKS/main.js", 200), ("/activeconfig?MARKS=1", 404),
        ("/activeconfig?signal.MARKS=1", 400), ("/projects/MARKS/activeconfig", 404),
        ("/projects/MARKS/activeconfig/events", 404),
    ])
    func aTargetIsReadInLinearTime(target: String, status: Int) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let target = target.replacing("MARKS", with: Self.encoded)
            #expect(await server.status(target) == status)
        }
    }

    @Test(arguments: [
        "/ofrep/v1/evaluate/flags", "/activeconfig/acknowledgement", "/console/session",
        "/ofrep/v1/evaluate/flags?flagConfigEtag=MARKS",
        "/ofrep/v1/evaluate/flags?flagConfigEtag=WMARKS",
    ])
    func aBodyIsReadInLinearTime(target: String) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.answer(
                target.replacing("MARKS", with: Self.encoded), method: "POST",
                fields: ["Content-Type: application/json"], body: #"{"\#(Self.marks)": 1}"#)
            #expect(400..<500 ~= answer.status)
        }
    }

    @Test func aKeyWith256MarksInARowIsTaken() throws {
        let key = "a" + String(repeating: "\u{301}", count: 256)
        let node = try JSONNode(jsonData: Data(#"{"\#(key)": 1}"#.utf8))
        #expect(node[key] == 1)
        #expect((key + "\u{316}").hasBoundedMarks == false)
        #expect((key + "b" + key.dropFirst()).hasBoundedMarks)
    }
}
