import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Documents that replace a version which the server's store never made (PROTOCOL 1).
struct ReplacedVersionTests {
    private func document(_ version: Int, replacing replaced: Int) -> ConfigurationState {
        var document = ConfigurationState.versioned(version)
        document.replacedVersion = replaced
        return document
    }

    @Test func aReplacingDocumentIsLaterThanWhatItReplaces() {
        let new = document(3, replacing: 8)
        for version in [4, 7, 8] {
            #expect(new.isLater(than: .versioned(version)))
            #expect(!ConfigurationState.versioned(version).isLater(than: new))
        }
        #expect(ConfigurationState.versioned(9).isLater(than: new))
        #expect(!new.isLater(than: .versioned(9)))
        #expect(!new.isLater(than: .versioned(3)))
        #expect(document(4, replacing: 8).isLater(than: new))
        #expect(!new.isLater(than: document(4, replacing: 8)))
    }

    @Test(arguments: [("8", 8), ("7", nil), ("9", nil), (nil, nil), ("+8", nil)])
    func onlyAnEchoOfTheRequestReplaces(echo: String?, replaced: Int?) throws {
        let url = try #require(URL(string: "http://127.0.0.1/activeconfig"))
        let known = ConfigurationState.versioned(8)
        let request = try DocumentRequest(
            URLRequest(url: url), .init(nil, signals: nil, lastKnown: known), lastKnown: known,
            reportedURL: nil)
        var fields = ["ETag": "\"3\""]
        fields["ActiveConfig-Unknown-Version"] = echo
        let head = try #require(
            HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil, headerFields: fields))
        let answer = try #require(
            try request.configuration(
                ConfigurationState.versioned(3).jsonData(), of: head, limits: .default))
        #expect(answer.replacedVersion == replaced)
    }

    /// The next launch activates a pending document of a lower version, and its successor too.
    @Test func aPendingReplacementSurvivesALaunch() throws {
        let store = InMemoryStore()
        let first = document(3, replacing: 8)
        for waiting in [first, ConfigurationState.versioned(4).succeeding(first)] {
            store.persistPendingConfiguration(waiting, forUserID: "1")
            let stored = try #require(store.pendingConfiguration(forUserID: "1"))
            #expect(stored.replacedVersion == 8)
            var user = SimulatedUser(policy: .nextLaunch)
            user.handle(
                .loaded(
                    .init(
                        own: KnownConfiguration(.versioned(8), source: .stored, isOwn: true),
                        pending: stored)))
            #expect(user.documents.active?.configuration.templateVersion == waiting.templateVersion)
            #expect(user.documents.active?.configuration.replacedVersion == nil)
        }
    }

    /// Ways to download, each with a result of its own.
    enum Way: CaseIterable, Sendable {
        case download, fetchAndActivate, handle, handleWithActivation

        func download(with config: ActiveConfig) async throws -> DownloadResult {
            let user = config.configuration(forUserID: "1")
            return switch self {
            case .download: try await config.downloadNewConfig()
            case .fetchAndActivate: try await config.fetchAndActivate()
            case .handle: try await user.download()
            case .handleWithActivation: try await user.fetchAndActivate()
            }
        }
    }

    @Test(arguments: Way.allCases)
    func theResultHasTheReplacedVersion(way: Way) async throws {
        let downloader = ScriptedDownloader(
            .configuration(.versioned(8)), .configuration(document(3, replacing: 8)))
        let config = CoordinatorFixture.make(downloader).config
        config.currentUserID = "1"
        #expect(try await way.download(with: config).replacedVersion == nil)
        #expect(try await way.download(with: config).replacedVersion == 8)
        #expect(config["Home"]?.title == "3")
    }

    /// The first read of a launch does not ask a store with an order of its own whose document it is.
    @Test(arguments: Way.allCases)
    func theFirstResultOfALaunchHasTheReplacedVersion(way: Way) async throws {
        let store = ObservedStore()
        try store.persistConfiguration(.versioned(8), forUserID: "1")
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(document(3, replacing: 8))), store: store)
        fixture.config.currentUserID = "1"
        #expect(try await way.download(with: fixture.config).replacedVersion == 8)
        #expect(fixture.config["Home"]?.title == "3")
        let warnings = fixture.log.messages(ofLevel: .warning)
        #expect(warnings.contains { $0.contains("lower than 8 here") })
    }

    /// A process that still has the replaced version takes over the lower one from the store.
    @Test func anotherProcessTakesTheReplacementOver() {
        var user = SimulatedUser(policy: .immediate)
        user.handle(.loaded(.init(own: .downloaded(.versioned(8)))))
        user.handle(.reloaded(.init(own: .downloaded(document(3, replacing: 8)))))
        #expect(user.documents.active?.configuration.templateVersion == 3)
        #expect(!user.documents.isSuperseded(document(3, replacing: 8), by: 7))
        #expect(user.documents.isSuperseded(document(3, replacing: 8), by: 9))
    }

    @Test func aLowerAnswerIsLoggedOncePerPair() {
        let entry = UserEntry(
            UserID("1"), policy: .immediate, listenerQueue: DispatchQueue(label: "listeners"))
        let isNew = [4, 4, 5, 4].map { entry.note(LowerAnswer(version: $0, known: 8)) }
        #expect(isNew == [true, false, true, true])
    }
}
