import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// `sample-backend watch`.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct WatchCommandTests {
    /// Template with one setting that differs for user 2, and one that is equal for all users.
    private static func template(_ title: String, count: Int = 1) -> String {
        """
        {"conditions": [{"name": "second", "expression": "user.id == '2'"}],
         "parameterGroups": {"Home": {"parameters": {
          "title": {"defaultValue": {"value": "Hi"}, "valueType": "STRING",
           "conditionalValues": {"second": {"value": "\(title)"}}},
          "count": {"defaultValue": {"value": "\(count)"}, "valueType": "NUMBER"}}}}}
        """
    }

    // The document of a scripted server.
    private let document = #"{"meta": {"template_version": 7}, "config_sections": {}}"#
    private let hello = "retry: 0\nevent: hello\nid: 7\ndata: {}\n\n"
    private let update = "event: update\nid: 9\ndata: {\"sections\": {\"Home\": {}}}\n\n"

    /// Publishes a template over any version.
    private static func publish(_ template: String, on backend: RunningBackend) async throws {
        let answer = try await backend.administer(
            "PUT", "/v1/projects/default/remoteConfig", ifMatch: "*", body: template)
        #expect(answer.status == 200)
    }

    /// Starts `sample-backend watch`, and returns once it listens, which is its first output.
    private static func watch(
        _ arguments: [String], on backend: RunningBackend
    ) async throws -> BackendProcess {
        let process = try BackendProcess(["watch", "--server", backend.url] + arguments)
        let isForPrograms = arguments.contains("--json")
        var lines = (isForPrograms ? process.outputLines : process.errorLines).makeAsyncIterator()
        let line = try #require(await lines.next())
        if isForPrograms {
            let hello = try JSONNode(jsonData: Data(line.utf8))
            try #require(hello["event"] == "hello" && hello["id"] == "1", "\(line)")
        } else {
            try #require(line == "Version 1 is current. Waiting for changes …")
        }
        return process
    }

    @Test func theWatchShowsWhatChangesForTheUser() async throws {
        let backend = try await RunningBackend()
        try await Self.publish(Self.template("One"), on: backend)
        let second = try await Self.watch(["--user", "2", "--count", "2"], on: backend)
        let first = try await Self.watch(["--user", "1", "--count", "1", "--json"], on: backend)
        try await Self.publish(Self.template("Two"), on: backend)
        try await Self.publish(Self.template("Two", count: 3), on: backend)
        let run = await CommandRun(second)
        #expect(run.exitCode == 0, "\(run)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("Version 2 ") == true, "\(run)")
        #expect(lines.dropFirst().prefix(2) == ["  Home", "    ~ title: \"One\" → \"Two\""])
        #expect(lines.last == "    ~ count: 1 → 3", "\(run)")
        #expect(!run.output.contains("\u{1B}"))
        #expect(run.error.isEmpty, "\(run)")

        // Version 2 changes nothing for the first user.
        let further = await CommandRun(first)
        #expect(further.exitCode == 0, "\(further)")
        let event = try further.json
        #expect(event["event"] == "update" && event["id"] == "3", "\(further)")
        _ = await backend.stop()
    }

    @Test func theWatchComesBackToAServerThatWasAway() async throws {
        let folder = try TemporaryFolder()
        let store = "sqlite:" + folder.path("backend.sqlite")
        let backend = try await RunningBackend(store: store)
        try await Self.publish(Self.template("One"), on: backend)
        let watch = try await Self.watch(["--user", "2", "--count", "1"], on: backend)
        _ = await backend.stop()
        let again = try await RunningBackend(store: store, port: backend.port)
        try await Self.publish(Self.template("Two"), on: again)
        let run = await CommandRun(watch)
        #expect(run.exitCode == 0, "\(run)")
        #expect(run.output.contains("    ~ title: \"One\" → \"Two\""), "\(run)")
        #expect(run.error.contains("The server is shutting down"), "\(run)")
        _ = await again.stop()
    }

    @Test func theWatchResumesFromTheLastChangeThatItHas() async throws {
        // The connection can be lost between a `hello` and the missed changes that follow it.
        let hello =
            "retry: 0\nevent: hello\nid: 7\ndata: {}\n\nevent: retry\ndata: {\"after_ms\":0}\n\n"
        let receiver = try await WebhookReceiver(
            .status(200, body: document), .status(200, body: hello),
            .status(200, body: hello + update), .status(200, body: update))
        let run = try await CommandRun(["watch", "--server", receiver.url(""), "--count", "1"])
        #expect(run.exitCode == 0, "\(run)")
        var requests = receiver.requests.makeAsyncIterator()
        _ = await requests.next()
        for _ in 0..<2 {
            #expect(await requests.next()?.fields["last-event-id"] == "7")
        }
        try await receiver.close()
    }

    @Test(arguments: [408, 429, 503])
    func theWatchComesBackToAServerThatIsBusy(status: Int) async throws {
        let receiver = try await WebhookReceiver(
            .status(200, body: document), .status(200, body: hello),
            .status(status, fields: ["Retry-After": "2"]), .status(200, body: hello + update))
        let start = ContinuousClock.now
        let run = try await CommandRun(["watch", "--server", receiver.url(""), "--count", "1"])
        #expect(run.exitCode == 0, "\(run)")
        #expect(start.duration(to: .now) >= .seconds(2))  // deadline: a lower bound
        try await receiver.close()
    }

    @Test(arguments: ["", "a page\n", ": comment\n\n", "event: unknown\ndata: {}\n\n"])
    func theWatchSaysThatThereAreNoEvents(body: String) async throws {
        let receiver = try await WebhookReceiver(
            .status(200, body: document), .status(200, body: body))
        let run = try await CommandRun(["watch", "--server", receiver.url("")])
        #expect(run.exitCode == 69, "\(run)")
        #expect(run.error.contains("not an event stream"), "\(run)")
        #expect(receiver.requestCount == 2)
        try await receiver.close()
    }

    @Test(arguments: ["-9223372036854775808", "-1"])
    func aRetryAfterInThePastIsNoWait(seconds: String) async throws {
        let receiver = try await WebhookReceiver(
            .status(200, body: document), .status(200, body: hello),
            .status(503, fields: ["Retry-After": seconds]), .status(200, body: hello + update))
        let run = try await CommandRun(["watch", "--server", receiver.url(""), "--count", "1"])
        #expect(run.exitCode == 0, "\(run)")
        #expect(receiver.requestCount == 4)
        try await receiver.close()
    }

    @Test func noServerMakesTheWatchSpin() async throws {
        let end = "event: retry\ndata: {\"after_ms\": -9223372036854775808}\n\n"
        let receiver = try await WebhookReceiver(
            .status(200, body: document), .status(200, body: hello),
            .status(200, body: hello + end),
            .status(200, body: "retry: 0\nevent: unknown\ndata: {}\n\n"),
            .status(200, body: hello + update))
        let start = ContinuousClock.now
        let run = try await CommandRun(["watch", "--server", receiver.url(""), "--count", "1"])
        #expect(run.exitCode == 0, "\(run)")
        #expect(receiver.requestCount == 5)
        // Half a second each after the first two, and a random part of a second after the third.
        #expect(start.duration(to: .now) >= .seconds(1.5))  // deadline: a lower bound
        try await receiver.close()
    }

    @Test(arguments: ["4\u{1}", "4\u{7F}", String(repeating: "4", count: 2_000)])
    func theWatchSendsBackNoIdentifierThatIsNoField(id: String) async throws {
        let first = "event: update\nid: \(id)\ndata: {\"sections\": {}}\n\n"
        let receiver = try await WebhookReceiver(
            .status(200, body: document), .status(200, body: hello + first),
            .status(200, body: hello + update))
        let run = try await CommandRun(["watch", "--server", receiver.url(""), "--count", "1"])
        #expect(run.exitCode == 0, "\(run)")
        var requests = receiver.requests.makeAsyncIterator()
        for _ in 0..<2 { _ = await requests.next() }
        #expect(await requests.next()?.fields["last-event-id"] == "7")
        try await receiver.close()
    }

    @Test func theEnvironmentHasTheClientKey() async throws {
        let receiver = try await WebhookReceiver(
            .status(200, body: document), .status(200, body: hello + update))
        let environment = ["ACTIVECONFIG_CLIENT_KEY": "a-key-of-mine"]
        let watch = ["watch", "--server", receiver.url(""), "--count", "1"]
        var requests = receiver.requests.makeAsyncIterator()
        let run = try await CommandRun(watch, environment: environment)
        #expect(run.exitCode == 0, "\(run)")
        for _ in 0..<2 {
            #expect(await requests.next()?.fields["x-api-key"] == "a-key-of-mine")
        }
        try await receiver.close()
    }

    @Test(arguments: [["--client-key", "another-key"], []])
    func theOptionReplacesTheClientKeyOfTheEnvironment(option: [String]) async throws {
        let receiver = try await WebhookReceiver(
            .status(200, body: document), .status(200, body: hello + update))
        let watch = ["watch", "--server", receiver.url(""), "--count", "1"]
        let run = try await CommandRun(
            watch + option,
            environment: ["ACTIVECONFIG_CLIENT_KEY": option.isEmpty ? "" : "a-key-of-mine"])
        #expect(run.exitCode == 0, "\(run)")
        var requests = receiver.requests.makeAsyncIterator()
        for _ in 0..<2 {
            let request = try #require(await requests.next())
            #expect(request.fields["x-api-key"] == option.last)
        }
        try await receiver.close()
    }

    @Test func theWatchSaysWhyItCannotListen() async throws {
        let backend = try await RunningBackend(store: "memory", ["--client-key", "a-key-of-mine"])
        let key = ["--client-key", "a-key-of-mine"]
        let refused = try await CommandRun(["watch", "--server", backend.url])
        #expect(refused.exitCode == 5, "\(refused)")
        #expect(refused.error.contains("--client-key"), "\(refused)")
        let unknown = try await CommandRun(["watch", "--server", backend.url] + key)
        #expect(unknown.exitCode == 4, "\(unknown)")
        #expect(unknown.error.contains("\"default\""), "\(unknown)")
        _ = await backend.stop()
        let away = try await CommandRun(["watch", "--server", backend.url] + key)
        #expect(away.exitCode == 69, "\(away)")
        #expect(try await CommandRun(["watch", "--server", "x"]).exitCode == 64)
        #expect(try await CommandRun(["watch", "--count", "0"]).exitCode == 64)
    }
}
