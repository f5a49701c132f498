import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Documents that an app receives by other means than its downloader.
struct ReceivedDocumentTests {
    private static func document(_ version: Int, title: String) -> ConfigurationState {
        var document = ConfigurationState.titled(["Home": title], entityTag: "\(version)")
        document.meta["template_version"] = .integer(version)
        return document
    }

    @Test(arguments: [String?.none, "1", "2"])
    func itIsStoredAndDelivered(userID: String?) async throws {
        let store = InMemoryStore()
        let fixture = CoordinatorFixture.make(store: store)
        fixture.config.currentUserID = "1"
        let user = fixture.config.configuration(forUserID: userID)
        let token = user.observe(sectionNamed: "Home") { _ in }
        let result = try await user.receive(Self.document(2, title: "new"))
        #expect(result.outcome == .downloaded && result.changedSectionNames == ["Home"])
        #expect(user["Home"]?.string(forKey: "title") == "new")
        #expect(store.ownConfiguration(forUserID: userID)?.templateVersion == 2)
        #expect(fixture.downloader.requests.isEmpty)
        token.cancel()
    }

    @Test func anOlderOneChangesNothing() async throws {
        let fixture = CoordinatorFixture.make()
        let user = fixture.config.configuration(forUserID: "1")
        try await user.receive(Self.document(3, title: "newest"))
        let result = try await user.receive(Self.document(2, title: "old"))
        #expect(result.outcome == .notModified && result.changedSectionNames.isEmpty)
        #expect(user["Home"]?.string(forKey: "title") == "newest")
    }

    @Test func itWaitsWhereThePolicyHasIt() async throws {
        var options = ActiveConfigOptions()
        options.activationPolicy = .manual
        let fixture = CoordinatorFixture.make(options: options)
        let user = fixture.config.configuration(forUserID: "1")
        let result = try await user.receive(Self.document(2, title: "new"))
        #expect(!result.configurationIsCurrent && user["Home"] == nil)
        #expect(await user.activate().map(\.sectionName) == ["Home"])
        #expect(user["Home"]?.string(forKey: "title") == "new")
    }

    @Test func oneWithoutSectionsIsRefused() async throws {
        let fixture = CoordinatorFixture.make()
        let user = fixture.config.configuration(forUserID: "1")
        try await user.receive(Self.document(2, title: "good"))
        await #expect(throws: ConfigurationFormatError.self) {
            try await user.receive(ConfigurationState())
        }
        #expect(user["Home"]?.string(forKey: "title") == "good")
    }

    /// Accepts only documents that come with their bytes.
    private struct OriginalsOnly: ConfigurationVetting {
        struct NoOriginal: Error {}

        var needsOriginal: Bool { true }

        func vet(_ candidate: ConfigurationCandidate) -> VettingVerdict {
            candidate.document.original?.body != nil
                ? .accept
                : .refuse(ConfigurationRefusal("no original", underlyingError: NoOriginal()))
        }
    }

    @Test func itsOriginalIsVetted() async throws {
        var options = ActiveConfigOptions()
        options.vetting = [OriginalsOnly()]
        let fixture = CoordinatorFixture.make(options: options)
        let user = fixture.config.configuration(forUserID: "1")
        await #expect(throws: OriginalsOnly.NoOriginal.self) {
            try await user.receive(Self.document(2, title: "bare"))
        }
        var whole = Self.document(3, title: "whole")
        whole.original = OriginalDocument(
            body: whole.jsonData(), headerFields: [:], entityTag: whole.entityTag)
        try await user.receive(whole)
        #expect(user["Home"]?.string(forKey: "title") == "whole")
    }

    /// No server was asked, so its Retry-After still applies.
    @Test func itDoesNotChangeTheServersState() async throws {
        let policy = FetchPolicy(minimumInterval: .zero)
        var options = ActiveConfigOptions()
        options.fetchPolicy = policy
        let answers = ScriptedDownloader { request in
            request.number == 1
                ? .configuration(Self.document(1, title: "first"))
                : .failure(DownloadError(.httpStatus, status: 503, retryAfter: .seconds(600)))
        }
        let fixture = CoordinatorFixture.make(answers, options: options)
        let user = fixture.config.configuration(forUserID: nil)
        for _ in 1...3 {
            await #expect(throws: ConfigurationFormatError.self) {
                try await user.receive(ConfigurationState())
            }
        }
        try await fixture.config.downloadNewConfig()
        await #expect(throws: DownloadError.self) { try await fixture.config.downloadNewConfig() }
        try await user.receive(Self.document(2, title: "received"))
        await #expect(throws: DownloadError.self) { try await fixture.config.downloadNewConfig() }
        #expect(answers.requests.count == 2, "the server's Retry-After still applies")
    }

    /// A store with only the required members, which cannot tell whether a document is the user's
    /// own.
    private final class OwnStore: ActiveConfigStore {
        private let kept = InMemoryStore()

        func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
            kept.lastKnownActiveConfiguration(forUserID: userID)
        }

        func persistConfiguration(
            _ configuration: ConfigurationState?, forUserID userID: String?
        ) throws {
            kept.persistConfiguration(configuration, forUserID: userID)
        }
    }

    @Test func anOlderOneChangesNothingInAStoreOfTheAppsOwn() async throws {
        let fixture = CoordinatorFixture.make(store: OwnStore())
        let user = fixture.config.configuration(forUserID: "1")
        try await user.receive(Self.document(3, title: "newest"))
        let result = try await user.receive(Self.document(2, title: "old"))
        #expect(result.outcome == .notModified)
        #expect(user["Home"]?.string(forKey: "title") == "newest")
    }

    /// The document arrived before the user was forgotten, and had to wait, for example for a
    /// running download.
    @Test func itBringsNoForgottenUserBack() async throws {
        let store = InMemoryStore()
        let fixture = CoordinatorFixture.make(store: store)
        let user = fixture.config.configuration(forUserID: "1")
        await user.load()
        let entry = fixture.config.users.table.entry(of: UserID("1"), isKept: false)
        let late = ReceivedDocument(
            document: Self.document(2, title: "late"), epoch: entry.documents.epoch)
        try await fixture.config.forgetUser("1")
        await #expect(throws: CancellationError.self) {
            try await fixture.config.downloads.download(of: UserID("1"), by: late)
        }
        #expect(store.ownConfiguration(forUserID: "1") == nil && user["Home"] == nil)
        try await user.receive(Self.document(2, title: "new"))
        #expect(user["Home"]?.string(forKey: "title") == "new")
    }
}
