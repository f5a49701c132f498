import ActiveConfig
import ActiveConfigRealtime
import ActiveConfigTrust
import Crypto
import EtcdTestSupport
import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import TemporaryFolders
import Testing

/// Apps that have version 8 follow a server whose store was brought back to version 3, and receive
/// its next publish (PROTOCOL 1).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RestoredStoreTests {
    /// How a store was brought back.
    enum Way: String, Sendable, CaseIterable, CustomTestStringConvertible {
        case restore, restoreTwice, copy, fileCopiedBack, raisedByHand, memory

        var testDescription: String { rawValue }
    }

    /// How an app is connected.
    enum Connection: String, Sendable, CaseIterable, CustomTestStringConvertible {
        case stream, longPolls, streamOfUsers

        var testDescription: String { rawValue }
    }

    private static let serviceKey = "a-key-of-a-service-0123456789"
    private let key = Curve25519.Signing.PrivateKey()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// An app with a listener, whose store survives a relaunch.
    private struct App {
        let config: ActiveConfig
        let updater: ActiveConfigUpdater
        private let store: InMemoryStore

        init(
            _ port: Int, _ connection: Connection = .stream,
            store: InMemoryStore = InMemoryStore(),
            verifiedBy key: Curve25519.Signing.PublicKey? = nil
        ) throws {
            let address = ActiveConfigBackend(
                url: try #require(URL(string: "http://127.0.0.1:\(port)")))
            var options = ActiveConfigOptions(log: .disabled)
            options.vetting = [
                key.map { SignatureVetting(verifier: CryptoVerifier(keys: ["k": $0])) }
            ].compactMap(\.self)
            config = ActiveConfig(
                configDownloader: JSONURLDownloader(backend: address), configStore: store,
                notificationCenter: NotificationCenter(),
                listenerQueue: DispatchQueue(label: "listeners"), options: options)
            config.currentUserID = "1"
            self.store = store
            var times = ActiveConfigUpdater.Options()
            times.maximumDelay = .seconds(1)
            updater =
                switch connection {
                case .stream:
                    ActiveConfigUpdater(
                        config, backend: address, options: times, activity: .always)
                case .longPolls:
                    ActiveConfigUpdater(
                        config,
                        source: WithoutStreams(
                            base: URLSessionEventSource(backend: address),
                            polls: AsyncStream.makeStream(of: Void.self).continuation),
                        options: times, activity: .always)
                case .streamOfUsers:
                    ActiveConfigUpdater(
                        config,
                        source: ServiceEventSource(
                            backend: address, serviceCredentials: .apiKey(serviceKey),
                            signals: { _ in [:] }),
                        users: .fixed(["1"]), options: times, activity: .always)
                }
        }

        func waitForTitle(_ title: String) async {
            for await section in config.values(ofSection: "Home")
            where section?.string(forKey: "title") == title { break }
        }

        /// The app after a relaunch, by default without a connection.
        func relaunched(
            _ port: Int = 1, verifiedBy key: Curve25519.Signing.PublicKey? = nil
        ) throws -> App {
            try App(port, store: store, verifiedBy: key)
        }

        var title: String? { config["Home"]?.string(forKey: "title") }
    }

    private func backend(_ store: String, port: Int = 0) async throws -> RunningBackend {
        let environment = ["ACTIVECONFIG_SERVICE_KEY": Self.serviceKey]
        return try await RunningBackend(store: store, port: port, environment: environment)
    }

    /// Publishes, and returns the version.
    @discardableResult
    private func publish(_ title: String, on backend: RunningBackend) async throws -> Int {
        let answer = try await backend.administer(
            "PUT", "/v1/projects/default/remoteConfig", ifMatch: "*",
            body: AdministrationTarget.templateText(title: title))
        #expect(answer.status == 200)
        let version = try answer.json["version"]?["versionNumber"]?.stringValue
        return try #require(version.flatMap { Int($0) })
    }

    private func run(_ arguments: String...) async throws {
        let run = try await CommandRun(arguments)
        #expect(run.exitCode == 0, "\(run)")
    }

    /// Replaces the files of a database that no process uses with those of another one; nil removes
    /// them.
    private func replace(_ name: String, with other: String?) throws {
        let files = FileManager.default
        for suffix in ["", "-wal", "-shm"] {
            let path = folder.path(name) + suffix
            try? files.removeItem(atPath: path)
            guard let other, files.fileExists(atPath: folder.path(other) + suffix) else { continue }
            try files.copyItem(atPath: folder.path(other) + suffix, toPath: path)
        }
    }

    /// Brings the store back to version 3 as a page says, and returns its location.
    private func bringBack(_ way: Way) async throws -> String {
        let backup = folder.path("backup.sqlite")
        switch way {
        case .memory: return "memory"
        case .restore, .restoreTwice:
            try replace("test.sqlite", with: nil)
            try await run("restore", backup, "--to", folder.store)
        case .copy:
            let other = "sqlite:" + folder.path("other.sqlite")
            try await run("copy", "--from", "sqlite:\(backup)", "--to", other)
            return other
        case .fileCopiedBack, .raisedByHand:
            try replace("test.sqlite", with: "kept.sqlite")
            if way == .raisedByHand { try await run("raise-versions", "--store", folder.store) }
        }
        return folder.store
    }

    @Test(
        arguments: Way.allCases.map { ($0, Connection.stream) }
            + [
                (.restore, .longPolls), (.restore, .streamOfUsers), (.memory, .longPolls),
                (.memory, .streamOfUsers),
            ])
    func appsReceiveTheNextPublish(way: Way, connection: Connection) async throws {
        var store = way == .memory ? "memory" : folder.store
        var backend = try await backend(store)
        let port = backend.port
        for number in 1...3 { try await publish("\(number)", on: backend) }
        if way != .memory {
            try await run("backup", folder.path("backup.sqlite"), "--store", store)
            _ = await backend.stop()
            try replace("kept.sqlite", with: "test.sqlite")
            backend = try await self.backend(store, port: port)
        }
        let app = try App(port, connection)
        let updates = Task { await app.updater.run() }
        defer { updates.cancel() }
        for number in 4...8 { try await publish("\(number)", on: backend) }
        await app.waitForTitle("8")
        var known = app.config.currentConfiguration.templateVersion ?? 0
        for round in 1...(way == .restoreTwice ? 2 : 1) {
            _ = await backend.stop()
            if round == 2 {
                // Version numbers continue at the seconds since 2020: restored twice in one second,
                // a backup would give the same number twice.
                try await waitUntil { VersionFloor.raised(above: 3, at: Date()) >= known }
            }
            store = try await bringBack(way)
            backend = try await self.backend(store, port: port)
            let title = "KILL SWITCH \(round)"
            let version = try await publish(title, on: backend)
            await app.waitForTitle(title)
            #expect(app.config.currentConfiguration.templateVersion == version)
            #expect(try app.relaunched().title == title)
            if way != .memory, way != .fileCopiedBack { #expect(version > known) }
            known = version
            // Nothing of the app's version is left.
            try await waitUntil {
                let counted = try await backend.administer(
                    "GET", "/v1/projects/default/connections"
                ).json
                return counted["unknown"] == nil
                    && (connection == .longPolls || counted["versions"] == ["\(version)": 1])
            }
        }
        _ = await backend.stop()
    }

    /// The header of an unknown version is not signed, so a lower signed document stays refused;
    /// the next publish after a restore is above.
    @Test func signedAppsReceiveTheNextPublishAlone() async throws {
        let environment = [
            "ACTIVECONFIG_SIGNING_KEY": "k:\(key.rawRepresentation.base64EncodedString())"
        ]
        var backend = try await RunningBackend(store: folder.store, environment: environment)
        let port = backend.port
        for number in 1...3 { try await publish("\(number)", on: backend) }
        try await run("backup", folder.path("backup.sqlite"), "--store", folder.store)
        let app = try App(port, verifiedBy: key.publicKey)
        let updates = Task { await app.updater.run() }
        defer { updates.cancel() }
        for number in 4...8 { try await publish("\(number)", on: backend) }
        await app.waitForTitle("8")
        _ = await backend.stop()
        let store = try await bringBack(.restore)
        backend = try await RunningBackend(store: store, port: port, environment: environment)
        let relaunched = try app.relaunched(port, verifiedBy: key.publicKey)
        let error = await #expect(throws: SignatureError.self) {
            try await relaunched.config.downloadNewConfig()
        }
        #expect(error?.code == .replayed)
        #expect(relaunched.config.currentConfiguration.templateVersion == 8)
        try await publish("KILL SWITCH", on: backend)
        await app.waitForTitle("KILL SWITCH")
        #expect(try app.relaunched(verifiedBy: key.publicKey).title == "KILL SWITCH")
        _ = await backend.stop()
    }

    /// By etcd's own snapshot, which the program cannot see.
    @Test(arguments: [false, true])
    func appsReceiveTheNextPublishAfterASnapshotOfEtcd(isRaised: Bool) async throws {
        let cluster = try await EtcdCluster()
        defer { cluster.end() }
        let store = "etcd:\(cluster.members[0])?prefix=/a/"
        var backend = try await backend(store)
        let port = backend.port
        for number in 1...3 { try await publish("\(number)", on: backend) }
        try await cluster.saveSnapshot()
        let app = try App(port)
        let updates = Task { await app.updater.run() }
        defer { updates.cancel() }
        for number in 4...8 { try await publish("\(number)", on: backend) }
        await app.waitForTitle("8")
        _ = await backend.stop()
        cluster.kill9(0)
        try await cluster.restoreSnapshot()
        try cluster.start(0)
        try await cluster.waitForLeader()
        if isRaised { try await run("raise-versions", "--store", store) }
        backend = try await self.backend(store, port: port)
        if !isRaised { await app.waitForTitle("3") }
        let version = try await publish("KILL SWITCH", on: backend)
        #expect(isRaised ? version > 8 : version == 4)
        await app.waitForTitle("KILL SWITCH")
        #expect(try app.relaunched().title == "KILL SWITCH")
        _ = await backend.stop()
    }
}
