import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Documents that become active because the app was launched again.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct NextLaunchTests {
    private static let document = ConfigurationState.make(
        meta: ["template_version": 7], sections: ["Home": ["title": "1"]], entityTag: "t1")

    @Test func aDocumentOfTheLaunchBeforeHasAnAgeAndIsReported() async throws {
        let fixture = UpdatesFixture(activation: .nextLaunch)
        try await fixture.launch(ScriptedDownloader(.configuration(Self.document)))
            .config.downloadNewConfig()
        fixture.time.advance(by: 60)
        let next = fixture.launch().config
        let versions = Locked<[Int]>([])
        let observation = next.addObserver(
            ClosureObserver { event in
                guard case .active = event.kind else { return }
                versions.withLock { $0.append(event.document?.templateVersion ?? 0) }
            })
        defer { observation.cancel() }
        #expect(next["Home"]?.title == "1")
        // Everything that the launch has activated is stored first.
        #expect(await next.activate().isEmpty)
        #expect(next.age == .seconds(60))
        #expect(versions.withLock { $0 } == [7])
    }

    /// The document that this launch has activated neither overwrites the newer one nor stays
    /// active forever.
    @Test func aDocumentThatAnotherProcessHasStoredSinceIsAskedAbout() async throws {
        let store = SteppedStore()
        let newer = ConfigurationState.titled(["Home": "3"], entityTag: "t3")
        store.base.persistPendingConfiguration(Self.document, forUserID: "A")
        store.afterNextPendingRead(of: "A") {
            store.base.persistConfiguration(newer, forUserID: "A")
            store.base.persistPendingConfiguration(nil, forUserID: "A")
        }
        let launch = UpdatesFixture(store, activation: .nextLaunch).launch(
            ScriptedDownloader(.unchanged))
        let user = launch.config.configuration(forUserID: "A")
        await user.load()
        #expect(user["Home"]?.title == "1")
        await user.activate()
        #expect(user["Home"]?.title == "1", "in this launch")
        try await user.download()
        #expect(launch.downloader.requests.map(\.lastKnown?.entityTag) == ["t3"])
        #expect(store.base.ownConfiguration(forUserID: "A") == newer)
    }
}
