import ActiveConfig
import ActiveConfigRealtime
import ActiveConfigTrust
import Crypto
import Foundation
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// The framework's updater with many users on few connections, against a separate backend process.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ServiceClientTests {
    private static let key = "a-key-of-a-service-0123456789"

    /// Starts a backend, on a free port by default.
    private static func backend(
        store: String = "memory", _ arguments: [String] = [], port: Int = 0,
        environment: [String: String] = [:]
    ) async throws -> RunningBackend {
        try await RunningBackend(
            store: store, arguments, port: port,
            environment: environment.merging(["ACTIVECONFIG_SERVICE_KEY": key]) { $1 })
    }

    private static func publish(_ revision: Int, on backend: RunningBackend) async throws {
        let body = """
            {"parameterGroups": {"Load": {"parameters": {
              "revision": {"defaultValue": {"value": "\(revision)"}, "valueType": "NUMBER"},
              "owner": {"defaultValue": {"value": "${user.id}"}, "valueType": "STRING"}}},
              "Other": {"parameters": {
              "isOn": {"defaultValue": {"value": "true"}, "valueType": "BOOLEAN"}}}}}
            """
        let answer = try await backend.administer(
            "PUT", "/v1/projects/default/remoteConfig", ifMatch: "*", body: body)
        #expect(answer.status == 200)
    }

    /// The sections that a user's listener received.
    private final class Received: @unchecked Sendable {  // Guarded by `lock`.
        typealias Value = (revision: Int?, owner: String?)

        private let lock = NSLock()
        private var values: [Value] = []

        func append(_ section: ActiveConfigSection?) {
            lock.withLock {
                values.append(
                    (section?.integer(forKey: "revision"), section?.string(forKey: "owner")))
            }
        }

        var all: [Value] { lock.withLock { values } }
    }

    /// A service: one configuration, one updater, and a listener for each user.
    private struct Service {
        let config: ActiveConfig
        let updater: ActiveConfigUpdater
        let users: [String?]
        let received: [Received]
        let tokens: [ActiveConfigSubscription]
        private let queue = DispatchQueue(label: "listeners")

        init(
            _ backend: RunningBackend, users: [String?],
            credentials: ClientCredentials = .apiKey(key),
            signatures: SignatureVetting? = nil,
            signals: @escaping ServiceEventSource.Signals = { _ in [:] }
        ) throws {
            let address = ActiveConfigBackend(url: try #require(URL(string: backend.url)))
            var options = ActiveConfigOptions(log: .disabled)
            options.vetting = [signatures].compactMap(\.self)
            let config = ActiveConfig(
                configDownloader: JSONURLDownloader(backend: address), configStore: InMemoryStore(),
                notificationCenter: NotificationCenter(),
                listenerQueue: queue, options: options)
            var times = ActiveConfigUpdater.Options()
            times.maximumDelay = .seconds(2)
            self.config = config
            self.users = users
            updater = ActiveConfigUpdater(
                config,
                source: ServiceEventSource(
                    backend: address, serviceCredentials: credentials, signals: signals),
                users: .fixed(users), options: times, activity: .always)
            let received = users.map { _ in Received() }
            self.received = received
            tokens = zip(users, received).map { user, received in
                config.configuration(forUserID: user).observe(sectionNamed: "Load") { section in
                    received.append(section)
                }
            }
        }

        /// Runs the updater while `body` runs, and until it has ended.
        func run(_ body: () async throws -> Void) async throws {
            let run = Task { await updater.run() }
            do { try await body() } catch {
                run.cancel()
                _ = await run.result
                throw error
            }
            run.cancel()
            await run.value
        }

        func isLive(_ user: String?) -> Bool {
            if case .live = updater.state(ofUserID: user) { return true }
            return false
        }

        func waitUntilLive() async throws {
            try await waitUntil { users.allSatisfy(isLive) }
        }

        func revision(of user: String?) -> Int? {
            config.configuration(forUserID: user)["Load"]?.integer(forKey: "revision")
        }

        func waitForRevision(_ revision: Int) async throws {
            try await waitUntil { users.allSatisfy { self.revision(of: $0) == revision } }
        }

        /// Expects that each listener received only its own user's values, and never an older one
        /// after a newer.
        func expectOrder() {
            queue.sync {}
            for (user, values) in zip(users, ownValues) {
                let revisions = values.compactMap(\.revision)
                #expect(revisions == revisions.sorted(), "\(user ?? "generic")")
                for value in values { #expect(value.owner == user ?? "") }
            }
        }

        /// The values of each listener, without the generic user's values that precede the first
        /// own ones.
        var ownValues: [[Received.Value]] {
            zip(users, received).map { user, received in
                Array(received.all.drop { $0.owner == "" && user != nil && user != "" })
            }
        }
    }

    /// Users and streams that the backend counts.
    private static func counts(
        of backend: RunningBackend
    ) async throws -> (users: Int?, streams: Int?) {
        struct Connections: Decodable { let connections: Int }
        let answer = try await backend.administer("GET", "/v1/projects/default/connections")
        let metrics = String(decoding: try await backend.answer("/metrics").body, as: UTF8.self)
        let line = metrics.split(separator: "\n").first {
            $0.hasPrefix("activeconfig_stream_connections ")
        }
        return (
            try? JSONDecoder().decode(Connections.self, from: answer.body).connections,
            line?.split(separator: " ").last.flatMap { Int($0) }
        )
    }

    @Test func manyUsersReceiveChangesOverFewConnections() async throws {
        let backend = try await Self.backend()
        try await Self.publish(1, on: backend)
        let users: [String?] = (0..<196).map { "user-\($0)" } + ["", "..", "a/b \u{E9}", nil]
        let service = try Service(backend, users: users)
        try await service.run {
            try await service.waitUntilLive()
            try await service.waitForRevision(1)
            let counts = try await Self.counts(of: backend)
            #expect(counts.users == 200)
            #expect((1...10).contains(counts.streams ?? 0), "\(counts)")
            for revision in 2...5 {
                try await Self.publish(revision, on: backend)
                try await service.waitForRevision(revision)
            }
            // The stream alone delivers all of them.
            service.expectOrder()
            #expect(service.ownValues.allSatisfy { $0.compactMap(\.revision) == [1, 2, 3, 4, 5] })
        }
        _ = await backend.stop()
    }

    @Test func aBackendThatIsKilledAndRestartedIsFollowedAgain() async throws {
        let folder = try TemporaryFolder()
        var backend = try await Self.backend(store: folder.store)
        let port = backend.port
        try await Self.publish(1, on: backend)
        let service = try Service(backend, users: (0..<50).map { "user-\($0)" })
        try await service.run {
            try await service.waitUntilLive()
            for round in 1...2 {
                backend.process.send(signal: SIGKILL)
                #expect(await backend.process.exitCode() == -SIGKILL)
                try await waitUntil { !service.users.contains(where: service.isLive) }
                backend = try await Self.backend(store: folder.store, port: port)
                // Some users may have reconnected already.
                try await Self.publish(round * 2, on: backend)
                try await service.waitForRevision(round * 2)
                try await service.waitUntilLive()
                try await Self.publish(round * 2 + 1, on: backend)
                try await service.waitForRevision(round * 2 + 1)
            }
            service.expectOrder()
        }
        _ = await backend.stop()
    }

    @Test func usersAreAddedRemovedAndForgotten() async throws {
        let backend = try await Self.backend()
        try await Self.publish(1, on: backend)
        let users = (0..<40).map { "user-\($0)" }
        let service = try Service(backend, users: users)
        try await service.run {
            service.updater.users = .fixed(Array(users[..<20]))
            try await waitUntil { users[..<20].allSatisfy(service.isLive) }
            service.updater.users = .fixed(users)
            try await service.waitUntilLive()
            service.updater.users = .fixed(Array(users[30...]))
            try await waitUntil {
                users[..<30].allSatisfy { service.updater.state(ofUserID: $0) == .stopped }
            }
            for user in users[..<30] { try await service.config.forgetUser(user) }
            try await Self.publish(2, on: backend)
            try await waitUntil { users[30...].allSatisfy { service.revision(of: $0) == 2 } }
            // The updater reopens a stream for its remaining users once more users have left it
            // than stay.
            try await waitUntil { try await Self.counts(of: backend).users ?? .max <= 20 }
            for user in users[..<30] {
                #expect(service.config.configStore?.ownConfiguration(forUserID: user) == nil)
            }
            service.updater.users = .fixed([])
            try await waitUntil { try await Self.counts(of: backend).users == 0 }
        }
        _ = await backend.stop()
    }

    @Test func pinnedValuesReachTheirUserAlone() async throws {
        let backend = try await Self.backend()
        try await Self.publish(1, on: backend)
        let service = try Service(backend, users: ["1", "2", nil])
        try await service.run {
            try await service.waitUntilLive()
            for revision in [7, 8] {
                let answer = try await backend.administer(
                    "PUT", "/v1/projects/default/users/2/overrides",
                    body: #"{"Load":{"revision":\#(revision)}}"#)
                #expect(answer.status == 200)
                try await waitUntil { service.revision(of: "2") == revision }
            }
            #expect(service.revision(of: "1") == 1)
            #expect(service.revision(of: nil) == 1)
        }
        _ = await backend.stop()
    }

    private struct CryptoVerifier: SignatureVerifier {
        let key: Curve25519.Signing.PublicKey

        func isValidSignature(_ signature: Data, of message: Data, keyID: String) -> Bool {
            keyID == "2026-11" && key.isValidSignature(signature, for: message)
        }
    }

    @Test func signedDocumentsAreFetchedWhenTheStreamTellsOfThem() async throws {
        let key = Curve25519.Signing.PrivateKey()
        let secret = key.rawRepresentation.base64EncodedString()
        let backend = try await Self.backend(
            environment: ["ACTIVECONFIG_SIGNING_KEY": "2026-11:\(secret)"])
        try await Self.publish(1, on: backend)
        let service = try Service(
            backend, users: (0..<20).map { "user-\($0)" },
            signatures: SignatureVetting(verifier: CryptoVerifier(key: key.publicKey)))
        try await service.run {
            try await service.waitUntilLive()
            for revision in 2...3 {
                try await Self.publish(revision, on: backend)
                try await service.waitForRevision(revision)
            }
            service.expectOrder()
        }
        _ = await backend.stop()
    }

    @Test func theServicesTokenIsRefreshedOnceForAll() async throws {
        let backend = try await Self.backend()
        try await Self.publish(1, on: backend)
        let (asked, calls) = AsyncStream.makeStream(of: Bool.self)
        let credentials = ClientCredentials.bearerToken { request in
            let isRefresh = request.reason == .refused
            calls.yield(isRefresh)
            return isRefresh ? RunningBackend.token : "expired"
        }
        let service = try Service(
            backend, users: (0..<20).map { "user-\($0)" }, credentials: credentials)
        try await service.run {
            try await service.waitUntilLive()
            calls.finish()
            var refreshCount = 0
            var callCount = 0
            for await isRefresh in asked {
                callCount += 1
                if isRefresh { refreshCount += 1 }
            }
            // One call and one refresh per stream, not per user. A stream whose users move to
            // another one may end before its refresh.
            #expect((1...6).contains(refreshCount))
            #expect((refreshCount...6).contains(callCount - refreshCount))
        }
        _ = await backend.stop()
    }

    @Test func aUserWhoseRequestCannotBeMadeDoesNotStopTheOthers() async throws {
        struct NoSignals: Error {}
        let backend = try await Self.backend()
        try await Self.publish(1, on: backend)
        let service = try Service(backend, users: ["1", "2", "bad"]) { user in
            if user == "bad" { throw NoSignals() }
            return ["app.version": "2.0", "signal.plan": user ?? ""]
        }
        try await service.run {
            try await waitUntil { service.isLive("1") && service.isLive("2") }
            for await update in service.updater.updates {
                guard case .state(.waiting(_, let reason), "bad") = update else { continue }
                #expect(reason.description.contains("NoSignals"))
                break
            }
            try await Self.publish(2, on: backend)
            try await waitUntil {
                service.revision(of: "1") == 2 && service.revision(of: "2") == 2
            }
        }
        _ = await backend.stop()
    }

    @Test func aServiceWithoutAKeySaysSoAndHasItsDocuments() async throws {
        let backend = try await Self.backend()
        try await Self.publish(1, on: backend)
        let service = try Service(backend, users: ["1"], credentials: .apiKey("wrong"))
        try await service.run {
            for await update in service.updater.updates {
                guard case .state(.waiting(_, let reason), _) = update else { continue }
                #expect(reason.description.contains("401"), "\(reason)")
                break
            }
            #expect(service.revision(of: "1") == 1)
            try await Self.publish(2, on: backend)
            // Each attempt requests the document.
            try await service.waitForRevision(2)
        }
        _ = await backend.stop()
    }
}
