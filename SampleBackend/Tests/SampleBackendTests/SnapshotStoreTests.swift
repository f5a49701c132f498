import EtcdTemplateStore
import EtcdTestSupport
import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Templates
import TemporaryFolders
import Testing

/// A server with a snapshot whose store is a different one, has lost changes, or is full.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SnapshotStoreTests {
    private static let path = "/v1/projects/default/remoteConfig"
    private static let document = "/activeconfig/user/1"

    private let folder: TemporaryFolder
    private let file: SnapshotFile

    init() throws {
        folder = try TemporaryFolder()
        file = SnapshotFile(path: folder.path("kept"))
    }

    private var snapshot: [String] { ["--snapshot", file.path] }

    private func publish(
        _ title: String, on backend: RunningBackend
    ) async throws -> HTTPAnswer {
        try await backend.administer(
            "PUT", Self.path, ifMatch: "*", body: AdministrationTarget.templateText(title: title))
    }

    /// Runs a server until its snapshot contains a new version.
    private func keep(_ title: String, of store: String) async throws {
        let backend = try await RunningBackend(store: store, snapshot)
        let answer = try await publish(title, on: backend)
        #expect(answer.status == 200)
        try await waitUntil {
            guard let content = try file.read()?.snapshot.templates.first?.content else {
                return false
            }
            return String(decoding: content, as: UTF8.self).contains(title)
        }
        _ = await backend.stop()
    }

    private func readiness(of backend: RunningBackend) async throws -> String {
        let answer = try await backend.answer("/health/ready")
        #expect(answer.status == 200)
        return try answer.json["reason"]?.stringValue ?? "ok"
    }

    /// Expects that a server serves the snapshot, and refuses changes because of its store.
    private func expectSnapshot(
        _ title: String, on backend: RunningBackend, location: SourceLocation = #_sourceLocation
    ) async throws {
        let answer = try await backend.answer(Self.document)
        #expect(answer.status == 200, sourceLocation: location)
        #expect(
            String(decoding: answer.body, as: UTF8.self).contains(title), sourceLocation: location)
        #expect(answer.fields["activeconfig-snapshot"] != nil, sourceLocation: location)
        let refusal = try await publish("refused", on: backend)
        #expect(refusal.status == 503, sourceLocation: location)
        #expect(
            refusal.error?.message.contains("--snapshot") == true,
            "\(String(describing: refusal.error))", sourceLocation: location)
    }

    private func member(_ cluster: EtcdCluster) async throws {
        try cluster.start(0)
        try await cluster.waitForLeader()
    }

    @Test func aClusterThatComesBackEmptyTakesNothingAway() async throws {
        let cluster = try await EtcdCluster()
        defer { cluster.end() }
        let location = cluster.location()
        let store = location.description
        try await keep("first", of: store)
        let kept = try Data(contentsOf: URL(filePath: file.path))
        cluster.kill9(0)
        let backend = try await RunningBackend(store: store, snapshot)
        cluster.removeData(of: 0)
        try await EventStreamClient.open(port: backend.port, Self.document + "/events") { stream in
            #expect(try await stream.next().name == "hello")
            try await member(cluster)
            try await waitUntil {
                try await readiness(of: backend).contains("has lost changes")
            }
        }
        try await expectSnapshot("first", on: backend)
        let log = await backend.stop()
        #expect(log.contains { $0.contains("no longer exists") })
        // The same with a store that is empty at startup.
        let second = try await RunningBackend(store: store, snapshot)
        #expect(try await readiness(of: second).contains("has lost changes"))
        try await expectSnapshot("first", on: second)
        let start = await second.stop()
        #expect(start.contains { $0.contains("move the file away") })
        #expect(try Data(contentsOf: URL(filePath: file.path)) == kept)
        let found = try await EtcdStatus(location).store.get()
        #expect(found == nil, "no store was created")

        // To start with the empty store, the operator removes the file.
        try FileManager.default.removeItem(atPath: file.path)
        let third = try await RunningBackend(store: store, snapshot)
        #expect(try await third.answer(Self.document).status == 404)
        #expect(try await publish("again", on: third).status == 200)
        _ = await third.stop()
    }

    @Test func aStoreFromAnEarlierBackupIsNotServed() async throws {
        let cluster = try await EtcdCluster()
        defer { cluster.end() }
        let store = cluster.location().description
        try await keep("first", of: store)
        cluster.kill9(0)
        try cluster.backUp(0)
        try await member(cluster)
        try await keep("second", of: store)
        cluster.kill9(0)
        try cluster.swapWithBackup(0)
        try await member(cluster)
        // Another version 2, so that the numbers equal those of the snapshot.
        let other = try await RunningBackend(store: store)
        #expect(try await publish("other", on: other).status == 200)
        _ = await other.stop()

        let backend = try await RunningBackend(store: store, snapshot)
        #expect(try await readiness(of: backend).contains("has lost changes"))
        try await expectSnapshot("second", on: backend)
        cluster.kill9(0)
        try cluster.swapWithBackup(0)
        try await member(cluster)
        try await waitUntil { try await readiness(of: backend) == "ok" }
        let next = try await publish("third", on: backend)
        #expect(next.status == 200)
        #expect(try next.json["version"]?["versionNumber"] == "3")
        #expect(try await backend.answer(Self.document).fields["activeconfig-snapshot"] == nil)
        _ = await backend.stop()
    }

    @Test func theSnapshotOfAnotherStoreIsRefusedAtTheStart() async throws {
        let cluster = try await EtcdCluster()
        defer { cluster.end() }
        var location = cluster.location()
        let store = location.description
        try await keep("first", of: store)
        let kept = try Data(contentsOf: URL(filePath: file.path))
        func expectRefusal(at store: String) async throws {
            let run = try await CommandRun(["serve", "--port", "0", "--store", store] + snapshot)
            #expect(run.exitCode == 69, "\(run)")
            #expect(run.error.contains("The snapshot \(file.path) is of another store"), "\(run)")
        }
        location.prefix = "/other/"
        try await expectRefusal(at: location.description)
        cluster.kill9(0)
        try await expectRefusal(at: location.description)
        cluster.removeData(of: 0)
        try await member(cluster)
        let other = try await RunningBackend(store: store)
        #expect(try await publish("other", on: other).status == 200)
        _ = await other.stop()
        try await expectRefusal(at: store)
        #expect(try Data(contentsOf: URL(filePath: file.path)) == kept)
    }

    /// The server then does not create a store in an empty cluster: the file may be the last copy
    /// of the data.
    @Test(arguments: ["activeconfig-snapshot 3\nx", "activeconfig-snapshot 2\nx\n{}", "notes", ""])
    func aFileThatCannotBeUsedIsRefusedAtTheStart(text: String) async throws {
        let cluster = try await EtcdCluster()
        defer { cluster.end() }
        let location = cluster.location()
        _ = try folder.write(text, to: "kept")
        let process = try BackendProcess(
            ["serve", "--port", "0", "--store", location.description] + snapshot)
        let port = await process.listeningPort()
        #expect(port == nil, "a server started")
        if port != nil { process.send(signal: SIGTERM) }
        let run = await CommandRun(process)
        #expect(run.exitCode == 69, "\(run)")
        #expect(run.error.contains("The snapshot \(file.path)"), "\(run)")
        #expect(run.error.contains("move the file away"), "\(run)")
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == text)
        let found = try await EtcdStatus(location).store.get()
        #expect(found == nil, "no store was created")
    }

    @Test func theSnapshotIsServedInPlaceOfAStoreThatIsDamaged() async throws {
        let cluster = try await EtcdCluster()
        defer { cluster.end() }
        let location = cluster.location()
        let store = location.description
        let key = location.prefix + "projects/other"
        try await keep("first", of: store)
        let kept = try Data(contentsOf: URL(filePath: file.path))
        #expect(try await put(Data("{}".utf8), at: key, in: cluster) == 200)
        let backend = try await RunningBackend(store: store, snapshot)
        let answer = try await backend.answer(Self.document)
        #expect(answer.status == 200)
        #expect(answer.fields["activeconfig-snapshot"] != nil)
        #expect(try await readiness(of: backend).contains("content that cannot be read"))
        let log = await backend.stop()
        #expect(log.contains { $0.contains(key) })
        #expect(try Data(contentsOf: URL(filePath: file.path)) == kept)
    }

    /// The last change is within the interval between two writes of the snapshot.
    @Test func aServerThatStopsKeepsTheLastChange() async throws {
        let cluster = try await EtcdCluster()
        defer { cluster.end() }
        let backend = try await RunningBackend(store: cluster.location().description, snapshot)
        try await waitUntil { try file.read() != nil }
        #expect(try await publish("last", on: backend).status == 200)
        _ = await backend.stop()
        #expect(try file.read()?.snapshot.templates.first?.version.number == 1)
    }

    /// A client that has seen the last version gets 503 from a server with an earlier one.
    @Test func aServerThatStopsWithoutItsStoreKeepsWhatClientsHaveSeen() async throws {
        let cluster = try await EtcdCluster(members: 3)
        defer { cluster.end() }
        let store = cluster.location().description
        let backend = try await RunningBackend(store: store, snapshot)
        for number in 1...6 {
            #expect(try await publish("title \(number)", on: backend).status == 200)
        }
        for member in 0..<2 { cluster.kill9(member) }
        let seen = try await backend.answer(Self.document)
        #expect(String(decoding: seen.body, as: UTF8.self).contains("title 6"))
        _ = await backend.stop()
        let next = try await RunningBackend(store: store, snapshot)
        let answer = try await next.answer(
            Self.document, fields: ["ActiveConfig-Template-Version: 6"])
        #expect(answer.status == 200)
        #expect(String(decoding: answer.body, as: UTF8.self).contains("title 6"))
        // The file names a store that has all of its changes.
        for member in 0..<2 { try cluster.start(member) }
        try await waitUntil { try await readiness(of: next) == "ok" }
        #expect(try await publish("title 7", on: next).status == 200)
        _ = await next.stop()
    }

    /// With an exhausted quota, the server serves and reads everything from the store.
    @Test(arguments: [false, true])
    func aFullClusterIsServed(hasSnapshot: Bool) async throws {
        let cluster = try await EtcdCluster(options: ["--quota-backend-bytes=16777216"])
        defer { cluster.end() }
        let store = cluster.location().description
        try await keep("first", of: store)
        try await fill(cluster)
        let backend = try await RunningBackend(store: store, hasSnapshot ? snapshot : [])
        let answer = try await backend.answer(Self.document)
        #expect(answer.status == 200)
        #expect(answer.fields["activeconfig-snapshot"] == nil)
        #expect(try await backend.administer("GET", Self.path).status == 200)
        #expect(try await publish("second", on: backend).status == 503)
        #expect(try await readiness(of: backend).contains("cannot write"))
        _ = await backend.stop()
    }

    /// Stores values until the quota is exhausted.
    private func fill(_ cluster: EtcdCluster) async throws {
        for number in 0..<100 {
            let value = Data(repeating: 0, count: 1_000_000)
            if try await put(value, at: "x\(number)", in: cluster) != 200 { return }
        }
        Issue.record("the quota was not used up")
    }

    /// Stores a value that no server would store, and returns the status of etcd's response.
    private func put(_ value: Data, at key: String, in cluster: EtcdCluster) async throws -> Int {
        let url = try #require(URL(string: cluster.members[0]))
        let put = ["key": Data(key.utf8), "value": value]
        return try await HTTPConnection.answer(
            port: try #require(url.port), method: "POST", target: "/v3/kv/put",
            body: String(decoding: try JSONEncoder().encode(put), as: UTF8.self)
        ).status
    }

    @Test func aSnapshotThatCannotBeWrittenIsReported() async throws {
        let cluster = try await EtcdCluster()
        defer { cluster.end() }
        let path = folder.path("missing/kept")
        let backend = try await RunningBackend(
            store: cluster.location().description, ["--snapshot", path])
        try await waitUntil {
            try await readiness(of: backend).contains("The snapshot is out of date")
        }
        let metrics = String(decoding: try await backend.answer("/metrics").body, as: UTF8.self)
        #expect(metrics.contains("\nactiveconfig_snapshot_written 0\n"))
        #expect(metrics.contains("\nactiveconfig_store_ready 1\n"))
        #expect(try await publish("first", on: backend).status == 200)
        try FileManager.default.createDirectory(
            atPath: folder.path("missing"), withIntermediateDirectories: false)
        try await waitUntil { try await readiness(of: backend) == "ok" }
        #expect(FileManager.default.fileExists(atPath: path))
        let log = await backend.stop()
        #expect(log.count { $0.contains("The snapshot could not be written") } == 1)
        #expect(log.contains { $0.contains("The snapshot is up to date again") })
    }
}
