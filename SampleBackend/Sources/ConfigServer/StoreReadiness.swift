import ClientAPI
import Metrics
import ServiceLifecycle

/// Checks whether the store can be read and written, and records the result.
struct StoreReadiness: Sendable {
    /// Interval between two checks that no client asks for.
    private static let interval: Duration = .seconds(10)

    /// The source whose readiness is the server's.
    let source: any DocumentSource

    /// Checks once.
    ///
    /// - Throws: The reason why the store cannot be read or written.
    func check() async throws {
        do {
            try await source.checkReadiness()
            record(1)
        } catch {
            record(0)
            throw error
        }
    }

    /// Checks repeatedly until the task is cancelled or the server shuts down.
    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                // The gauge and `/health/ready` report a failure.
                try? await check()
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    private func record(_ value: Int) {
        // Without checks there is no series, rather than one of 0.
        Gauge(label: "activeconfig_store_ready").record(value)
    }
}
