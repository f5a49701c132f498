import ArgumentParser
import ConfigServer
import Foundation
import HTTPServing
import Logging
import ServiceLifecycle
import TemplateStore
import UnixSignals

/// The signals of `serve`: SIGHUP reloads files, SIGTERM and SIGINT shut down, SIGTERM after the
/// drain time.
struct ServerSignals: ParsableArguments {
    /// Time limit for a graceful shutdown, after which requests are cancelled.
    private static let shutdownTime: Duration = .seconds(9)

    /// Time after which the process exits even if a task does not end, such as one that reads a file
    /// from a mount that does not respond: within 10 seconds of the signal.
    private static let exitTime: Duration = .milliseconds(9_500)

    /// The same before the server listens, when no request is in flight.
    private static let exitTimeOfStart: Duration = .seconds(2)

    @Option(
        help: ArgumentHelp(
            "After SIGTERM, answer for this time with /health/ready 503, then shut down.",
            discussion: "So a load balancer can send requests elsewhere. SIGINT does not wait, "
                + "and any second signal ends the wait.",
            valueName: "seconds"))
    var drainSeconds = 0

    /// - Throws: `ValidationError`.
    func validate() throws {
        guard (0...3_600).contains(drainSeconds) else {
            throw ValidationError("--drain-seconds is out of range: give 0 to 3600 seconds.")
        }
    }

    /// Opens a server and runs it until a signal has shut it down.
    ///
    /// A shutdown while it opens cancels that, and is no error.
    func run(
        logger: Logger, opening open: @escaping @Sendable () async throws -> OpenServer
    ) async throws {
        // Trapped before anything is opened, so that no signal ends the process.
        let signals = await UnixSignalsSequence(trapping: .sighup, .sigterm, .sigint)
        let service = OpeningService(open: open)
        var configuration = ServiceGroupConfiguration(services: [service], logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.shutdownTime
        let group = ServiceGroup(configuration: configuration)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [drainSeconds] in
                await Self.obey(
                    signals, service, group, drainTime: .seconds(drainSeconds), logger: logger)
            }
            try await group.run()
            tasks.cancelAll()
        }
    }

    private static func obey(
        _ signals: UnixSignalsSequence, _ service: OpeningService, _ group: ServiceGroup,
        drainTime: Duration, logger: Logger
    ) async {
        // That of the first shutdown, whatever comes after it.
        let deadline = Locked<ContinuousClock.Instant?>(nil)
        await withDiscardingTaskGroup { tasks in
            var isDraining = false
            for await signal in signals {
                if signal == .sighup {
                    service.reloadFiles()
                } else if signal == .sigterm, !isDraining, drainTime > .zero, service.drain() {
                    isDraining = true
                    tasks.addTask {
                        guard (try? await Task.sleep(for: drainTime)) != nil else { return }
                        await shutDown(group, within: exitTime, deadline, logger: logger)
                    }
                } else {
                    break
                }
            }
            tasks.cancelAll()
        }
        // The server has ended without a signal.
        if Task.isCancelled { return }
        await shutDown(
            group, within: service.isOpening ? exitTimeOfStart : exitTime, deadline, logger: logger)
    }

    /// Shuts down, and exits at the deadline, or after the limit if there is none yet, unless this
    /// task is cancelled before.
    private static func shutDown(
        _ group: ServiceGroup, within limit: Duration,
        _ deadline: Locked<ContinuousClock.Instant?>, logger: Logger
    ) async {
        let end = deadline.withLock { deadline in
            let end = deadline ?? .now + limit
            deadline = end
            return end
        }
        await group.triggerGracefulShutdown()
        guard (try? await Task.sleep(until: end)) != nil else { return }
        logger.warning("The time limit for shutdown expired: the process exits")
        Foundation.exit(EXIT_SUCCESS)
    }
}

/// A server that can run, and what to close after it.
struct OpenServer: Sendable {
    let server: ConfigServer
    let close: @Sendable () async -> Void
}

/// A server from the start of its opening; signals reach it at any time.
private final class OpeningService: Service {
    private enum State {
        /// `isReloadWanted` means that files which are read already may have changed.
        case opening(isReloadWanted: Bool)
        case running(ConfigServer)
    }

    private let open: @Sendable () async throws -> OpenServer
    private let state = Locked(State.opening(isReloadWanted: false))

    init(open: @escaping @Sendable () async throws -> OpenServer) {
        self.open = open
    }

    var isOpening: Bool {
        state.withLock { if case .opening = $0 { true } else { false } }
    }

    func run() async throws {
        let opened: OpenServer
        do {
            // Reads keys and snapshots, which may block: the threads of tasks obey the signals.
            opened = try await cancelWhenGracefulShutdown { [open] in
                try await withTaskExecutorPreference(BlockingExecutor()) { try await open() }
            }
        } catch {
            if Task.isShuttingDownGracefully { return }
            throw error
        }
        do {
            if !Task.isShuttingDownGracefully { try await run(opened.server) }
        } catch {
            await opened.close()
            throw error
        }
        await opened.close()
    }

    private func run(_ server: ConfigServer) async throws {
        let isReloadWanted = state.withLock { state in
            defer { state = .running(server) }
            return if case .opening(isReloadWanted: true) = state { true } else { false }
        }
        if isReloadWanted { server.reloadFiles() }
        try await server.run()
    }

    /// Reloads the server's files, at the latest when it is open.
    func reloadFiles() {
        let server = state.withLock { state -> ConfigServer? in
            if case .running(let server) = state { return server }
            state = .opening(isReloadWanted: true)
            return nil
        }
        server?.reloadFiles()
    }

    /// Makes the server unready; returns false while it opens, when no request can be in flight.
    func drain() -> Bool {
        guard case .running(let server) = state.withLock({ $0 }) else { return false }
        server.drain()
        return true
    }
}
