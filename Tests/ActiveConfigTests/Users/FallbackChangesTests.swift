import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// A change of the generic user's document reaches everything that reads it as a fallback.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct FallbackChangesTests {
    /// The way in which the generic user's document changes.
    enum Arrival: CaseIterable, Sendable {
        case download, push, reload, activation, forgetting
    }

    private static func document(_ title: String, version: Int) -> ConfigurationState {
        .make(
            meta: ["template_version": .integer(version)],
            sections: ["Home": ["title": .string(title)]],
            entityTag: "\"\(version)\"")
    }

    private static func launch(
        _ arrival: Arrival, _ store: any ActiveConfigStore
    ) -> CoordinatorFixture {
        var options = ActiveConfigOptions()
        if arrival == .activation { options.activationPolicy = .manual }
        return .make(
            ScriptedDownloader { _ in .configuration(document("2", version: 2)) }, store: store,
            options: options)
    }

    private func take(
        _ arrival: Arrival, in config: ActiveConfig, _ store: InMemoryStore
    ) async throws {
        switch arrival {
        case .download: try await config.configuration(forUserID: nil).download()
        case .push:
            _ = await config.downloads.push(to: .generic) { _ in
                .apply(Self.document("2", version: 2))
            }
        case .reload:
            store.persistConfiguration(Self.document("2", version: 2), forUserID: nil)
            await config.reload()
        case .activation:
            let generic = config.configuration(forUserID: nil)
            try await generic.download()
            await generic.activate()
        case .forgetting: try await config.forgetGenericUser()
        }
    }

    /// The same order as for a download of the current user: sections, first, update.
    @Test func theDownloadIsPostedBehindTheSections() async throws {
        let store = InMemoryStore()
        store.persistConfiguration(Self.document("1", version: 1), forUserID: nil)
        let fixture = Self.launch(.download, store)
        fixture.config.currentUserID = "b"
        fixture.drain()
        let recorder = NotificationRecorder(of: fixture.config, in: fixture.center)
        try await fixture.config.configuration(forUserID: nil).download()
        fixture.drain()
        #expect(
            recorder.names == [
                ActiveConfig.sectionDidChangeNotification,
                ActiveConfig.firstDownloadFinishedNotification,
                ActiveConfig.downloadUpdateFinishedNotification,
            ])
    }

    @Test(arguments: Arrival.allCases)
    func itReachesListenersSequencesAndHandles(arrival: Arrival) async throws {
        let store = InMemoryStore(bootstrap: .state(Self.document("2", version: 2)))
        store.persistConfiguration(Self.document("1", version: 1), forUserID: nil)
        store.persistConfiguration(Self.document("own", version: 1), forUserID: "own")
        let fixture = Self.launch(arrival, store)
        let config = fixture.config
        config.currentUserID = "b"
        let current = fixture.listener()
        let (handle, own) = (
            config.configuration(forUserID: "c"), config.configuration(forUserID: "own")
        )
        let heard = Locked<[String?]>([])
        let tokens = [handle, own].map { user in
            user.observe(sectionNamed: "Home") { section in
                heard.withLock { $0.append(section?.title) }
            }
        }
        var changes = config.changes(inSection: "Home").makeAsyncIterator()
        #expect(await changes.next()?.new?.title == "1")
        try await take(arrival, in: config, store)
        #expect(config[.title] == "2")
        #expect(config["Home"]?.title == "2" && handle["Home"]?.title == "2")
        #expect(own["Home"]?.title == "own")
        #expect(await changes.next()?.new?.title == "2")
        fixture.drain()
        #expect(current.deliveries.map(\.section?.title) == ["1", "2"])
        #expect(heard.withLock { $0 } == ["1", "own", "2"])
        #expect(config.currentConfiguration.entityTag == nil, "a fallback has no entity tag")
        for token in tokens { token.cancel() }
    }

    @Test func itsAgeIsThatOfTheActiveDocument() async throws {
        let fixture = UpdatesFixture()
        let launch = fixture.launch(
            ScriptedDownloader { .configuration(Self.document("\($0.number)", version: $0.number)) }
        )
        launch.config.currentUserID = "b"
        try await launch.config.configuration(forUserID: nil).download()
        fixture.time.advance(by: 60)
        #expect(launch.config.age == .seconds(60))
        try await launch.config.configuration(forUserID: nil).download()
        #expect(launch.config.age == .zero)
        #expect(launch.config.diagnostics.source(of: .title) == .genericUser)
        #expect(launch.config[.title] == "2")
    }

    /// Active sections of the user's own pending document take precedence over the fallback.
    @Test func theSectionsOfTheUsersOwnDocumentStay() async throws {
        var options = ActiveConfigOptions()
        options.activationPolicy = .manual(except: ["Kill"])
        let store = InMemoryStore()
        store.persistConfiguration(.titled(["Home": "1", "Kill": "off"]), forUserID: nil)
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(
                .configuration(.titled(["Home": "own", "Kill": "on"], entityTag: "t"))),
            store: store, options: options)
        fixture.config.currentUserID = "b"
        try await fixture.config.downloadNewConfig()
        store.persistConfiguration(.titled(["Home": "2", "Kill": "off"]), forUserID: nil)
        await fixture.config.reload()
        #expect(fixture.config["Home"]?.title == "2")
        #expect(fixture.config["Kill"]?.title == "on")
        #expect(await fixture.config.activate().map(\.sectionName) == ["Home"])
    }

    /// An app's own store may implement the fallback itself, without reporting it.
    @Test func itReachesTheUsersOfAStoreThatFallsBackByItself() async throws {
        let store = ObservedStore()
        try store.persistConfiguration(Self.document("1", version: 1), forUserID: nil)
        let fixture = Self.launch(.download, store)
        fixture.config.currentUserID = "b"
        let handle = fixture.config.configuration(forUserID: "c")
        #expect(fixture.config[.title] == "1" && handle[.title] == "1")
        try await fixture.config.configuration(forUserID: nil).download()
        #expect(fixture.config[.title] == "2" && handle[.title] == "2")
    }

    /// The current user and a handle to the same user read a fallback that changes continuously.
    @Test func theCurrentUserAndItsHandleReadTheSame() async throws {
        let fixture = Self.launch(.push, InMemoryStore())
        let config = fixture.config
        config.currentUserID = "b"
        let handle = config.configuration(forUserID: "b")
        let heard = Locked<[Int]>([])
        let token = handle.observe(sectionNamed: "Home") { section in
            heard.withLock { $0.append(Int(section?.title ?? "0") ?? 0) }
        }
        for version in 1...100 {
            _ = await config.downloads.push(to: .generic) { _ in
                .apply(Self.document("\(version)", version: version))
            }
            #expect(config[.title] == "\(version)" && handle[.title] == "\(version)")
        }
        fixture.drain()
        #expect(heard.withLock { $0 } == Array(1...100))
        token.cancel()
    }
}
