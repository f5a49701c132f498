import ActiveConfig
import ActiveConfigRealtime
import ActiveConfigTesting
import Foundation
import Testing

/// An updater over a scripted backend, on the backend's clock.
struct UpdaterFixture {
    let backend: ScriptedBackend
    let config: ActiveConfig
    let updater: ActiveConfigUpdater
    let queue: DispatchQueue
    let activity: AsyncStream<AppActivity.Event>.Continuation

    var clock: ManualClock { backend.clock }

    static func make(
        _ backend: ScriptedBackend = ScriptedBackend(), userID: String? = "1",
        users: ActiveConfigUpdater.Users = .current,
        options: ActiveConfigUpdater.Options = ActiveConfigUpdater.Options(), seed: UInt64 = 1,
        vetting: [any ConfigurationVetting] = []
    ) -> UpdaterFixture {
        let queue = DispatchQueue(label: "listeners")
        var configOptions = ActiveConfigOptions()
        configOptions.vetting = vetting
        let config = ActiveConfig.make(listenerQueue: queue, options: configOptions)
        config.currentUserID = userID
        let (events, activity) = AsyncStream.makeStream(of: AppActivity.Event.self)
        return UpdaterFixture(
            backend: backend, config: config,
            updater: .make(
                config, source: backend, users: users, options: options,
                activity: AppActivity { events }, clock: backend.clock, seed: seed),
            queue: queue, activity: activity)
    }

    /// Runs the updater during `body`, and returns after it has ended.
    func run(_ body: () async throws -> Void) async throws {
        let run = Task { await updater.run() }
        defer { run.cancel() }
        do { try await body() } catch {
            run.cancel()
            _ = await run.result
            throw error
        }
        run.cancel()
        await run.value
    }

    func title(of userID: String? = nil) -> String? {
        config["Home"]?.string(forKey: "title")
    }

    /// Waits until a title is active.
    func waitForTitle(_ title: String) async throws {
        for await section in config.values(ofSection: "Home")
        where section?.string(forKey: "title") == title { return }
        throw CancellationError()
    }

    /// Waits for a state of a user's connection.
    @discardableResult
    func waitForState(
        of userID: String? = "1", where isMet: @Sendable (ActiveConfigUpdateState) -> Bool
    ) async throws -> ActiveConfigUpdateState {
        for await update in updater.updates {
            if case .state(let state, userID) = update, isMet(state) { return state }
        }
        throw CancellationError()
    }

    func waitUntilLive() async throws { try await waitForState { $0.isLive } }

    /// Advances the clock in steps, as soon as a task sleeps, until a condition is met.
    func advance(
        by step: Duration = .milliseconds(500), limit: Int = 10_000, until isMet: () -> Bool
    ) async throws {
        for _ in 0..<limit {
            if isMet() { return }
            // Runnable tasks go first; there may be no task that waits for the clock.
            // deadline: each yield lets runnable tasks go first
            for _ in 0..<20 { await Task.yield() }
            try await settle()
            if isMet() { return }
            clock.advance(by: step)
        }
        Issue.record("the condition is not met after \(step * limit)")
    }

    /// Waits until the system is idle: the sleepers and the requests stay the same for a moment.
    func settle() async throws {
        var before = (-1, -1)
        var same = 0
        while same < 3 {
            // Work on other threads, such as the store's, takes real time: a round takes as long as
            // a switch to another thread takes on this machine.
            await withCheckedContinuation { round in
                DispatchQueue(label: "round").async { round.resume() }
            }
            try await Task.sleep(for: .milliseconds(1))  // deadline: longer on a slow machine
            let now = (clock.deadlines.count, backend.requests.count)
            same = now == before && now.0 > 0 ? same + 1 : 0
            before = now
        }
    }

    var documentRequests: [ScriptedBackend.Request] {
        backend.requests.filter {
            if case .document = $0.kind { return true }
            return false
        }
    }
}

extension ActiveConfigUpdateState {
    var isLive: Bool {
        if case .live = self { return true }
        return false
    }

    var isWaiting: Bool {
        if case .waiting = self { return true }
        return false
    }

    var isPolling: Bool {
        if case .polling = self { return true }
        return false
    }
}

extension [String: ActiveConfigSection] {
    static func titled(_ title: String) -> Self { ["Home": ["title": .string(title)]] }
}
