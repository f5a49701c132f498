import ArgumentParser
import ConfigServer
import Logging
import ServiceLifecycle
import UnixSignals

/// The signals of `serve`: SIGHUP reloads files, SIGTERM and SIGINT shut down, SIGTERM after the
/// drain time.
struct ServerSignals: ParsableArguments {
    /// Time limit for a graceful shutdown, after which requests are cancelled; the process exits
    /// within 10 seconds of its start.
    private static let shutdownTime: Duration = .seconds(9)

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

    /// Runs a server until a signal has shut it down.
    func run(_ server: ConfigServer, logger: Logger) async throws {
        // Trapped before the server listens, so that no signal ends the process.
        let signals = await UnixSignalsSequence(trapping: .sighup, .sigterm, .sigint)
        var configuration = ServiceGroupConfiguration(services: [server], logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.shutdownTime
        let group = ServiceGroup(configuration: configuration)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { [drainSeconds] in
                await Self.obey(signals, server, group, drainTime: .seconds(drainSeconds))
            }
            try await group.run()
            tasks.cancelAll()
        }
    }

    private static func obey(
        _ signals: UnixSignalsSequence, _ server: ConfigServer, _ group: ServiceGroup,
        drainTime: Duration
    ) async {
        await withDiscardingTaskGroup { tasks in
            var isDraining = false
            for await signal in signals {
                if signal == .sighup {
                    await server.reloadFiles()
                } else if signal == .sigint || isDraining || drainTime == .zero {
                    await group.triggerGracefulShutdown()
                    break
                } else {
                    isDraining = true
                    server.drain()
                    tasks.addTask {
                        guard (try? await Task.sleep(for: drainTime)) != nil else { return }
                        await group.triggerGracefulShutdown()
                    }
                }
            }
            tasks.cancelAll()
        }
    }
}
