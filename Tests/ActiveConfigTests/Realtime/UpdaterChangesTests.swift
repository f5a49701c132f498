import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

/// Section names in updates and in the log, for the current user and for others.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UpdaterChangesTests {
    private static let three: [String: ActiveConfigSection] = [
        "Home": ["title": "a"], "Other": ["title": "a"], "Third": ["title": "a"],
    ]

    private static func document(_ version: Int, of titles: [String: String]) -> ConfigurationState
    {
        .titled(titles, entityTag: "\"\(version)\"")
    }

    private static let first = document(1, of: ["Home": "a", "Other": "a", "Third": "a"])
    private static let second = document(2, of: ["Home": "b", "Other": "a", "Third": "a"])

    /// A user of a service is not the current user, and has a handle or not.
    @Test(arguments: [false, true], [false, true])
    func anUpdateNamesTheSectionsThatChangedForItsUser(
        isCurrent: Bool, hasHandle: Bool
    ) async throws {
        let fixture = UpdaterFixture.make(
            ScriptedBackend(sections: Self.three), userID: isCurrent ? "u1" : nil,
            users: .fixed(["u1"]))
        let handle = hasHandle ? fixture.config.configuration(forUserID: "u1") : nil
        await handle?.load()
        var updates = fixture.updater.updates.makeAsyncIterator()
        func next() async -> AppliedUpdate? {
            while let update = await updates.next() {
                if case .applied(let applied) = update { return applied }
            }
            return nil
        }
        try await fixture.run {
            let first = await next()
            #expect(first?.changedSectionNames == ["Home", "Other", "Third"])
            try await fixture.waitForState(of: "u1") { $0.isLive }
            fixture.backend.publish(["Home": ["title": "b"], "Other": ["title": "a"]])
            let second = await next()
            #expect(second?.changedSectionNames == ["Home", "Third"])
            #expect(second?.templateVersion == 2)
        }
        #expect(handle?["Third"] == nil)
    }

    /// With `.manual`, as after a move from Firebase, nothing is applied until `activate()`.
    @Test(arguments: [[String: ActivationPolicy.Moment](), ["Other": .immediate]])
    func aPendingDocumentIsAnEventOfItsOwn(
        moments: [String: ActivationPolicy.Moment]
    ) async throws {
        let backend = ScriptedBackend(sections: Self.three)
        var options = ActiveConfigOptions()
        options.activationPolicy = ActivationPolicy(.manual, sections: moments)
        let store = InMemoryStore()
        store.persistConfiguration(Self.first, forUserID: "u1")
        let config = ActiveConfig.make(store: store, options: options)
        config.currentUserID = "u1"
        let updater = ActiveConfigUpdater.make(config, source: backend, clock: backend.clock)
        updater.start()
        defer { updater.stop() }
        try await backend.waitForStreams(1)
        for await update in updater.updates {
            if case .state(.live, _) = update { break }
        }
        var updates = updater.updates.makeAsyncIterator()
        backend.publish(["Home": ["title": "b"], "Other": ["title": "b"], "Third": ["title": "a"]])
        var received: [ActiveConfigUpdate] = []
        while received.last.map({ if case .pending = $0 { false } else { true } }) ?? true {
            guard let update = await updates.next() else { break }
            if case .state = update { continue }
            received.append(update)
        }
        let applied = AppliedUpdate(
            userID: "u1", templateVersion: 2, changedSectionNames: ["Other"])
        let pending = PendingUpdate(
            userID: "u1", templateVersion: 2,
            sectionNames: moments.isEmpty ? ["Home", "Other"] : ["Home"])
        #expect(received == (moments.isEmpty ? [] : [.applied(applied)]) + [.pending(pending)])
        #expect(config["Home"]?.title == "a")
        await config.activate()
        #expect(config["Home"]?.title == "b")
    }

    @Test func whatTheFallbackHasIsNoChange() async throws {
        let backend = ScriptedBackend(sections: Self.three)
        let config = ActiveConfig.make(
            configuration: .titled(["Home": "a", "Other": "a", "Third": "old"]))
        let updater = ActiveConfigUpdater.make(
            config, source: backend, users: .fixed(["u1"]), clock: backend.clock)
        updater.start()
        defer { updater.stop() }
        for await update in updater.updates {
            guard case .applied(let applied) = update else { continue }
            #expect(applied.changedSectionNames == ["Third"])
            break
        }
    }

    /// Outcomes of downloads, as logged.
    private func outcomes(_ fixture: CoordinatorFixture) -> [String] {
        fixture.log.messages(ofLevel: .info).filter { $0.hasPrefix("Downloaded") }
            .compactMap { $0.split(separator: ": ").last.map(String.init) }
    }

    @Test(arguments: [nil, "u1"])
    func theLogCountsTheSectionsOfWhomeverIsDownloaded(userID: String?) async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(
                .configuration(Self.first), .configuration(Self.second), .unchanged))
        for _ in 0..<3 { try await fixture.config.downloads.download(of: UserID(userID)) }
        #expect(
            outcomes(fixture) == ["3 sections changed.", "1 section changed.", "nothing new."])
    }

    @Test(arguments: [nil, "u1"])
    func theLogSaysHowMuchWaitsForItsActivation(userID: String?) async throws {
        let store = InMemoryStore()
        let fixture = UpdatesFixture(store, activation: .manual).launch(
            ScriptedDownloader(
                .configuration(Self.first), .configuration(Self.second), .unchanged))
        store.persistConfiguration(
            .titled(["Home": "a", "Other": "0", "Third": "0"]), forUserID: userID)
        for _ in 0..<2 {
            let result = try await fixture.config.downloads.download(of: UserID(userID))
            // The active document has not changed.
            #expect(result.changedSectionNames == [])
        }
        #expect(
            outcomes(fixture) == [
                "2 sections wait for their activation.", "3 sections wait for their activation.",
            ])
    }

    /// The result refers to the current user's active document, as for a download whose user has
    /// been replaced.
    @Test func aDownloadOfAnotherUserChangesNothingOfTheApps() async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader(.configuration(Self.first)))
        let result = try await fixture.config.downloads.download(of: UserID("u1"))
        #expect(
            result == DownloadResult(userID: "u1", configurationIsCurrent: false, isActive: true))
    }
}
