import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Documents that an app gets without its downloader.
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
        let token = user.listen(forSectionName: "Home") { _ in }
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
        options.activation = .manual
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

    /// Accepts only what comes with its bytes.
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
}
