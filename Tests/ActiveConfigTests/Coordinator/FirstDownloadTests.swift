import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// The first download of an installation is announced exactly once, before any update.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct FirstDownloadTests {
    private struct DiskFull: Error {}

    private let first = ActiveConfig.firstDownloadFinishedNotification
    private let update = ActiveConfig.downloadUpdateFinishedNotification

    /// Starts a download for each user, and returns the callers once all requests are held.
    private func startDownloads(
        of users: [String], with fixture: CoordinatorFixture
    ) async throws -> [Task<DownloadResult, any Error>] {
        var calls: [Task<DownloadResult, any Error>] = []
        for (count, user) in users.enumerated() {
            fixture.config.currentUserID = user
            calls.append(Task { try await fixture.config.downloadNewConfig() })
            try await fixture.downloader.waitForRequests(count + 1)
        }
        return calls
    }

    /// Store call that is delayed; the installation's number determines the length of the delay.
    enum Delay: CaseIterable { case none, firstRead, persist, record }

    @Test(
        "Two users' simultaneous downloads announce one first download, before any update",
        arguments: Delay.allCases)
    func twoUsersDownloadsAtOnce(delay: Delay) async throws {
        for installation in 0..<300 {
            let store = ObservedStore { event in
                let isDelayed =
                    switch (delay, event) {
                    case (.firstRead, .firstDownloadFinished), (.persist, .persist),
                        (.record, .recordFirstDownloadFinished):
                        true
                    default: false
                    }
                for _ in 0..<(isDelayed ? installation % 7 * 30 : 0) { sched_yield() }
            }
            let fixture = CoordinatorFixture.make(
                ScriptedDownloader { _ in .held }, store: store)
            let recorder = NotificationRecorder(of: fixture.config, in: fixture.center)
            let calls = try await startDownloads(of: ["A", "B"], with: fixture)
            await withTaskGroup { group in
                for number in 1...2 {
                    group.addTask {
                        fixture.downloader.answer(number, with: .configuration(.make()))
                    }
                }
            }
            for call in calls { _ = try await call.value }
            fixture.drain()
            let names = recorder.names.filter { $0 == first || $0 == update }
            try #require(names == [first, update, update], "installation \(installation)")
            #expect(store.base.firstDownloadFinished)
        }
    }

    @Test("Coordinators that share a store announce one first download in total")
    func coordinatorsOfOneStore() async throws {
        for installation in 0..<100 {
            let store = InMemoryStore()
            let fixtures = (0..<3).map { _ in
                CoordinatorFixture.make(ScriptedDownloader { _ in .held }, store: store)
            }
            let recorders = fixtures.map { NotificationRecorder(of: $0.config, in: $0.center) }
            var calls: [Task<DownloadResult, any Error>] = []
            for fixture in fixtures {
                calls += try await startDownloads(of: ["A"], with: fixture)
            }
            await withTaskGroup { group in
                for fixture in fixtures {
                    group.addTask { fixture.downloader.answer(1, with: .configuration(.make())) }
                }
            }
            for call in calls { _ = try await call.value }
            for fixture in fixtures { fixture.drain() }
            let count = recorders.reduce(0) { $0 + $1.entries(named: first).count }
            try #require(count == 1, "installation \(installation)")
            #expect(fixtures.allSatisfy { $0.config.firstConfigDownloadFinished })
        }
    }

    @Test func withoutAStoreOnlyEndsUntilTheFirstReportTakeTurns() {
        let download = FirstDownload(store: nil, log: .disabled)
        func end(isAbandoned: Bool) -> Bool {
            download.inOrder {
                let record = download.record()
                let isReported =
                    !isAbandoned && download.finish(isFirst: record.isFirst, isCounted: true)
                download.settle(record, isAbandoned: isAbandoned)
                return isReported
            }
        }
        #expect(!end(isAbandoned: true))
        #expect(end(isAbandoned: false))
        // Dispatch traps where an end waits for the turn that it is in.
        #expect(download.inOrder { !end(isAbandoned: false) })
    }

    @Test("If the store cannot record it, each launch announces it once")
    func aStoreThatCannotRecord() async throws {
        let isFull = Locked(true)
        let store = ObservedStore { event in
            if event == .recordFirstDownloadFinished, isFull.withLock({ $0 }) { throw DiskFull() }
        }
        for launch in 1...3 {
            // The last launch finds the flag that the previous launch finally recorded.
            let fixture = CoordinatorFixture.make(
                ScriptedDownloader { _ in .unchanged }, store: store)
            let recorder = NotificationRecorder(of: fixture.config, in: fixture.center)
            for turn in 1...3 {
                isFull.withLock { $0 = launch == 1 || turn == 1 }
                try await fixture.config.downloadNewConfig()
            }
            fixture.drain()
            #expect(recorder.entries(named: first).count == (launch == 3 ? 0 : 1))
            #expect(recorder.entries(named: update).count == 3)
        }
    }
}
