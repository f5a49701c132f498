// TemplateService.swift
import ActiveConfigEvaluation
import Logging
import ServiceLifecycle
import UnixSignals

/// Follows the template until the group shuts down.
struct TemplateService: Service {
    let evaluator: TemplateEvaluator

    func run() async throws {
        await cancelWhenGracefulShutdown { await evaluator.run() }
    }
}

/// Runs other services, such as an HTTP server, until SIGTERM.
func run(
    _ services: [any Service], following evaluator: TemplateEvaluator, _ logger: Logger
) async throws {
    // The services of a group start together: without this the others start with defaults.
    try? await evaluator.load()
    let group = ServiceGroup(
        services: [TemplateService(evaluator: evaluator)] + services,
        gracefulShutdownSignals: [.sigterm], logger: logger)
    try await group.run()
}
