import EtcdTemplateStore
import EtcdTestSupport
import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Templates
import TemporaryFolders
import Testing

/// A server whose etcd cluster is unavailable, with and without a snapshot.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SnapshotTests {
    private static let path = "/v1/projects/default/remoteConfig"
    private static let document = "/activeconfig/user/1"

    /// The location of a store that does not answer.
    private static let absent = "etcd:http://127.0.0.1:1"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var snapshot: [String] { ["--snapshot", folder.path("kept")] }

    private func publish(
        _ title: String, on backend: RunningBackend
    ) async throws -> HTTPAnswer {
        try await backend.administer(
            "PUT", Self.path, ifMatch: "*", body: AdministrationTarget.templateText(title: title))
    }

    private func readiness(of backend: RunningBackend) async throws -> JSONNode {
        let answer = try await backend.answer("/health/ready")
        #expect(answer.status == 200)
        return try answer.json
    }

    @Test func aServerStartsFromItsSnapshotAndFollowsTheStoreOnceItAnswers() async throws {
        let cluster = try await EtcdCluster()
        defer { cluster.end() }
        let store = cluster.location().description
        let first = try await RunningBackend(store: store, snapshot)
        #expect(try await publish("first", on: first).status == 200)
        let created = try await first.administer(
            "POST", "/v1/tokens", body: #"{"name":"other","role":"publisher"}"#)
        let token = try #require(try created.json["token"]?.stringValue)
        let tag = try await first.answer(Self.document).fields["etag"]
        let file = SnapshotFile(path: folder.path("kept"))
        try await waitUntil { try file.read()?.snapshot.templates.first?.version.number == 1 }
        _ = await first.stop()
        let other = try await RunningBackend(store: store)
        #expect(try await publish("second", on: other).status == 200)
        _ = await other.stop()
        cluster.kill9(0)

        let backend = try await RunningBackend(store: store, snapshot)
        let degraded = try await readiness(of: backend)
        #expect(degraded["status"] == "degraded")
        #expect(degraded["reason"]?.stringValue?.contains("from the snapshot of 20") == true)
        let kept = try await backend.answer(Self.document)
        #expect(kept.status == 200)
        #expect(kept.fields["etag"] == tag)
        #expect(kept.fields["activeconfig-snapshot"].flatMap { Date(timestamp: $0) } != nil)
        let known = try await backend.answer(
            Self.document, fields: ["If-None-Match: \(tag ?? "")"])
        #expect(known.status == 304)
        #expect(known.fields["activeconfig-snapshot"] != nil)
        // Only the token from the environment is known.
        #expect(try await publish("refused", on: backend).status == 503)
        for (fields, status) in [(["Authorization: Bearer \(token)"], 503), ([], 401)] {
            #expect(try await backend.answer(Self.path, fields: fields).status == status)
        }
        let metrics = String(decoding: try await backend.answer("/metrics").body, as: UTF8.self)
        #expect(metrics.contains("activeconfig_store_ready 0"))

        try await EventStreamClient.open(
            port: backend.port, Self.document + "/events", fields: ["Last-Event-ID: 1"]
        ) { stream in
            #expect(stream.head.lowercased().contains("activeconfig-snapshot:"))
            #expect(try await stream.next().data?["template_version"] == 1)
            try cluster.start(0)
            // Until the server has read the audit trail, it does not know whose pinned values
            // changed.
            var event = try await stream.next()
            if event.name == "reset" { event = try await stream.next() }
            #expect(event.name == "update")
            #expect(event.data?["template_version"] == 2)
        }
        try await waitUntil { try await readiness(of: backend)["status"] == "ok" }
        let current = try await backend.answer(Self.document)
        #expect(String(decoding: current.body, as: UTF8.self).contains("second"))
        #expect(current.fields["activeconfig-snapshot"] == nil)
        #expect(
            try await backend.answer(Self.path, fields: ["Authorization: Bearer \(token)"]).status
                == 200)
        try await waitUntil { try file.read()?.snapshot.templates.first?.version.number == 2 }

        // The store becomes unavailable while the server runs.
        cluster.kill9(0)
        try await waitUntil { try await readiness(of: backend)["status"] == "degraded" }
        let gone = try await readiness(of: backend)
        #expect(gone["reason"]?.stringValue?.contains("does not answer") == true)
        #expect(try await backend.answer(Self.document).status == 200)
        #expect(try await publish("third", on: backend).status == 503)
        _ = await backend.stop()
    }

    /// Stored tokens and sessions are unknown then, so the server calls none of them invalid.
    @Test(arguments: Access.allCases)
    func credentialsThatAreNotKnownAreNotCalledWrong(_ access: Access) async throws {
        let store = InMemoryTemplateStore()
        _ = try await store.publish(
            TemplateSubmission(
                project: "default",
                content: Data(AdministrationTarget.templateText(title: "kept").utf8),
                expectation: .any, date: Date(), user: .init(name: nil)))
        try SnapshotFile(path: folder.path("kept")).write(
            SnapshotFile.Kept(snapshot: try await store.snapshot(), date: Date(), mark: nil))
        let (option, client) =
            switch access {
            case .open: ([String](), nil as String?)
            case .key: (["--client-key", "a-key-of-clients"], "a-key-of-clients")
            case .userToken:
                (["--user-token-secret", UserToken.secret], try await UserToken.make("1"))
            }
        let backend = try await RunningBackend(store: Self.absent, snapshot + option)
        let token = "Authorization: Bearer a-token-that-may-be-stored"
        let session = "Cookie: activeconfig_session_\(backend.port)=x; activeconfig_session=x"
        func status(
            _ method: String, _ target: String, _ fields: [String]
        ) async throws -> Int {
            try await HTTPConnection.answer(
                port: backend.port, method: method, target: target, fields: fields,
                body: method == "POST" ? #"{"users":[{"id":"1"}]}"# : ""
            ).status
        }
        #expect(try await status("POST", "/activeconfig/events", [token]) == 503)
        #expect(try await status("POST", "/activeconfig/events", []) == 401)
        #expect(try await status("POST", "/activeconfig/events", ["X-API-Key: x"]) == 401)
        for field in [token, session] {
            #expect(try await status("GET", Self.path, [field]) == 503, "\(field)")
            #expect(try await status("GET", "/console/session", [field]) == 503, "\(field)")
        }
        #expect(try await status("GET", "/console/session", []) == 204)
        let fields = client.map { ["Authorization: Bearer \($0)"] } ?? []
        if client != nil {
            #expect(try await status("POST", "/activeconfig/events", fields) == 403)
            #expect(try await status("GET", Self.document, []) == 401)
        }
        let context = #"{"context":{"targetingKey":"1"}}"#
        for key in ["", "/Home.title"] {
            let answer = try await HTTPConnection.answer(
                port: backend.port, method: "POST", target: "/ofrep/v1/evaluate/flags\(key)",
                fields: fields, body: context)
            #expect(answer.status == 200)
            #expect(answer.fields["activeconfig-snapshot"] != nil)
        }
        _ = await backend.stop()
    }

    /// The credentials that clients need.
    enum Access: CaseIterable {
        case open, key, userToken
    }

    @Test func withoutStoreAndSnapshotNoServerStarts() async throws {
        let run = try await CommandRun(["serve", "--port", "0", "--store", Self.absent] + snapshot)
        #expect(run.exitCode == 69, "\(run)")
        #expect(run.error.contains("No member of the etcd cluster"), "\(run)")
    }

    /// A record with a number that no store assigns, next to a valid one.
    @Test func aServerStartsFromASnapshotWithARecordThatCannotBeRead() async throws {
        let store = InMemoryTemplateStore()
        let template = try await store.publish(
            TemplateSubmission(
                project: "default",
                content: Data(AdministrationTarget.templateText(title: "kept").utf8),
                expectation: .any, date: Date(), user: .init(name: nil)))
        let unreadable = StoredTemplate(
            project: "other", version: TemplateVersion(number: -1, updateTime: Date()),
            content: Data(), revision: template.revision)
        try SnapshotFile(path: folder.path("kept")).write(
            SnapshotFile.Kept(
                snapshot: TemplateStoreSnapshot(
                    templates: [unreadable, template], overrides: [:], revision: template.revision),
                date: Date(), mark: nil))
        let backend = try await RunningBackend(store: Self.absent, snapshot)
        #expect(try await backend.answer(Self.document).status == 200)
        let reason = try await readiness(of: backend)["reason"]?.stringValue
        #expect(reason?.contains("without 1 record that cannot be read") == true, "\(reason ?? "")")
        let log = await backend.stop()
        #expect(log.contains { $0.contains("templates[0]") && $0.contains(folder.path("kept")) })
    }

    @Test(arguments: ["activeconfig-snapshot 1\nx\n{}", "activeconfig-snapshot 2\n", "", "\u{0}"])
    func aSnapshotThatCannotBeUsedIsNamed(_ text: String) async throws {
        let path = try folder.write(text, to: "kept")
        let run = try await CommandRun(["serve", "--port", "0", "--store", Self.absent] + snapshot)
        #expect(run.exitCode == 69, "\(run)")
        #expect(run.error.contains("The snapshot \(path)"), "\(run)")
    }

    @Test func aSnapshotIsForEtcdAndNotForDevelopment() async throws {
        for options in [["--store", folder.store], ["--store", Self.absent, "--dev"]] {
            let run = try await CommandRun(["serve"] + options + snapshot)
            #expect(run.exitCode == 64, "\(run)")
        }
    }
}
