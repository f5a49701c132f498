import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Downloads of a user are joined, and a late answer only affects its own user.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct DownloadTests {
    @Test("`downloadNewConfig` for a user whose download is already running joins it (one request)")
    func joinsARunningDownload() async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held })
        let config = fixture.config
        let callers = (0..<4).map { _ in Task { try await config.downloadNewConfig() } }
        try await fixture.downloader.waitForRequests(1)
        fixture.startDownload()
        let last = Task { try await config.downloadNewConfig() }
        fixture.downloader.answer(1, with: .configuration(.make()))
        let expected = DownloadResult(
            userID: nil, configurationIsCurrent: true, changedSectionNames: ["Home"])
        for caller in callers { #expect(try await caller.value == expected) }
        // The last caller may have been too late to join; it then has a request of its own, which
        // is held.
        fixture.downloader.answer(2, with: .unchanged)
        _ = try await last.value
        #expect(fixture.downloader.peakRunningCount == 1)
    }

    @Test func parallelFirstCallersMakeOneRequest() async throws {
        for _ in 0..<200 {
            let fixture = CoordinatorFixture.make(
                ScriptedDownloader { $0.number == 1 ? .held : .unchanged })
            fixture.startDownloadsInParallel(8)
            try await fixture.downloader.waitForRequests(1)
            let listener = fixture.listener()
            fixture.downloader.answer(1, with: .configuration(.make()))
            try await listener.waitForDeliveries(1)
            // A second request from the eight callers would precede this one.
            try await fixture.config.downloadNewConfig()
            try #require(fixture.downloader.requests.count == 2)
            try #require(fixture.downloader.peakRunningCount == 1)
        }
    }

    @Test func aDownloadAfterAnEndedOneIsANewRequest() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { .configuration(.titled(["Home": "\($0.number)"])) })
        for number in 1...3 {
            try await fixture.config.downloadNewConfig()
            #expect(fixture.downloader.requests.count == number)
            #expect(fixture.config["Home"]?.title == "\(number)")
        }
    }

    @Test func theDownloadNeverAsksForAUserTwiceAtOnceUnderContention() async throws {
        let running = Locked<[String: Int]>([:])
        let isAskedTwice = Locked(false)
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { request in
                let count = running.withLock { running in
                    running[request.userID ?? "", default: 0] += 1
                    return running[request.userID ?? ""]
                }
                if count != 1 { isAskedTwice.withLock { $0 = true } }
                running.withLock { $0[request.userID ?? "", default: 0] -= 1 }
                return .configuration(.titled(["Home": request.userID ?? ""]))
            })
        let config = fixture.config
        try await withThrowingTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for turn in 0..<300 {
                        config.currentUserID = ["A", "B"][(task + turn) % 2]
                        try await config.downloadNewConfig()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(!isAskedTwice.withLock { $0 })
        #expect(fixture.downloader.peakRunningCount <= 2)
        #expect(fixture.downloader.requests.count <= 2_400)
    }

    @Test func theDownloadSaysWhatItChanged() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(
                .configuration(.titled(["Same": "1", "Changed": "1", "Gone": "1"])),
                .configuration(.titled(["Same": "1", "Changed": "2", "New": "1"])), .unchanged))
        let config = fixture.config
        #expect(try await config.downloadNewConfig().changedSectionNames.count == 3)
        let second = try await config.downloadNewConfig()
        #expect(second.changedSectionNames == ["Changed", "Gone", "New"])
        let third = try await config.downloadNewConfig()
        #expect(
            third
                == DownloadResult(userID: nil, configurationIsCurrent: true, outcome: .notModified))
    }

    /// A download that ends after a change of user is stored for its own user, does not change the
    /// current configuration, and reports both.
    @Test
    func aLateAnswerIsItsOwnersOnly() async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held })
        let config = fixture.config
        config.currentUserID = "A"
        let download = Task { try await config.downloadNewConfig() }
        try await fixture.downloader.waitForRequests(1)
        config.currentUserID = "B"
        let listener = fixture.listener()
        let recorder = NotificationRecorder(of: config, in: fixture.center)
        fixture.downloader.answer(1, with: .configuration(.titled(["Home": "A"])))
        #expect(
            try await download.value
                == DownloadResult(
                    userID: "A", configurationIsCurrent: false, isActive: true))
        #expect(config.currentConfiguration.sections.isEmpty)
        fixture.drain()
        #expect(listener.deliveries.isEmpty)
        let update = recorder.entries.last
        #expect(update?.name == ActiveConfig.downloadUpdateFinishedNotification)
        #expect(update?.configurationIsCurrent == false)
        #expect(update?.userID == "A")
        #expect(
            recorder.entries(named: ActiveConfig.sectionDidChangeNotification).isEmpty)
        config.currentUserID = "A"
        #expect(config["Home"]?.title == "A")
    }

    @Test func aLateAnswerThatNothingChangedSaysItIsNotCurrent() async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held })
        let config = fixture.config
        config.currentUserID = "A"
        let download = Task { try await config.downloadNewConfig() }
        try await fixture.downloader.waitForRequests(1)
        config.currentUserID = "B"
        fixture.downloader.answer(1, with: .unchanged)
        #expect(
            try await download.value
                == DownloadResult(
                    userID: "A", configurationIsCurrent: false, isActive: true,
                    outcome: .notModified))
    }

    @Test("A download of A that ends after A → B → A becomes active")
    func anAnswerBecomesActiveWhenItsUserIsBack() async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held })
        let config = fixture.config
        config.currentUserID = "A"
        let first = Task { try await config.downloadNewConfig() }
        try await fixture.downloader.waitForRequests(1)
        config.currentUserID = "B"
        let other = Task { try await config.downloadNewConfig() }
        try await fixture.downloader.waitForRequests(2)
        config.currentUserID = "A"
        let listener = fixture.listener()
        fixture.downloader.answer(1, with: .configuration(.titled(["Home": "A"])))
        #expect(try await first.value.configurationIsCurrent)
        fixture.downloader.answer(2, with: .configuration(.titled(["Home": "B"])))
        #expect(try await !other.value.configurationIsCurrent)
        fixture.drain()
        #expect(listener.sections == [.titled("A")])
        #expect(config["Home"]?.title == "A")
    }

    @Test func theDownloadJoinsTheDownloadOfAUserWhoIsBack() async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held })
        let config = fixture.config
        config.currentUserID = "A"
        fixture.startDownload()
        try await fixture.downloader.waitForRequests(1)
        config.currentUserID = "B"
        config.currentUserID = "A"
        fixture.startDownload()
        config.currentUserID = "C"
        fixture.startDownload()
        let requests = try await fixture.downloader.waitForRequests(2)
        #expect(requests.map(\.userID) == ["A", "C"])
        fixture.downloader.answer(1, with: .unchanged)
        fixture.downloader.answer(2, with: .unchanged)
        try await fixture.downloader.waitForEndedRequests(2)
        #expect(fixture.downloader.requests.count == 2)
    }

    @Test("A setter's read from the store does not undo a download that ended during it")
    func aSetterThatReadsWhileADownloadEndsReadsAgain() async throws {
        let store = ObservedStore()
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held }, store: store)
        let config = fixture.config
        let isAnswered = DispatchSemaphore(value: 0)
        let recorder = NotificationRecorder(of: config, in: fixture.center) { entry in
            if entry.name == ActiveConfig.downloadUpdateFinishedNotification { isAnswered.signal() }
        }
        store.base.persistConfiguration(.titled(["Home": "old"]), forUserID: "A")
        config.currentUserID = "A"
        fixture.startDownload()
        try await fixture.downloader.waitForRequests(1)
        config.currentUserID = "B"
        store.afterNextRead {
            fixture.downloader.answer(1, with: .configuration(.titled(["Home": "new"])))
            isAnswered.wait()
        }
        // Setting the user blocks until the download has ended, so it needs a thread of its own.
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                config.currentUserID = "A"
                continuation.resume()
            }
        }
        #expect(config["Home"]?.title == "new")
        let updates = recorder.entries(named: ActiveConfig.downloadUpdateFinishedNotification)
        #expect(updates.map(\.configurationIsCurrent) == [false])
    }
}
