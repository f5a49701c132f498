import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Forgetting a user.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ForgettingTests {
    private let downloader = ScriptedDownloader { _ in .held }
    private let store = InMemoryStore(bootstrap: .state(.titled(["Home": "bootstrap"])))
    private let queue = DispatchQueue(label: "test")

    private func make(storing titles: [String?: String] = [:]) throws -> ActiveConfig {
        for (user, title) in titles {
            store.persistConfiguration(.titled(["Home": title]), forUserID: user)
        }
        return .make(downloader: downloader, store: store, listenerQueue: queue)
    }

    private func title(_ config: ActiveConfig) -> String? {
        config["Home"]?.string(forKey: "title")
    }

    @Test func theCurrentUsersFallbackBecomesActive() throws {
        let config = try make(storing: ["1": "own", nil: "generic"])
        config.currentUserID = "1"
        let recorder = RecordingListener()
        config.registerListener(recorder, forSectionName: "Home")
        try config.forgetUser("1")
        queue.sync {}
        #expect(title(config) == "generic" && config.currentUserID == "1")
        #expect(store.ownConfiguration(forUserID: "1") == nil)
        let titles = recorder.sections.map { $0?.string(forKey: "title") }
        #expect(titles == ["own", "generic"])
        try config.forgetGenericUser()
        #expect(title(config) == "bootstrap")
    }

    @Test func anotherUserIsForgottenWithoutAChange() throws {
        let config = try make(storing: ["1": "own", "2": "other"])
        config.currentUserID = "1"
        try config.forgetUser("2")
        try config.forgetUser("nobody")
        #expect(title(config) == "own")
        config.currentUserID = "2"
        #expect(title(config) == "bootstrap")
    }

    @Test func aRunningDownloadCannotBringTheUserBack() async throws {
        let config = try make()
        config.currentUserID = "1"
        let download = Task { try await config.downloadNewConfig() as DownloadResult }
        try await downloader.waitForRequests(1)
        try await config.forgetUser("1")
        await #expect(throws: CancellationError.self) { try await download.value }
        downloader.answer(1, with: .configuration(.titled(["Home": "late"])))
        try await downloader.waitForRequests(1)
        #expect(title(config) == "bootstrap")
        #expect(store.ownConfiguration(forUserID: "1") == nil)

        // A download that starts afterwards makes a new request.
        let next = Task { try await config.downloadNewConfig() as DownloadResult }
        try await downloader.waitForRequests(2)
        #expect(downloader.requests[1].lastKnown == nil)
        downloader.answer(2, with: .configuration(.titled(["Home": "new"])))
        #expect(try await next.value.configurationIsCurrent)
        #expect(title(config) == "new")
    }

    /// However the end of a download and `forgetUser` interleave, nothing of the download remains
    /// after both.
    @Test func aForgottenUserStaysForgotten() async throws {
        for round in 0..<300 {
            let store = InMemoryStore()
            let downloader = ScriptedDownloader(.configuration(.titled(["Home": "secret"])))
            let config = ActiveConfig.make(downloader: downloader, store: store)
            config.currentUserID = "1"
            config.startDownload()
            if round.isMultiple(of: 2) { try await downloader.waitForRequests(1) }
            await withTaskGroup { group in
                group.addTask { _ = try? await config.downloadNewConfig() as DownloadResult }
                group.addTask { @concurrent in try? await config.forgetUser("1") }
            }
            try await config.forgetUser("1")
            // Late work of the download has ended.
            config.users.turns.run(of: config.users.table.entry(of: UserID("1"), isKept: false)) {
                _ in
            }
            config.listenerQueue.sync {}
            #expect(store.ownConfiguration(forUserID: "1") == nil, "round \(round)")
            #expect(config["Home"] == nil, "round \(round)")
        }
    }

    /// The user is forgotten at a random moment while the answer of a download, which takes a while
    /// to compare, is activated.
    @Test func aDownloadThatIsJustEndingCannotBringTheUserBack() async throws {
        var sections: [String: ActiveConfigSection] = (0..<5_000).reduce(into: [:]) {
            $0["S\($1)"] = ["x": .integer($1)]
        }
        sections["Private"] = ["x": "secret"]
        let configuration = ConfigurationState.make(sections: sections)
        var generator = SeededGenerator.printingItsSeed()
        // Length of the first round, in which the user is not forgotten during the download.
        var duration = Duration.zero
        for round in 0..<15 {
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let store = ObservedStore { event in
                if case .recordFirstDownloadFinished = event { end.finish() }
            }
            let config = ActiveConfig.make(
                downloader: ScriptedDownloader(.configuration(configuration)), store: store)
            config.currentUserID = "1"
            async let result = try? config.downloadNewConfig() as DownloadResult
            for await _ in ends {}
            if round == 0 {
                let start = ContinuousClock.now
                _ = await result
                duration = ContinuousClock.now - start  // deadline: no bound, a range of moments
            } else {
                let delay = duration * Double.random(in: 0...1.5, using: &generator)
                try await Task.sleep(for: delay)  // deadline: the fault comes at a random moment
            }
            try await config.forgetUser("1")
            #expect(store.base.ownConfiguration(forUserID: "1") == nil, "round \(round)")
            #expect(config["Private"] == nil, "round \(round)")
            _ = await result
            #expect(config["Private"] == nil, "round \(round)")
        }
    }

    /// The log's closure may call the framework, also for the message that a document could not be
    /// stored.
    @Test func theLogMayForgetAUserThatCannotBeStored() async throws {
        struct Full: Error {}
        let shared = Locked<ActiveConfig?>(nil)
        let store = ObservedStore { event in
            if case .persist(_, .some) = event { throw Full() }
        }
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(.titled(["Home": "x"]))), store: store,
            log: ActiveConfigLog { level, _ in
                if level == .error { try? shared.withLock { $0 }?.forgetGenericUser() }
            })
        shared.withLock { $0 = config }
        defer { shared.withLock { $0 = nil } }
        _ = try? await config.downloadNewConfig() as DownloadResult
        #expect(config["Home"] == nil)
    }

    /// Also while a pushed document becomes active.
    @Test func theLogMayForgetAUserWhoseFirstDownloadCannotBeRecorded() async throws {
        struct Full: Error {}
        let shared = Locked<ActiveConfig?>(nil)
        let store = ObservedStore { event in
            if event == .recordFirstDownloadFinished { throw Full() }
        }
        let config = ActiveConfig.make(
            store: store,
            log: ActiveConfigLog { level, _ in
                if level == .error { try? shared.withLock { $0 }?.forgetUser("1") }
            })
        shared.withLock { $0 = config }
        defer { shared.withLock { $0 = nil } }
        config.currentUserID = "1"
        let outcome = await config.downloads.push(to: UserID("1")) { _ in
            .apply(.titled(["Home": "x"]))
        }
        guard case .applied = outcome else {
            Issue.record("The change was not applied: \(outcome)")
            return
        }
        #expect(config["Home"] == nil)
        #expect(store.base.ownConfiguration(forUserID: "1") == nil)
    }

    /// Two setters have read the user's document when it is forgotten; only one of them has
    /// noticed.
    @Test func neitherOfTwoSettersActivatesAForgottenDocument() throws {
        let store = ObservedStore()
        try store.persistConfiguration(.titled(["Home": "secret"]), forUserID: "1")
        let config = ActiveConfig.make(store: store)
        _ = config["Home"]
        let hasRead = DispatchSemaphore(value: 0)
        let threads = DispatchQueue(label: "setters", attributes: .concurrent)
        func heldRead(_ body: () throws -> Void) rethrows -> DispatchSemaphore {
            let mayEnd = DispatchSemaphore(value: 0)
            store.afterNextRead {
                hasRead.signal()
                mayEnd.wait()
            }
            try body()
            hasRead.wait()
            return mayEnd
        }
        let setters = DispatchGroup()
        let first = heldRead { threads.async(group: setters) { config.currentUserID = "1" } }
        let ended = DispatchSemaphore(value: 0)
        let second = heldRead {
            threads.async(group: setters) {
                config.currentUserID = "1"
                ended.signal()
            }
        }
        try config.forgetUser("1")
        let again = heldRead { first.signal() }
        second.signal()
        ended.wait()
        #expect(config["Home"] == nil)
        again.signal()
        setters.wait()
        #expect(config["Home"] == nil && config.currentUserID == "1")
    }
}
