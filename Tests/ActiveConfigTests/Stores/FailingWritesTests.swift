import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// The rule of ``ActiveConfigStore`` for writes that fail.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct FailingWritesTests {
    /// Reads, and fails each write.
    private struct ReadOnlyStore: ActiveConfigStore {
        struct Failure: Error {}

        let base = InMemoryStore()

        func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
            base.lastKnownActiveConfiguration(forUserID: userID)
        }

        func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
            base.ownConfiguration(forUserID: userID)
        }

        func persistConfiguration(
            _ configuration: ConfigurationState?, forUserID userID: String?
        ) throws { throw Failure() }

        func record(_ record: StoreRecord) throws -> Data? { base.record(record) }

        func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) throws {
            throw Failure()
        }
    }

    private let log = RecordingLog()

    private func config(
        _ policy: ActivationPolicy = .immediate, _ fetchPolicy: FetchPolicy = .always
    ) -> (ActiveConfig, ScriptedDownloader) {
        let downloader = ScriptedDownloader { call in
            .configuration(.titled(["Home": "\(call.number)"]))
        }
        let options = ActiveConfigOptions(fetchPolicy: fetchPolicy, activationPolicy: policy)
        return (
            .make(downloader: downloader, store: ReadOnlyStore(), options: options, log: log.log),
            downloader
        )
    }

    private func messages() -> Int { log.messages.count { $0.text.contains("Failure") } }

    @Test func aDownloadedDocumentIsActive() async throws {
        let (config, _) = config()
        #expect(try await config.downloadNewConfig().isActive)
        #expect(config["Home"]?.title == "1")
        #expect(messages() > 0)
    }

    @Test func anActivatedDocumentIsActive() async throws {
        let (config, _) = config(.manual)
        try await config.downloadNewConfig()
        #expect(config["Home"]?.title == nil)
        let before = messages()
        #expect(await config.activate().map(\.sectionName) == ["Home"])
        #expect(config["Home"]?.title == "1")
        #expect(messages() > before)
    }

    @Test func aMarkLetsTheNextDownloadAsk() async throws {
        let (config, downloader) = config(.immediate, .minimumInterval(.seconds(3_600)))
        try await config.downloadNewConfig()
        try await config.downloadNewConfig()
        #expect(downloader.requests.count == 1)
        let before = messages()
        await config.markStale()
        #expect(messages() > before)
        try await config.downloadNewConfig()
        #expect(downloader.requests.count == 2)
    }

    /// The next launch has the older document, and asks for the newer one.
    @Test(arguments: [false, true])
    func anUnstoredDocumentStartsNoIntervalOfTheNextLaunch(isPushed: Bool) async throws {
        let store = FailingStore([.persistConfiguration])
        store.base.persistConfiguration(.versioned(1), forUserID: nil)
        let fixture = UpdatesFixture(store, fetchPolicy: .make(minimumInterval: .seconds(3_600)))
        let launch = fixture.launch(
            ScriptedDownloader { request in
                request.lastKnown?.templateVersion == 2 ? .unchanged : .configuration(.versioned(2))
            }
        ).config
        if isPushed {
            _ = await launch.downloads.push(to: .generic) { _ in .apply(.versioned(2)) }
        } else {
            try await launch.downloadNewConfig()
        }
        #expect(launch["Home"]?.title == "2")
        #expect(try await launch.downloadNewConfig().outcome == .withinInterval)
        let next = fixture.launch(ScriptedDownloader(.configuration(.versioned(2)))).config
        #expect(next["Home"]?.title == "1")
        #expect(try await next.downloadNewConfig().outcome == .downloaded)
        // The confirmed document is stored by another attempt.
        store.fail([])
        fixture.time.advance(by: 60)
        try await launch.downloadNewConfig(ignoringInterval: true)
        let last = fixture.launch().config
        #expect(last["Home"]?.title == "2")
        #expect(try await last.downloadNewConfig().outcome == .withinInterval)
    }

    @Test func customSignalsAreSet() async throws {
        let signals = ClientSignals(
            platform: { PlatformSignals() }, store: ReadOnlyStore(), log: log.log)
        try await signals.setCustomSignals(["plan": "pro"])
        #expect(signals.custom == ["plan": "pro"])
        #expect(messages() == 1)
        await signals.removeAllCustomSignals()
        #expect(signals.custom.isEmpty)
        #expect(messages() == 2)
    }

    @Test func aUserWhoCannotBeForgottenStays() async throws {
        let (config, _) = config()
        config.currentUserID = "1"
        try await config.downloadNewConfig()
        await #expect(throws: ReadOnlyStore.Failure.self) { try await config.forgetUser("1") }
        await #expect(throws: ReadOnlyStore.Failure.self) { try await config.forgetGenericUser() }
        #expect(config["Home"]?.title == "1")
    }

    /// A full disk: files can be removed, but no record replaced.
    @Test func aUserWhomARecordStillNamesIsNotForgotten() async throws {
        let store = FailingStore([])
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(.titled(["Home": "1"]))), store: store)
        config.currentUserID = "person-1"
        try await config.downloadNewConfig()
        func isNamed() throws -> Bool {
            let data = try #require(store.base.clientState(named: "downloads"))
            return String(decoding: data, as: UTF8.self).contains("person-1")
        }
        #expect(try isNamed())
        store.fail([.updateClientState])
        for _ in 1...2 {
            await #expect(throws: FailingStore.Failure.self) {
                try await config.forgetUser("person-1")
            }
            #expect(config["Home"] == nil && config.status.lastDownload == nil, "in memory")
            #expect(try isNamed())
        }
        store.fail([])
        try await config.forgetUser("person-1")
        #expect(try !isNamed())
    }

    /// The error of a refusal, as the doc comment of the download has it.
    @Test(arguments: [false, true])
    func aRefusedDocumentThrowsTheRefusalOrItsError(hasError: Bool) async throws {
        struct Refusing: ConfigurationVetting {
            let error: (any Error)?

            func vet(_ candidate: ConfigurationCandidate) -> VettingVerdict {
                .refuse(ConfigurationRefusal("It is refused.", underlyingError: error))
            }
        }

        var options = ActiveConfigOptions()
        options.vetting = [Refusing(error: hasError ? ReadOnlyStore.Failure() : nil)]
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(.titled(["Home": "x"]))),
            options: options)
        do {
            try await config.downloadNewConfig()
            Issue.record("Nothing is thrown.")
        } catch {
            #expect(hasError ? error is ReadOnlyStore.Failure : error is ConfigurationRefusal)
        }
    }
}
