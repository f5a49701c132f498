import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// A server that is killed while it publishes.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct CrashTests {
    /// Number of published templates.
    private static let publishes = Rounds.count(60, nightly: 200)

    /// Number of times that the server is killed.
    private static let kills = Rounds.count(5, nightly: 14)

    private static let path = "/v1/projects/default/remoteConfig"

    /// Publishes a template over a version; returns the new version, or nil if the server did not
    /// respond.
    private func publish(
        _ title: String, over version: Int, on backend: RunningBackend
    ) async throws -> Int? {
        guard
            let answer = try? await backend.administer(
                "PUT", Self.path, ifMatch: "etag-default-\(version)",
                body: AdministrationTarget.templateText(title: title))
        else { return nil }
        #expect(answer.status == 200)
        return Self.number(of: try JSONNode(jsonData: answer.body))
    }

    private static func number(of template: JSONNode) -> Int? {
        template["version"]?["versionNumber"]?.stringValue.flatMap { Int($0) }
    }

    private static func title(of template: JSONNode) -> String? {
        template["parameterGroups"]?["Home"]?["parameters"]?["title"]?["defaultValue"]?["value"]?
            .stringValue
    }

    /// Current version with its title; 0 before the first.
    private func current(
        _ backend: RunningBackend
    ) async throws -> (version: Int, title: String?) {
        let answer = try await backend.administer("GET", Self.path)
        if answer.status == 404 { return (0, nil) }
        let template = try JSONNode(jsonData: answer.body)
        return (try #require(Self.number(of: template)), Self.title(of: template))
    }

    @Test func aKilledServerLosesNothingThatWasAcknowledged() async throws {
        let folder = try TemporaryFolder()
        var backend = try await RunningBackend(store: folder.store, ["--log-level", "error"])
        var random = SeededGenerator.printingItsSeed()
        let killed = Set((1...Self.publishes).shuffled(using: &random).prefix(Self.kills))
        var titles: [Int: String] = [:]
        var version = 0
        var unanswered = 0
        // The duration of a publish on this machine, so that most kills happen during one.
        var duration: Duration = .milliseconds(4)
        var number = 0
        // Continues until a kill has happened during a publish.
        while number < Self.publishes || unanswered == 0 {
            try Task.checkCancellation()
            number += 1
            let title = "title \(number)"
            guard killed.contains(number) || number > Self.publishes else {
                let start = ContinuousClock.now
                let next = try #require(
                    try await publish(title, over: version, on: backend))
                // deadline: no bound, only the range of the random moments
                duration = start.duration(to: .now)
                #expect(next == version + 1)
                version = next
                titles[version] = title
                continue
            }
            let process = backend.process
            let delay = duration * Double.random(in: 0...1.5, using: &random)
            async let kill: Void = {
                try await Task.sleep(for: delay)  // deadline: the fault comes at a random moment
                process.send(signal: SIGKILL)
            }()
            let answered = try await publish(title, over: version, on: backend)
            try await kill
            #expect(await process.exitCode() == -SIGKILL)
            backend = try await RunningBackend(store: folder.store, ["--log-level", "error"])
            let found = try await current(backend)
            if let answered {
                #expect(answered == version + 1)
                #expect(found.version == answered, "killed after \(delay)")
            } else {
                unanswered += 1
                // The version is stored completely or not at all.
                #expect([version, version + 1].contains(found.version))
            }
            if found.version == version + 1 {
                #expect(found.title == title)
                titles[found.version] = title
            }
            version = found.version
        }
        try await check(titles, upTo: version, on: backend)
        _ = await backend.stop()
        let doctor = try await CommandRun(["doctor", "--store", folder.store, "--json"])
        #expect(doctor.exitCode == 0, "\(doctor)")
    }

    @Test func aKilledServerKeepsTheLastAcknowledgedDraft() async throws {
        let folder = try TemporaryFolder()
        let path = "/v1/projects/default/draft"
        var tag: String?
        for number in 1...4 {
            let backend = try await RunningBackend(store: folder.store, ["--log-level", "error"])
            let put = try await HTTPConnection.answer(
                port: backend.port, method: "PUT", target: path,
                fields: [
                    "Authorization: Bearer \(RunningBackend.token)",
                    tag.map { "If-Match: \($0)" } ?? "If-None-Match: *",
                ], body: #"{"baseVersion":"0","template":{"number":\#(number)}}"#)
            backend.process.send(signal: SIGKILL)
            #expect(put.status == 200)
            tag = put.fields["etag"]
            #expect(await backend.process.exitCode() == -SIGKILL)
            let next = try await RunningBackend(store: folder.store, ["--log-level", "error"])
            let found = try await next.administer("GET", path)
            #expect(found.fields["etag"] == tag)
            #expect(
                try JSONNode(jsonData: found.body)["template"]?["number"]
                    == .number("\(number)"))
            _ = await next.stop()
        }
    }

    /// Checks that each version exists once, in order, with its content.
    private func check(
        _ titles: [Int: String], upTo version: Int, on backend: RunningBackend
    ) async throws {
        #expect(titles.count == version)
        let list = try await backend.administer("GET", Self.path + ":listVersions?pageSize=300")
        let versions = try #require(try JSONNode(jsonData: list.body)["versions"]?.arrayValue)
        #expect(
            versions.compactMap { $0["versionNumber"]?.stringValue }
                == (1...version).reversed().map { "\($0)" })
        for number in 1...version {
            let answer = try await backend.administer(
                "GET", Self.path + "?versionNumber=\(number)")
            let template = try JSONNode(jsonData: answer.body)
            #expect(Self.title(of: template) == titles[number])
        }
    }
}
