import ActiveConfigTesting
import Testing

@testable import ActiveConfig

/// No reader or listener ever gets another user's values.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UserIsolationTests {
    private static let users = ["A", "B"]

    /// Configuration whose `meta` and sections name their owner.
    private static func configuration(of userID: String?, number: Int) -> ConfigurationState {
        let owner = SettingValue.string(userID ?? "generic")
        let settings: ActiveConfigSection = ["owner": owner, "number": .integer(number)]
        return .make(meta: ["owner": owner], sections: ["Home": settings, "Other": settings])
    }

    /// Violations seen so far, without duplicates.
    private let faults = Locked<Set<String>>([])

    private func expect(_ isRight: Bool, _ fault: @autoclosure () -> String) {
        if isRight { return }
        let fault = fault()
        _ = faults.withLock { $0.insert(fault) }
    }

    /// Records a fault unless all parts of a configuration have the same owner.
    private func look(at state: ConfigurationState) {
        let owner = state.meta["owner"]?.stringValue
        for name in ["Home", "Other"] {
            expect(
                state.sections[name]?.string(forKey: "owner") == owner, "a configuration is a mix")
        }
    }

    /// Answers requests late and in random order, until the test is over and all downloads have
    /// ended.
    ///
    /// A download that has started may make its request later.
    private func answer(_ fixture: CoordinatorFixture, while isGoingOn: Locked<Bool>) async {
        struct Failure: Error {}
        var generator = SeededGenerator.printingItsSeed()
        let downloader = fixture.downloader
        while !Task.isCancelled {
            let isLast =
                !isGoingOn.withLock { $0 }
                && fixture.config.front.running.count == 0
            let running = downloader.runningRequests
            guard let request = running.randomElement(using: &generator) else {
                if isLast { return }
                await Task.yield()
                continue
            }
            for _ in 0..<Int.random(in: 0..<4, using: &generator) { await Task.yield() }
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: downloader.answer(request.number, with: .failure(Failure()))
            case 1 where request.lastKnown != nil:
                downloader.answer(request.number, with: .unchanged)
            default:
                downloader.answer(
                    request.number,
                    with: .configuration(
                        Self.configuration(of: request.userID, number: request.number)))
            }
            await Task.yield()
        }
    }

    /// Switches A → B → A in a tight loop in one task, which therefore knows whose values it must
    /// read.
    @Test func aTightLoopReadsOnlyTheCurrentUsersValues() async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held })
        let config = fixture.config
        let recorder = NotificationRecorder(of: config, in: fixture.center) { entry in
            guard let section = entry.section else { return }
            expect(
                section.string(forKey: "owner") == entry.userID,
                "a notification has another user's section")
        }
        let listener = fixture.listener()
        let isGoingOn = Locked(true)
        let consumer = Task {
            for await change in config.changes() {
                expect(
                    change.new == nil || change.new?.string(forKey: "owner") == change.userID,
                    "a change has another user's section")
            }
        }
        await withTaskGroup { group in
            for _ in 0..<6 {
                group.addTask {
                    while isGoingOn.withLock({ $0 }) {
                        for _ in 0..<100 { look(at: config.currentConfiguration) }
                        await Task.yield()
                    }
                }
            }
            group.addTask { await answer(fixture, while: isGoingOn) }
            group.addTask {
                for turn in 0..<10_000 {
                    let user = Self.users[turn % 2]
                    config.currentUserID = user
                    fixture.startDownload()
                    for _ in 0..<3 {
                        let owner = config["Home"]?.string(forKey: "owner")
                        expect(owner == nil || owner == user, "\(user) reads another user's value")
                    }
                    if turn.isMultiple(of: 16) { await Task.yield() }
                }
                isGoingOn.withLock { $0 = false }
            }
            await group.waitForAll()
        }
        consumer.cancel()
        await consumer.value
        fixture.drain()

        #expect(faults.withLock { $0 } == [])
        // The listener receives the sections of the notifications, in the same order; read on the
        // listener queue, since the last downloads may still be ending.
        let (sections, posted) = fixture.queue.sync {
            (listener.sections, recorder.entries(named: ActiveConfig.sectionDidChangeNotification))
        }
        let isSame = sections == posted.filter { $0.sectionName == "Home" }.map(\.section)
        // A list of 10,000 sections would fill the log.
        #expect(isSame, "\(sections.count) sections, \(posted.count) notifications")
        // Without both late and timely answers, the test would prove nothing.
        let updates = recorder.entries(named: ActiveConfig.downloadUpdateFinishedNotification)
        #expect(updates.contains { $0.configurationIsCurrent == true })
        #expect(updates.contains { $0.configurationIsCurrent == false })
        #expect(fixture.downloader.peakRunningCount == 2)
        for user in Self.users {
            let own = try #require(config.configStore?.ownConfiguration(forUserID: user))
            #expect(own.meta["owner"]?.stringValue == user)
            look(at: own)
        }
    }

    /// Switches users from 8 concurrent tasks, which wait for their downloads and are sometimes
    /// cancelled.
    @Test func tasksAtOnceSeeWholeConfigurationsOfOneUser() async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held })
        let config = fixture.config
        let recorder = NotificationRecorder(of: config, in: fixture.center) { entry in
            guard let section = entry.section else { return }
            expect(
                section.string(forKey: "owner") == entry.userID,
                "a notification has another user's section")
        }
        let isGoingOn = Locked(true)
        let answering = Task { await answer(fixture, while: isGoingOn) }
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for turn in 0..<300 {
                        config.currentUserID = Self.users[(task + turn) % 2]
                        let download = Task { try await config.downloadNewConfig() }
                        if turn.isMultiple(of: 5) { download.cancel() }
                        for _ in 0..<20 { look(at: config.currentConfiguration) }
                        let result = try? await download.value
                        expect(
                            result.map { Self.users.contains($0.userID ?? "") } ?? true,
                            "a result has no owner")
                    }
                }
            }
            await group.waitForAll()
        }
        isGoingOn.withLock { $0 = false }
        await answering.value
        fixture.drain()
        #expect(faults.withLock { $0 } == [])
        #expect(!recorder.entries.isEmpty)
        for user in Self.users {
            config.currentUserID = user
            #expect(config["Home"]?.string(forKey: "owner") == user)
            #expect(
                config.configStore?.ownConfiguration(forUserID: user) == config.currentConfiguration
            )
        }
    }
}
