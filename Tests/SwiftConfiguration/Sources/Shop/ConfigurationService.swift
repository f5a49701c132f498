// ConfigurationService.swift
import ActiveConfigRealtime
import Logging
import ServiceLifecycle

struct ConfigurationService: Service {
    let updater: ActiveConfigUpdater

    func run() async throws {
        await cancelWhenGracefulShutdown { await updater.run() }
    }
}

/// Runs the service until SIGTERM.
func run(
    _ updater: ActiveConfigUpdater, with services: [any Service], _ logger: Logger
) async throws {
    let group = ServiceGroup(
        services: [ConfigurationService(updater: updater)] + services,
        gracefulShutdownSignals: [.sigterm], logger: logger)
    try await group.run()
}
