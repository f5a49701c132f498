import ActiveConfigTesting
import Testing

@testable import ActiveConfig

/// Notifications about documents that a vetting does not accept.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RefusalObserverTests {
    enum Way: String, CaseIterable {
        case downloaded, received, pushed, stored
    }

    private static func document(_ version: Int, _ title: String) -> ConfigurationState {
        .make(
            meta: ["template_version": .integer(version)],
            sections: ["Home": ["title": .string(title)]], entityTag: "\"\(version)\"")
    }

    private static let bad = document(2, "Bad")

    private func config(
        isIgnored: Bool, store: any ActiveConfigStore = InMemoryStore(),
        log: ActiveConfigLog = .disabled
    ) -> ActiveConfig {
        var options = ActiveConfigOptions()
        options.vetting = [VettingRule.withoutBad(isIgnored: isIgnored)]
        return .make(
            downloader: ScriptedDownloader { _ in .configuration(Self.bad) }, store: store,
            options: options, log: log)
    }

    /// Each document is reported once, however often it arrives, and also to an observer that is
    /// added later.
    @Test(arguments: [true, false], Way.allCases)
    func aDocumentThatIsNotAcceptedIsReportedOnce(isIgnored: Bool, way: Way) async throws {
        let store = InMemoryStore()
        store.persistConfiguration(
            way == .stored ? Self.bad : Self.document(1, "1"), forUserID: nil)
        let config = config(isIgnored: isIgnored, store: store)
        let recorder = RefusalRecorder(config)
        for _ in 1...3 {
            switch way {
            case .downloaded: _ = try? await config.downloadNewConfig()
            case .received: _ = try? await config.configuration(forUserID: nil).receive(Self.bad)
            case .pushed: _ = await config.downloads.push(to: .generic) { _ in .apply(Self.bad) }
            case .stored: await config.reload()
            }
        }
        let expected = ["2 for \(way == .stored ? 0 : 1): It is bad."]
        #expect(recorder.refusals == expected)
        #expect(RefusalRecorder(config).refusals == expected)
        #expect(config["Home"]?.title == (way == .stored ? nil : "1"))
    }

    /// A pending document and the user's own document, which are read alternately.
    @Test func eachOfSeveralStoredDocumentsIsReportedOnce() async throws {
        let store = InMemoryStore()
        store.persistConfiguration(Self.bad, forUserID: nil)
        store.persistPendingConfiguration(Self.document(3, "Bad"), forUserID: nil)
        var options = ActiveConfigOptions()
        options.activationPolicy = .manual
        options.vetting = [VettingRule.withoutBad(isIgnored: false)]
        let log = RecordingLog()
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader { _ in .unchanged }, store: store, options: options,
            log: log.log)
        let recorder = RefusalRecorder(config)
        for _ in 1...3 { try await config.downloadNewConfig() }
        #expect(recorder.refusals.sorted() == [2, 3].map { "\($0) for 0: It is bad." })
        #expect(log.messages(ofLevel: .warning).count { $0.contains("It is bad") } == 2)
    }

    @Test func aRefusalIsReportedAgainAfterForgetting() async throws {
        let config = config(isIgnored: true)
        try await config.downloadNewConfig()
        try await config.forgetGenericUser()
        let recorder = RefusalRecorder(config)
        #expect(recorder.refusals.isEmpty)
        try await config.downloadNewConfig()
        #expect(recorder.refusals == ["2 for 0: It is bad."])
    }
}
