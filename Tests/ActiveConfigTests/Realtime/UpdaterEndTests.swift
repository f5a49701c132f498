import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

/// States after unused answers, and clean-up when an updater ends.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UpdaterEndTests {
    private static let hello = "event: hello\nid: 1\ndata: {\"template_version\":1}\n\n"

    @Test(arguments: [
        (Duration.zero, Duration.seconds(15)), (.seconds(1e9), .seconds(24 * 60 * 60)),
    ])
    func theIntervalOfPollsIsBounded(interval: Duration, bounded: Duration) {
        var options = ActiveConfigUpdater.Options()
        options.pollInterval = interval
        #expect(options.clamped.pollInterval == bounded)
    }

    /// The first state that shows the outcome.
    private func outcome(_ updater: ActiveConfigUpdater) async throws -> ActiveConfigUpdateState {
        for await update in updater.updates {
            guard case .state(let state, _) = update, state != .stopped, state != .connecting
            else { continue }
            return state
        }
        throw CancellationError()
    }

    @Test func theEndOfARunIsTheEndOfFormerUsersConnectionsToo() async throws {
        let (gate, release) = AsyncStream.makeStream(of: Void.self)
        let (openings, opened) = AsyncStream.makeStream(of: Void.self)
        let ended = Locked<[String]>([])
        let source = PreparedSource { userID in
            let connection = PreparedConnection(
                userID, document: { _ in DocumentAnswer(.make(sections: ["S": [:]])) },
                opening: { _ in
                    guard userID == "slow" else { return }
                    opened.yield()
                    // Ignores cancellation, like a transport that hangs.
                    await Task { for await _ in gate { break } }.value
                    ended.withLock { $0.append("slow") }
                })
            connection.send(Self.hello)
            return connection
        }
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(), store: InMemoryStore())
        config.currentUserID = "slow"
        let updater = ActiveConfigUpdater.make(config, source: source, clock: ManualClock())
        let run = Task { await updater.run() }
        for await _ in openings { break }
        config.currentUserID = "other"
        for await update in updater.updates {
            if case .state(.live, "other") = update { break }
        }
        run.cancel()
        Task {
            // deadline: only gives a fault time, an early end
            for _ in 0..<1_000 { await Task.yield() }
            release.yield()
        }
        await run.value
        #expect(ended.withLock { $0 } == ["slow"])
    }

    @Test func startingWhatRunsAlreadyIsLogged() async throws {
        let (errors, error) = AsyncStream.makeStream(of: String.self)
        let backend = ScriptedBackend()
        let log = ActiveConfigLog(minimumLevel: .error) { error.yield($1) }
        let config = ActiveConfig.make(log: log)
        let updater = ActiveConfigUpdater.make(config, source: backend, clock: backend.clock)
        let run = Task { await updater.run() }
        try await backend.waitForStreams(1)
        updater.start()
        var messages = errors.makeAsyncIterator()
        #expect(await messages.next()?.contains("runs already") == true)
        run.cancel()
        await run.value
        // It can be started now.
        try await backend.waitForStreams(0)
        updater.start()
        try await backend.waitForStreams(1)
        updater.stop()
    }

    /// Another replica may not have the newest version yet, or the store was brought back.
    @Test func anOlderAnswerIsNoFailure() async throws {
        let store = InMemoryStore()
        store.persistConfiguration(try SigningServer.answer(13), forUserID: "1")
        let log = RecordingLog()
        let config = SigningServer().config(ScriptedDownloader(), store: store, log: log.log)
        let older = try SigningServer.answer(12, title: "Old")
        let source = PreparedSource { userID in
            let connection = PreparedConnection(userID) { _ in DocumentAnswer(older) }
            connection.send(Self.hello)
            return connection
        }
        let updater = ActiveConfigUpdater.make(config, source: source, clock: ManualClock())
        let run = Task { await updater.run() }
        let state = try await outcome(updater)
        #expect(state.isLive, "\(state)")
        #expect(config.currentConfiguration.templateVersion == 13)
        let warnings = log.messages(ofLevel: .warning)
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("has version 12") == true, "\(warnings)")
        #expect(warnings.first?.contains("lower than 13 here") == true, "\(warnings)")
        run.cancel()
        await run.value
    }

    /// With signatures, an older document must be signed, too; it confirms nothing.
    @Test(arguments: [true, false])
    func anOlderAnswerConfirmsNothing(isSigned: Bool) async throws {
        let store = InMemoryStore()
        store.persistConfiguration(try SigningServer.answer(13), forUserID: "1")
        let config = SigningServer().config(ScriptedDownloader(), store: store)
        var older = try SigningServer.answer(12, title: "Old")
        if !isSigned { older.original = nil }
        let source = PreparedSource { [older] userID in
            let connection = PreparedConnection(userID) { _ in DocumentAnswer(older) }
            connection.send(Self.hello)
            return connection
        }
        let updater = ActiveConfigUpdater.make(config, source: source, clock: ManualClock())
        let run = Task { await updater.run() }
        let state = try await outcome(updater)
        if isSigned {
            #expect(state.isLive, "\(state)")
        } else {
            #expect("\(state)".contains("sign"), "\(state)")
        }
        #expect(config.currentConfiguration.templateVersion == 13)
        #expect(config.status.lastDownload == nil || !isSigned)
        #expect(config.status.confirmationDate == nil)
        run.cancel()
        await run.value
    }

    @Test func anAnswerThatTheCrashGuardRefusesIsNotReportedAsApplied() async throws {
        let system = ModelFileSystem()
        let first = GuardedLaunch(
            system, downloader: ScriptedDownloader(.configuration(GuardedLaunch.document(1))))
        try await first.config.downloadNewConfig()
        first.live()
        let second = GuardedLaunch(
            system, downloader: ScriptedDownloader(.configuration(GuardedLaunch.document(2))))
        try await second.config.downloadNewConfig()
        for _ in 0..<2 { #expect(GuardedLaunch(system).version == 2) }
        let launch = GuardedLaunch(system)
        #expect(launch.version == 1)
        let source = PreparedSource { userID in
            let connection = PreparedConnection(userID) { _ in
                DocumentAnswer(GuardedLaunch.document(2))
            }
            connection.send(Self.hello)
            return connection
        }
        let updater = ActiveConfigUpdater.make(
            launch.config, source: source, clock: launch.clock)
        let run = Task { await updater.run() }
        var updates = updater.updates.makeAsyncIterator()
        while let update = await updates.next() {
            if case .applied = update { Issue.record("\(update)") }
            if case .state(.live, _) = update { break }
        }
        #expect(launch.version == 1)
        run.cancel()
        await run.value
    }

    @Test func usersAreAddedAndRemovedWhileItRuns() async throws {
        let backend = ScriptedBackend { ["Home": ["title": .string($0 ?? "nobody")]] }
        let fixture = UpdaterFixture.make(backend, users: .fixed(["a", "b"]))
        try await fixture.run {
            try await fixture.advance(by: .milliseconds(5)) { backend.streamCount == 2 }
            fixture.updater.users = .fixed(["b", "c"])
            try await fixture.waitForState(of: "c") { $0.isLive }
            #expect(fixture.updater.state(ofUserID: "a") == .stopped)
            try await backend.waitForStreams(2)
            let requests = backend.requests.filter { $0.userID == "b" }
            #expect(requests.count == 2, "the connection of b is kept")
            // Events that arrive after a user was removed and forgotten are not kept.
            try await fixture.config.forgetUser("a")
            backend.publish { ["Home": ["title": .string(($0 ?? "nobody") + "!")]] }
            let store = try #require(fixture.config.configStore)
            try await fixture.advance(by: .milliseconds(5)) {
                store.ownConfiguration(forUserID: "c")?["Home"]?.string(forKey: "title") == "c!"
            }
            #expect(store.ownConfiguration(forUserID: "a") == nil)
        }
    }
}
