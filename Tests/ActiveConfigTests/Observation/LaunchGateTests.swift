import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Whether the app may run.
@MainActor
@Suite(.timeLimit(.minutes(5)))
struct LaunchGateTests {
    private let clock = ManualClock()
    private let downloader = ScriptedDownloader { _ in .held }

    private static func configuration(_ launch: [String: SettingValue]) -> ConfigurationState {
        .make(sections: ["Launch": launch, "Home": ["title": "x"]])
    }

    private func makeGate(
        bootstrap: [String: SettingValue] = [:], appVersion: String = "2.0"
    ) -> LaunchGate {
        LaunchGate(
            .make(
                downloader: downloader,
                store: InMemoryStore(bootstrap: .state(Self.configuration(bootstrap)))),
            appVersion: appVersion, clock: clock)
    }

    @Test func theGateIsLoadingUntilTheDownloadEnds() async throws {
        let gate = makeGate(bootstrap: ["isInMaintenance": true])
        #expect(gate.state == .loading)
        async let isOpen: Void = gate.open()
        try await downloader.waitForRequests(1)
        #expect(gate.state == .loading)
        downloader.answer(1, with: .configuration(Self.configuration([:])))
        await isOpen
        #expect(gate.state == .ready)
    }

    @Test func theGateGoesOnWithWhatIsKnownWhenTheTimeIsOver() async throws {
        let gate = makeGate(
            bootstrap: [
                "isInMaintenance": true, "maintenanceMessage": "Back at nine.",
                "maintenanceEnd": "2026-11-22T09:00:00Z",
            ])
        async let isOpen: Void = gate.open()
        try await downloader.waitForRequests(1)
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        await isOpen
        let end = try Date("2026-11-22T09:00:00Z", strategy: .iso8601)
        #expect(gate.state == .maintenance(message: "Back at nine.", until: end))

        // The download goes on, and the gate follows what it brings.
        downloader.answer(1, with: .configuration(Self.configuration(["minimumVersion": "2.0.1"])))
        while gate.state != .updateRequired(minimumVersion: "2.0.1") { await Task.yield() }
    }

    @Test func aFailedDownloadOpensTheGate() async throws {
        let gate = makeGate()
        async let isOpen: Void = gate.open()
        try await downloader.waitForRequests(1)
        downloader.answer(1, with: .failure(DownloadError(.cannotConnect)))
        await isOpen
        #expect(gate.state == .ready)
    }

    @Test func aCancelledWaitOpensTheGate() async throws {
        let gate = makeGate()
        let task = Task { await gate.open() }
        try await downloader.waitForRequests(1)
        task.cancel()
        await task.value
        #expect(gate.state == .ready)
    }

    /// A mistake in the section locks nobody out.
    @Test func settingsThatCannotBeReadLetTheAppRun() async throws {
        let gate = makeGate(bootstrap: ["isInMaintenance": ["a"], "minimumVersion": 3])
        async let isOpen: Void = gate.open()
        try await downloader.waitForRequests(1)
        downloader.answer(1, with: .unchanged)
        await isOpen
        #expect(gate.state == .ready)
    }

    @Test(arguments: [
        ("2.0", "2.0", true), ("2.0", "2", true), ("2.0", "2.0.0", true), ("2.0", "1.9.9", true),
        ("10.0", "9.1", true), ("2.0", "2.0.1", false), ("2.9", "2.10", false),
        ("1", "1.0.0.1", false), ("", "1", false), ("2.0-beta", "2.0", true), ("2.0", "soon", true),
        ("2.0", "99999999999999999999", true),
    ])
    func versionsAreComparedNumberByNumber(
        appVersion: String, minimum: String, mayRun: Bool
    ) async throws {
        let gate = makeGate(bootstrap: ["minimumVersion": .string(minimum)], appVersion: appVersion)
        async let isOpen: Void = gate.open()
        try await downloader.waitForRequests(1)
        downloader.answer(1, with: .unchanged)
        await isOpen
        #expect((gate.state == .ready) == mayRun, "\(gate.state)")
    }
}
