import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime
@testable import ActiveConfigReporting

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Later versions that the server names for an unchanged document (PROTOCOL 1).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ConfirmedVersionTests {
    private static let tag = "W/\"a\""

    private static func document(_ version: Int, title: String = "Hello") -> String {
        #"{"meta":{"template_version":\#(version)},"config_sections":"#
            + #"{"Home":{"settings":{"title":{"value":"\#(title)"}}}}}"#
    }

    /// A server that names a version for the document that its clients already have.
    private final class Server: Sendable {
        let loopback: LoopbackServer
        private let version: Locked<String?>

        init(_ first: String?) throws {
            let version = Locked(first)
            self.version = version
            loopback = try LoopbackServer { request in
                let name = version.withLock { $0 }
                var headers = ["ETag": ConfirmedVersionTests.tag]
                headers["ActiveConfig-Template-Version"] = name
                headers["ActiveConfig-Acknowledge"] = "1"
                return request.headers["if-none-match"] == ConfirmedVersionTests.tag
                    ? LoopbackServer.response(304, headers: headers)
                    : LoopbackServer.response(
                        headers: headers, body: ConfirmedVersionTests.document(12))
            }
        }

        func name(_ new: String?) { version.withLock { $0 = new } }

        func config(
            _ store: any ActiveConfigStore, activation: ActivationPolicy = .immediate
        ) throws -> ActiveConfig {
            let url = try loopback.url("/config")
            let options = ActiveConfigOptions(activationPolicy: activation, log: .disabled)
            let config = ActiveConfig(
                configDownloader: JSONURLDownloader { _ in URLRequest(url: url) },
                configStore: store, notificationCenter: NotificationCenter(),
                listenerQueue: DispatchQueue(label: "listeners"), options: options)
            config.currentUserID = "1"
            return config
        }
    }

    @Test func aLaterVersionIsTakenOverAndKept() async throws {
        let folder = TemporaryFolder()
        let server = try Server("12")
        defer { server.loopback.stop() }
        let config = try server.config(FileDefaultsStore(directory: folder.url))
        try await config.downloadNewConfig()
        let listener = RecordingListener()
        config.registerListener(listener, forSectionName: "Home")
        server.name("13")
        let result = try await config.downloadNewConfig()
        #expect(result.outcome == .notModified)
        #expect(result.configurationIsCurrent)
        #expect(result.changedSectionNames == [])
        #expect(config.currentConfiguration.templateVersion == 13)
        #expect(config.currentConfiguration.entityTag == Self.tag)
        config.listenerQueue.sync {}
        #expect(listener.deliveries.count == 1, "the section at the registration")
        let next = try server.config(FileDefaultsStore(directory: folder.url))
        #expect(next.currentConfiguration.templateVersion == 13)
        #expect(next["Home"]?.string(forKey: "title") == "Hello")
        try await next.downloadNewConfig()
        #expect(
            server.loopback.requests.map { $0.headers["activeconfig-template-version"] }
                == ["0", "12", "13"])
    }

    @Test(arguments: [
        nil, "", "12", "11", "0", "-13", "+13", "013", "13.0", "1e3", "x", "13, 14", "0x13",
        "99999999999999999999", "1234567890123456",
    ])
    func anyOtherFieldChangesNothing(field: String?) async throws {
        let server = try Server("12")
        defer { server.loopback.stop() }
        let store = InMemoryStore()
        let config = try server.config(store)
        try await config.downloadNewConfig()
        server.name(field)
        #expect(try await config.downloadNewConfig().outcome == .notModified)
        #expect(config.currentConfiguration.templateVersion == 12)
        #expect(store.ownConfiguration(forUserID: "1")?.templateVersion == 12)
    }

    @Test(arguments: [ActivationPolicy.manual, .nextLaunch])
    func aDocumentThatWaitsTakesItOver(activation: ActivationPolicy) async throws {
        let folder = TemporaryFolder()
        let store = FileDefaultsStore(directory: folder.url)
        var own = try ConfigurationState(jsonData: Data(Self.document(11, title: "Own").utf8))
        own.entityTag = "W/\"own\""
        try store.persistConfiguration(own, forUserID: "1")
        let server = try Server("12")
        defer { server.loopback.stop() }
        let config = try server.config(store, activation: activation)
        try await config.downloadNewConfig()
        server.name("13")
        let result = try await config.downloadNewConfig()
        #expect(result.outcome == .notModified)
        #expect(!result.configurationIsCurrent)
        // Another document is active.
        #expect(config.currentConfiguration.templateVersion == 11)
        #expect(try store.pendingConfiguration(forUserID: "1")?.templateVersion == 13)
        #expect(config.snapshot.pending?.document.templateVersion == 13)
        #expect(await config.activate().count == 1)
        #expect(config.currentConfiguration.templateVersion == 13)
        #expect(store.ownConfiguration(forUserID: "1")?.templateVersion == 13)
        // The document that is now active takes over the next version, too.
        server.name("14")
        let outcome = try await config.fetchAndActivate()
        #expect(outcome.outcome == .notModified)
        #expect(outcome.changedSectionNames == [])
        #expect(config.currentConfiguration.templateVersion == 14)
        #expect(store.ownConfiguration(forUserID: "1")?.templateVersion == 14)
        #expect(try store.pendingConfiguration(forUserID: "1") == nil)
    }

    @Test func aUserBesideTheCurrentOneTakesItOver() async throws {
        let server = try Server("12")
        defer { server.loopback.stop() }
        let store = InMemoryStore()
        let user = try server.config(store).configuration(forUserID: "2")
        try await user.download()
        server.name("13")
        #expect(try await user.download().outcome == .notModified)
        #expect(user.currentConfiguration.templateVersion == 13)
        #expect(store.ownConfiguration(forUserID: "2")?.templateVersion == 13)
        #expect(store.ownConfiguration(forUserID: "1") == nil)
    }

    @Test func aFallbackTakesNothingOver() async throws {
        let server = try Server("12")
        defer { server.loopback.stop() }
        let store = InMemoryStore()
        var generic = try ConfigurationState(jsonData: Data(Self.document(5).utf8))
        generic.entityTag = Self.tag
        store.persistConfiguration(generic, forUserID: nil)
        let config = try server.config(store)
        #expect(config.currentConfiguration.templateVersion == 5)
        try await config.downloadNewConfig()
        #expect(server.loopback.requests.first?.headers["if-none-match"] == nil)
        #expect(store.ownConfiguration(forUserID: nil)?.templateVersion == 5)
    }

    @Test func itIsAcknowledgedOnce() async throws {
        let server = try Server("12")
        defer { server.loopback.stop() }
        let config = try server.config(InMemoryStore())
        let sent = Locked<[SettingValue]>([])
        let acknowledger = ConfigurationAcknowledger(
            config, backend: ActiveConfigBackend(url: try server.loopback.url("/")),
            maximumDelay: .zero, clock: ContinuousClock(), random: { 0 },
            send: { request in
                let body = try SettingValue(jsonData: request.httpBody ?? Data())
                sent.withLock { $0.append(body) }
                let answer = HTTPURLResponse(
                    url: try server.loopback.url("/"), statusCode: 204, httpVersion: nil,
                    headerFields: nil)
                return (Data(), try #require(answer))
            })
        for version in ["12", "13", "13", "14"] {
            server.name(version)
            try await config.downloadNewConfig()
            await acknowledger.drain()
            await acknowledger.waitForAnswers()
        }
        let expected: [SettingValue] = [12, 13, 14].map { version in
            ["template_version": .integer(version), "etag": .string(Self.tag)]
        }
        #expect(sent.withLock { $0 } == expected)
    }

    /// A long poll that times out after a publish that did not change the document.
    @Test func aLongPollTakesItOver() async throws {
        let first = ConfigurationState.make(
            meta: ["template_version": 12], sections: ["Home": ["title": "Hello"]],
            entityTag: Self.tag)
        let answered = Locked(0)
        let source = PreparedSource { userID in
            PreparedConnection(userID) { known in
                let number = answered.withLock { count in
                    count += 1
                    return count
                }
                guard number > 1, var confirmation = known else { return DocumentAnswer(first) }
                confirmation.confirmedVersion = 13
                return DocumentAnswer(number == 2 ? confirmation : nil, hasWaited: true)
            } opening: { _ in
                throw NoEventStreamError("a proxy holds it back")
            }
        }
        let store = InMemoryStore()
        let config = ActiveConfig.make(store: store)
        config.currentUserID = "1"
        let clock = ManualClock()
        let updater = ActiveConfigUpdater.make(config, source: source, clock: clock)
        let time = Task {
            while !Task.isCancelled {
                try await clock.waitForSleepers()
                clock.advance(by: .milliseconds(100))
            }
        }
        defer { time.cancel() }
        let signals = config.makeSignals()
        let run = Task { await updater.run() }
        for await _ in signals where config.currentConfiguration.templateVersion == 13 { break }
        run.cancel()
        await run.value
        #expect(store.ownConfiguration(forUserID: "1")?.templateVersion == 13)
        #expect(config["Home"]?.string(forKey: "title") == "Hello")
    }

    /// An answer about a document that a newer one has replaced in the meantime.
    @Test func whatWasPushedMeanwhileStays() async throws {
        let first = ConfigurationState.make(
            meta: ["template_version": 12], sections: ["Home": ["title": "Hello"]],
            entityTag: Self.tag)
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { request in
                request.number == 1 ? .configuration(first) : .held
            })
        fixture.config.currentUserID = "1"
        try await fixture.config.downloadNewConfig()
        let download = Task { try await fixture.config.downloadNewConfig() as DownloadResult }
        try await fixture.downloader.waitForRequests(2)
        let pushed = ConfigurationState.make(
            meta: ["template_version": 13], sections: ["Home": ["title": "Pushed"]],
            entityTag: "W/\"b\"")
        _ = await fixture.config.downloads.push(to: UserID("1")) { _ in .apply(pushed) }
        var confirmation = first
        confirmation.confirmedVersion = 14
        fixture.downloader.answer(2, with: .configuration(confirmation))
        #expect(try await download.value.outcome == .notModified)
        #expect(fixture.config.currentConfiguration == pushed)
    }
}
