// MetricsService.swift
import ActiveConfig
import ActiveConfigRealtime
import ServiceLifecycle

/// Records metrics until the graceful shutdown.
struct MetricsService: Service {
    let config: ActiveConfig
    let updater: ActiveConfigUpdater

    func run() async throws {
        await cancelWhenGracefulShutdown { await measure(config, updater) }
    }
}
