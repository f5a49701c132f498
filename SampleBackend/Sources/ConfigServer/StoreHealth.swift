import ClientAPI
import Foundation
import HTTPServing
import JSONTree
import Logging
import Metrics
import ServiceLifecycle
import TemplateStore

/// Whether the store answers, for `GET /health/ready` and the metrics.
///
/// Without the store the server goes on serving from memory, so that this decides nothing else.
final class StoreHealth: Service {
    /// Interval between the checks that nobody asks for.
    private static let interval: Duration = .seconds(10)

    /// Maximum duration of a check that somebody asks for; load balancers wait for a few seconds.
    private static let maximumWait: Duration = .seconds(2)

    private let library: TemplateLibrary
    private let snapshots: SnapshotKeeper?
    private let logger: Logger
    private let gauge = Gauge(label: "activeconfig_store_ready")

    /// The reason that was logged last; nil while the store answers.
    private let logged = Locked<String?>(nil)

    init(library: TemplateLibrary, snapshots: SnapshotKeeper?, logger: Logger) {
        self.library = library
        self.snapshots = snapshots
        self.logger = logger
    }

    /// Checks the store from time to time until the task is cancelled or the server shuts down.
    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                _ = await self.degradation()
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Checks the store, and returns why the server is degraded, in sentences for everybody; nil when it
    /// is not.
    func degradation() async -> String? {
        let fault = await fault()
        let date = library.snapshotDate
        let start = date.map { "The server was started from the snapshot of \($0.timestamp)" }
        let storeReason = fault.map(Self.reason)
        gauge.record(fault == nil && date == nil ? 1 : 0)
        let reasons = [
            start.map { storeReason == nil ? "\($0), and is reading its store." : "\($0)." },
            storeReason, snapshots?.fault,
        ].compactMap { $0 }
        let reason = reasons.isEmpty ? nil : reasons.joined(separator: " ")
        let isNews = logged.withLock { logged in
            defer { logged = reason }
            return logged != reason
        }
        if isNews {
            if let reason {
                logger.warning(
                    "Degraded: \(reason)",
                    metadata: fault.map { ["error": "\($0)"] })
            } else {
                logger.notice("No longer degraded: the store answers")
            }
        }
        return reason
    }

    /// The store's error, or one for a check that takes too long; nil when it can be read and written.
    private func fault() async -> TemplateStoreError? {
        let store = library.store
        do throws(TemplateStoreError) {
            try await StoreCall.run(within: Self.maximumWait) {
                () throws(TemplateStoreError) in try await store.checkReadiness()
            }
            return nil
        } catch {
            return error
        }
    }

    private static func reason(_ error: TemplateStoreError) -> String {
        error.code == .unavailable
            ? "The store does not answer, as the server's log says: documents and streams are served "
                + "from memory, and nothing can be published."
            : RequestError(error, project: "").message
    }
}
