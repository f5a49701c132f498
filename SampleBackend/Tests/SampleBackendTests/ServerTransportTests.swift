import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// Requests of commands to a server, and the responses that they accept.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ServerTransportTests {
    private static let token = "a-token-of-mine"

    @Test func requestsCarryTheTokenTheTagAndTheType() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("{}", to: "template.json")
        let receiver = try await WebhookReceiver(.status(200, body: "{}"))
        let run = try await CommandRun([
            "publish", file, "--if-match", "etag-7", "--json", "--server", receiver.url("/a%2Fb/"),
            "--token", Self.token,
        ])
        #expect(run.exitCode == 0, "\(run)")
        var requests = receiver.requests.makeAsyncIterator()
        let read = try #require(await requests.next())
        #expect(read.method == "GET")
        let request = try #require(await requests.next())
        #expect(request.method == "PUT")
        #expect(request.target.hasPrefix("/a%2Fb/v1/projects/default/remoteConfig"))
        #expect(request.fields["authorization"] == "Bearer \(Self.token)")
        #expect(request.fields["if-match"] == "etag-7")
        #expect(request.fields["content-type"] == "application/json")
        #expect(request.fields["content-length"] == "\(request.body.count)")
        try await receiver.close()
    }

    @Test(arguments: [["get"], ["watch", "--count", "1"]])
    func theEnvironmentNamesTheServer(command: [String]) async throws {
        let named = try await WebhookReceiver(.status(418))
        let given = try await WebhookReceiver(.status(418))
        let environment = ["ACTIVECONFIG_SERVER": named.url("")]
        let run = try await CommandRun(command, environment: environment)
        #expect(run.error.contains("status 418"), "\(run)")
        let count = named.requestCount
        #expect(count > 0)
        // The option takes precedence over the environment.
        let other = try await CommandRun(
            command + ["--server", given.url("")], environment: environment)
        #expect(other.error.contains("status 418"), "\(other)")
        #expect(given.requestCount > 0)
        #expect(named.requestCount == count)
        try await named.close()
        try await given.close()
    }

    @Test(arguments: [["get", "--token", token], ["watch", "--user-token", token]])
    func redirectsAreNotFollowed(command: [String]) async throws {
        let other = try await WebhookReceiver(.status(200, body: "{}"))
        let receiver = try await WebhookReceiver(
            .status(307, fields: ["Location": other.url("/")]))
        let run = try await CommandRun(command + ["--server", receiver.url("")])
        #expect(run.exitCode == 1, "\(run)")
        #expect(run.error.contains("307, a redirect"), "\(run)")
        #expect(receiver.requestCount == 1)
        #expect(other.requestCount == 0)
        try await receiver.close()
        try await other.close()
    }

    typealias Answer = (status: Int, body: String, exitCode: Int32, text: String)

    static let answers: [NamedRow<Answer>] = [
        .init("no JSON", (200, "<html>", 69, "response is not JSON")),
        .init("a status without a reason", (502, "<html>", 69, "status 502 and no reason")),
        .init("no body", (418, "", 1, "status 418 and no reason")),
    ]

    @Test(arguments: answers)
    func aCommandReportsTheProblemOfAResponse(row: NamedRow<Answer>) async throws {
        let receiver = try await WebhookReceiver(.status(row.value.status, body: row.value.body))
        let run = try await CommandRun(["get", "--server", receiver.url("")])
        #expect(run.exitCode == row.value.exitCode, "\(run)")
        #expect(run.error.contains(row.value.text), "\(run)")
        try await receiver.close()
    }

    /// The server refuses the request after its head, and closes the connection while the client
    /// still sends the body.
    @Test func aCommandReportsThatALargeBodyIsRefused() async throws {
        let folder = try TemporaryFolder()
        let text = String(repeating: "x", count: 12 << 20)
        let file = try folder.write(
            "{\"parameters\": {\"a\": {\"defaultValue\": {\"value\": \"\(text)\"}}}}", to: "a.json")
        let backend = try await RunningBackend()
        for _ in 0..<3 {
            let run = try await CommandRun([
                "evaluate", "--template", file, "--server", backend.url, "--token", Self.token,
            ])
            #expect(run.exitCode == 5, "\(run)")
            #expect(run.error.contains("A valid token"), "\(run)")
        }
        _ = await backend.stop()
    }

    @Test(arguments: [["get"], ["doctor"], ["watch"]])
    func aCommandShowsNoPasswordOfAServerThatIsAway(command: [String]) async throws {
        let run = try await CommandRun(
            command + ["--server", "http://me:secret@127.0.0.1:1/base"])
        #expect(run.exitCode == (command == ["doctor"] ? 1 : 69), "\(run)")
        #expect(
            (run.output + run.error).contains(
                "http://…@127.0.0.1:1/base cannot be reached (connection refused)"))
        #expect(!(run.output + run.error).contains("secret"), "\(run)")
    }
}
