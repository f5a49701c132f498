import ActiveConfig
import ActiveConfigTesting
import ActiveConfigTrust
import Foundation
import Testing

/// Downloads, user changes, cancellation, timeouts and failing stores in random order, compared
/// with a model.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct DownloadModelTests {
    private struct DiskFull: Error {}
    private struct Offline: Error {}

    /// Notification of a download's end or of the change that it causes.
    private enum End: Hashable {
        case first(String)
        case update(String, isCurrent: Bool)
        case failed(String, reason: String)
        case changed(String, number: Int)

        init?(_ entry: NotificationRecorder.Entry) {
            let user = entry.userID ?? ""
            switch entry.name {
            case ActiveConfig.firstDownloadFinishedNotification: self = .first(user)
            case ActiveConfig.downloadUpdateFinishedNotification:
                self = .update(user, isCurrent: entry.configurationIsCurrent == true)
            case ActiveConfig.downloadFailedNotification:
                let error = entry.error
                let reason =
                    (error as? DownloadError)?.code.description
                    ?? (error is CancellationError ? "cancelled" : "offline")
                self = .failed(user, reason: reason)
            default:
                self = .changed(user, number: entry.section?.integer(forKey: "number") ?? 0)
            }
        }
    }

    /// Download that has a caller; the model keeps them by request number.
    private struct Running {
        let user: String
        let deadline: Duration
        var caller: Task<DownloadResult, any Error>?
        var isDetached: Bool
    }

    /// System under test and its model.
    private final class Run {
        static let users = ["A", "B", "C"]

        let clock = ManualClock()
        let isFull = Locked(false)
        let store: ObservedStore
        let fixture: CoordinatorFixture
        let recorder: NotificationRecorder
        var random: SeededGenerator

        var user = "A"
        /// Number of the document that each user has.
        var numbers: [String: Int] = [:]
        var running: [Int: Running] = [:]
        /// Abandoned requests that are still running.
        var forgotten: Set<Int> = []
        var requestCount = 0
        var hasSucceeded = false
        /// Notifications that the last step must cause, in any order for each user; `earlierCount`
        /// is the number of notifications before the step.
        var expected: [End] = []
        var earlierCount = 0

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            store = ObservedStore { [isFull] event in
                if case .persist = event, isFull.withLock({ $0 }) { throw DiskFull() }
            }
            fixture = .make(
                ScriptedDownloader { _ in .held.ignoringCancellation }, store: store,
                downloadTimeout: .seconds(10), clock: clock)
            recorder = NotificationRecorder(of: fixture.config, in: fixture.center)
            fixture.config.currentUserID = user
        }

        /// Switches to a random other user.
        func setUser() {
            let other = Self.users.filter { $0 != user }.randomElement(using: &random)
            user = other ?? user
            let old = fixture.config["Home"]
            fixture.config.currentUserID = user
            if fixture.config["Home"] != old {
                expected.append(.changed(user, number: numbers[user] ?? 0))
            }
        }

        func startDownload() async throws {
            let config = fixture.config
            if let number = running.first(where: { $0.value.user == user })?.key {
                fixture.startDownload()
                running[number]?.isDetached = true
                return
            }
            requestCount += 1
            var new = Running(
                user: user, deadline: clock.now.offset + .seconds(10), isDetached: false)
            if Bool.random(using: &random) {
                new.caller = Task { try await config.downloadNewConfig() }
            } else {
                fixture.startDownload()
                new.isDetached = true
            }
            try await fixture.downloader.waitForRequests(requestCount)
            running[requestCount] = new
            // The request is conditional on the user's current document.
            let request = fixture.downloader.requests[requestCount - 1]
            let known = request.lastKnown?.sections["Home"]?.integer(forKey: "number")
            #expect(known == numbers[user])
        }

        /// Answers a random running request, wanted or abandoned.
        func answer() async throws {
            let candidates = running.keys.sorted() + forgotten.sorted()
            guard let number = candidates.randomElement(using: &random) else { return }
            let kind = Int.random(in: 0..<4, using: &random)
            let download = running.removeValue(forKey: number)
            forgotten.remove(number)
            if let download, kind == 0 {
                expected.append(.failed(download.user, reason: "offline"))
            } else if let download {
                if !hasSucceeded { expected.append(.first(download.user)) }
                hasSucceeded = true
                if kind > 1 {
                    numbers[download.user] = number
                    if download.user == user {
                        expected.append(.changed(user, number: number))
                    }
                }
                expected.append(.update(download.user, isCurrent: download.user == user))
            }
            let ended = requestCount - running.count - forgotten.count
            switch kind {
            case 0: fixture.downloader.answer(number, with: .failure(Offline()))
            case 1: fixture.downloader.answer(number, with: .unchanged)
            default:
                fixture.downloader.answer(
                    number,
                    with: .configuration(
                        .make(sections: ["Home": ["number": .integer(number)]])))
            }
            try await fixture.downloader.waitForEndedRequests(ended)
            _ = await download?.caller?.result
        }

        /// Cancels a random caller, which abandons the download if no other caller waits for it.
        func cancel() async {
            let waiting = running.filter { $0.value.caller != nil }.keys.sorted()
            guard let number = waiting.randomElement(using: &random),
                let download = running[number]
            else { return }
            download.caller?.cancel()
            let result = await download.caller?.result
            #expect(throws: CancellationError.self) { try result?.get() }
            running[number]?.caller = nil
            if download.isDetached { return }
            running[number] = nil
            forgotten.insert(number)
            expected.append(.failed(download.user, reason: "cancelled"))
        }

        func advance() async throws {
            let deadlines = running.values.map(\.deadline).sorted()
            try await clock.waitForDeadlines { $0.map(\.offset) == deadlines }
            clock.advance(by: .seconds(Int.random(in: 1...6, using: &random)))
            for (number, download) in running where download.deadline <= clock.now.offset {
                running[number] = nil
                forgotten.insert(number)
                expected.append(.failed(download.user, reason: "timedOut"))
                _ = await download.caller?.result
            }
        }

        /// Waits for all the expected notifications, and compares them with those posted.
        func check(_ comment: Comment) async throws {
            try await recorder.waitForNotifications(earlierCount + expected.count)
            fixture.drain()
            let posted = recorder.entries.dropFirst(earlierCount).compactMap(End.init)
            earlierCount = recorder.entries.count
            for user in Self.users {
                let ends = [posted, expected].map { ends in
                    ends.filter { end in
                        switch end {
                        case .first(user), .update(user, _), .failed(user, _), .changed(user, _):
                            true
                        default: false
                        }
                    }
                }
                #expect(Set(ends[0]) == Set(ends[1]) && ends[0].count == ends[1].count, comment)
            }
            expected = []
            #expect(fixture.config.currentUserID == user)
            #expect(fixture.config["Home"]?.integer(forKey: "number") == numbers[user], comment)
        }
    }

    @Test("In any order of events each download ends once, and no older one undoes a newer one")
    func followsTheModel() async throws {
        for seed in Rounds.numbers(20, nightly: 60).map(UInt64.init) {
            let run = Run(seed: seed)
            for step in 0..<80 {
                switch Int.random(in: 0..<12, using: &run.random) {
                case 0...2: run.setUser()
                case 3...5: try await run.startDownload()
                case 6...8: try await run.answer()
                case 9: await run.cancel()
                case 10: try await run.advance()
                default: run.isFull.withLock { $0.toggle() }
                }
                try await run.check("seed \(seed), step \(step)")
            }
            for number in run.running.keys.sorted() + run.forgotten.sorted() {
                run.fixture.downloader.answer(number, with: .unchanged)
            }
            try await run.fixture.downloader.waitForEndedRequests(run.requestCount)
        }
    }
}
