import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Stores may block, so async functions never call them on Swift's cooperative threads.
///
/// The cooperative pool has only one thread for each core.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct StoreThreadsTests {
    /// True if the current thread is running a task.
    private static var isInTask: Bool { unsafe withUnsafeCurrentTask { unsafe $0 != nil } }

    /// Records an event if the current thread is running a task.
    private static func note(
        _ event: ObservedStore.Event, in events: Locked<[ObservedStore.Event]>
    ) {
        if isInTask { events.withLock { $0.append(event) } }
    }

    @Test("Async functions of the framework call the store outside of tasks")
    func asyncFunctionsCallTheStoreOutsideOfTasks() async throws {
        struct DiskFull: Error {}
        let inTask = Locked<[ObservedStore.Event]>([])
        let isFull = Locked(false)
        let store = ObservedStore { event in
            Self.note(event, in: inTask)
            if case .persist = event, isFull.withLock({ $0 }) { throw DiskFull() }
        }
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(
                .configuration(.titled(["Home": "1"])), .configuration(.titled(["Home": "2"])),
                .unchanged, .failure(DiskFull())), store: store)
        for count in 1...4 {
            isFull.withLock { $0 = count == 2 }
            _ = try? await fixture.config.downloadNewConfig()
        }
        #expect(Set(store.events).count >= 6)
        #expect(inTask.withLock { $0 } == [])
    }

    @Test("Sequences load the active configuration outside of tasks", arguments: [false, true])
    func sequencesLoadOutsideOfTasks(values: Bool) async throws {
        let inTask = Locked<[ObservedStore.Event]>([])
        let store = ObservedStore(InMemoryStore(bootstrap: .state(.titled(["Home": "0"])))) {
            Self.note($0, in: inTask)
        }
        let config = ActiveConfig.make(store: store)
        if values {
            for await section in config.values(ofSection: "Home") {
                #expect(section?.title == "0")
                break
            }
        } else {
            for await change in config.changes() {
                #expect(change.new?.title == "0")
                break
            }
        }
        #expect(store.events == [.read(nil)])
        #expect(inTask.withLock { $0 } == [])
    }

    @Test("Persists that hang for many users at once do not block other tasks")
    func hangingPersistsLeaveOtherTasksTheirTurn() async throws {
        let count = ProcessInfo.processInfo.activeProcessorCount * 4
        let isGoingOn = DispatchSemaphore(value: 0)
        let hanging = ManualClock()
        let store = ObservedStore { event in
            guard case .persist = event else { return }
            hanging.advance(by: .seconds(1))
            isGoingOn.wait()
        }
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held }, store: store)
        let config = fixture.config
        var calls: [Task<DownloadResult, any Error>] = []
        for number in 1...count {
            config.currentUserID = "\(number)"
            calls.append(Task { try await config.downloadNewConfig() })
            try await fixture.downloader.waitForRequests(number)
        }
        // If persists blocked the cooperative threads, the test would hang; the watchdog prevents
        // that.
        let isOver = DispatchSemaphore(value: 0)
        let watchdogHasBitten = Locked(false)
        let watchdog = Thread {
            guard isOver.wait(timeout: .now() + 60) == .timedOut else { return }
            watchdogHasBitten.withLock { $0 = true }
            for _ in 0..<count { isGoingOn.signal() }
        }
        watchdog.start()
        for number in 1...count {
            fixture.downloader.answer(number, with: .configuration(.titled(["Home": "\(number)"])))
        }
        try await hanging.sleep(until: .init(offset: .seconds(count)))
        await withTaskGroup { group in
            // deadline: the work of other tasks, which ends however slowly
            for _ in 0..<count { group.addTask { for _ in 0..<100 { await Task.yield() } } }
        }
        #expect(config["Home"] == nil)
        #expect(!watchdogHasBitten.withLock { $0 })
        isOver.signal()
        for _ in 0..<count { isGoingOn.signal() }
        for call in calls { _ = try await call.value }
        #expect(config["Home"]?.title == "\(count)")
    }
}
