import ActiveConfig
import ActiveConfigTesting
import Foundation
import Observation
import Testing

/// Whether the app may run.
@MainActor
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct LaunchGateTests {
    private let clock = ManualClock()
    private let downloader = ScriptedDownloader { _ in .held }

    private static func configuration(_ launch: ActiveConfigSection) -> ConfigurationState {
        .make(sections: ["Launch": launch, "Home": ["title": "x"]])
    }

    private func makeGate(
        bootstrap: ActiveConfigSection = [:], appVersion: String = "2.0"
    ) -> LaunchGate {
        let clock = clock
        return LaunchGate(
            .make(
                downloader: downloader,
                store: InMemoryStore(bootstrap: .state(Self.configuration(bootstrap)))),
            appVersion: appVersion, timeout: .seconds(5), clock: clock,
            now: { Date(timeIntervalSince1970: Double(clock.now.offset.components.seconds)) })
    }

    @Test func aGateTakesTheVersionOfTheBundle() {
        let log = RecordingLog()
        _ = LaunchGate(ActiveConfig.make(log: log.log))
        let isUnknown = log.messages(ofLevel: .warning).contains { $0.contains("has no number") }
        #expect(isUnknown == (PlatformSignals.current.appVersion == nil))
    }

    @Test func theGateIsLoadingUntilTheDownloadEnds() async throws {
        let gate = makeGate(bootstrap: ["isInMaintenance": true])
        #expect(gate.state == .loading)
        async let isDone: Void = gate.check()
        try await downloader.waitForRequests(1)
        #expect(gate.state == .loading)
        downloader.answer(1, with: .configuration(Self.configuration([:])))
        await isDone
        #expect(gate.state == .ready)
    }

    @Test func theGateGoesOnWithWhatIsKnownWhenTheTimeIsOver() async throws {
        let gate = makeGate(
            bootstrap: [
                "isInMaintenance": true, "maintenanceMessage": "Back at nine.",
                "maintenanceEnd": "1970-01-01T00:01:00Z",
            ])
        async let isDone: Void = gate.check()
        try await downloader.waitForRequests(1)
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        await isDone
        let end = Date(timeIntervalSince1970: 60)
        #expect(gate.state == .maintenance(message: "Back at nine.", end: end))

        // The download continues, and the gate follows its result.
        downloader.answer(1, with: .configuration(Self.configuration(["minimumVersion": "2.0.1"])))
        await waitUntil { gate.state == .updateRequired(minimumVersion: "2.0.1") }
    }

    @Test func theGateReadsSettingsOfOtherNames() async throws {
        let isClosed = SettingKey("Operation", "is_closed", default: false)
        let oldest = SettingKey("Operation", "oldest_version", default: String?.none)
        let config = ActiveConfig.make(downloader: downloader)
        let gate = LaunchGate(config, appVersion: "2.0", clock: clock) { observer in
            var settings = LaunchGate.Settings()
            settings.isInMaintenance = observer[isClosed]
            settings.minimumVersion = observer[oldest]
            return settings
        }
        async let isDone: Void = gate.check()
        try await downloader.waitForRequests(1)
        downloader.answer(
            1, with: .configuration(.make(sections: ["Operation": ["is_closed": true]])))
        await isDone
        #expect(gate.state == .maintenance(message: nil, end: nil))
        // The state follows the configuration.
        config.setDefaults(["Operation": ["oldest_version": "2.1"]])
        await waitUntil { gate.state == .updateRequired(minimumVersion: "2.1") }
    }

    /// A device that is offline must not stay locked.
    @Test func aMaintenanceEndsByTheClock() async throws {
        let gate = makeGate(
            bootstrap: ["isInMaintenance": true, "maintenanceEnd": "1970-01-01T00:01:00Z"])
        async let isDone: Void = gate.check()
        try await downloader.waitForRequests(1)
        downloader.answer(1, with: .unchanged)
        await isDone
        let (states, state) = AsyncStream.makeStream(of: LaunchGate.State.self)
        withObservationTracking {
            _ = state.yield(gate.state)
        } onChange: {
            Task { @MainActor in state.yield(gate.state) }
        }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(60))
        let end = Date(timeIntervalSince1970: 60)
        var iterator = states.makeAsyncIterator()
        #expect(await iterator.next() == .maintenance(message: nil, end: end))
        #expect(await iterator.next() == .ready)
    }

    @Test func aFailedDownloadOpensTheGate() async throws {
        let gate = makeGate()
        async let isDone: Void = gate.check()
        try await downloader.waitForRequests(1)
        downloader.answer(1, with: .failure(DownloadError(.cannotConnect)))
        await isDone
        #expect(gate.state == .ready)
    }

    @Test func aCancelledWaitOpensTheGate() async throws {
        let gate = makeGate()
        let task = Task { await gate.check() }
        try await downloader.waitForRequests(1)
        task.cancel()
        await task.value
        #expect(gate.state == .ready)
    }

    /// An invalid section does not lock users out.
    @Test func settingsThatCannotBeReadLetTheAppRun() async throws {
        let gate = makeGate(bootstrap: ["isInMaintenance": ["a"], "minimumVersion": ["3"]])
        async let isDone: Void = gate.check()
        try await downloader.waitForRequests(1)
        downloader.answer(1, with: .unchanged)
        await isDone
        #expect(gate.state == .ready)
    }

    @Test(arguments: [
        ("2.0", "2.0", true), ("2.0", "2", true), ("2.0", "2.0.0", true), ("2.0", "1.9.9", true),
        ("10.0", "9.1", true), ("2.0", "2.0.1", false), ("2.9", "2.10", false),
        ("1", "1.0.0.1", false), ("2.0", "soon", true), ("2.0", "99999999999999999999", true),
        ("2.1-beta", "2.1", true), ("2.1 (45)", "2.1", true), ("v2.1", "1.0", true),
        (" 2.1", "2.1", true), ("2.1-beta", "2.2", false), ("", "1", true), ("abc", "1", true),
    ])
    func versionsAreComparedNumberByNumber(
        appVersion: String, minimum: String, mayRun: Bool
    ) async throws {
        let gate = makeGate(bootstrap: ["minimumVersion": .string(minimum)], appVersion: appVersion)
        async let isDone: Void = gate.check()
        try await downloader.waitForRequests(1)
        downloader.answer(1, with: .unchanged)
        await isDone
        #expect((gate.state == .ready) == mayRun, "\(gate.state)")
    }

    @Test func aMinimumVersionMayBeANumber() async throws {
        let gate = makeGate(bootstrap: ["minimumVersion": 2.5])
        async let isDone: Void = gate.check()
        try await downloader.waitForRequests(1)
        downloader.answer(1, with: .unchanged)
        await isDone
        #expect(gate.state == .updateRequired(minimumVersion: "2.5"))
    }

    /// The system clock may be set back in the meantime, even if only slightly.
    @Test func aMaintenanceEndsWhateverTheTimeOfDayIs() async throws {
        let gate = LaunchGate(
            .make(
                downloader: ScriptedDownloader(.unchanged),
                store: InMemoryStore(
                    bootstrap: .state(
                        Self.configuration([
                            "isInMaintenance": true, "maintenanceEnd": "1970-01-01T00:01:00Z",
                        ])))),
            appVersion: "1", timeout: .seconds(5), clock: clock,
            now: { Date(timeIntervalSince1970: 0) })
        await gate.check()
        #expect(gate.state != .ready)
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(60))
        await waitUntil { gate.state == .ready }
    }

    @Test func aGateThatIsGoneLeavesNoAlarm() async throws {
        func waitForMaintenance() async throws {
            let gate = makeGate(
                bootstrap: ["isInMaintenance": true, "maintenanceEnd": "1970-01-01T00:01:00Z"])
            async let isDone: Void = gate.check()
            try await clock.waitForSleepers(1)
            clock.advance(by: .seconds(5))
            await isDone
            guard case .maintenance = gate.state else {
                Issue.record("\(gate.state)")
                return
            }
            try await clock.waitForSleepers(1)
        }
        for _ in 0..<3 {
            try await waitForMaintenance()
            // A cancelled sleep ends later: the next round must not take it for its own.
            try await clock.waitForDeadlines { $0.isEmpty }
        }
    }

    @Test func theLongestTimeoutIsNoFault() async {
        let gate = LaunchGate(
            .make(downloader: ScriptedDownloader(.unchanged)), appVersion: "1",
            timeout: .seconds(Int64.max))
        await gate.check()
        #expect(gate.state == .ready)
    }

    /// Also when the main actor is busy until the answer has arrived, as it is at launch.
    @Test func theGateDownloadsOnce() async throws {
        let downloader = ScriptedDownloader(.configuration(Self.configuration([:])))
        let center = NotificationCenter()
        let config = ActiveConfig.make(downloader: downloader, notificationCenter: center)
        let gate = LaunchGate(config, appVersion: "1", clock: clock)
        let isOver = DispatchSemaphore(value: 0)
        let token = center.addObserver(
            forName: ActiveConfig.downloadUpdateFinishedNotification, object: nil, queue: nil
        ) { _ in isOver.signal() }
        defer { center.removeObserver(token) }
        let isDone = Task { await gate.check() }
        func holdUp() { #expect(isOver.wait(timeout: .now() + 60) == .success) }
        // It runs before the tasks that the gate starts, and delays them.
        Task { holdUp() }
        await isDone.value
        #expect(gate.state == .ready && downloader.requests.count == 1)
    }
}
