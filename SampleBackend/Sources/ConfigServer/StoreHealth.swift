import ClientAPI
import Foundation
import HTTPServing
import JSONTree
import Logging
import Metrics
import ServiceLifecycle
import TemplateStore

/// The readiness of the store, for `GET /health/ready` and the metrics.
///
/// Without the store the server continues to serve from memory; administrators' requests that need
/// it are refused at once when it has not answered for a while.
final class StoreHealth: Service {
    /// Interval between background checks.
    private static let interval: Duration = .seconds(10)

    /// Maximum duration of a check.
    private static let timeLimit: Duration = .seconds(2)

    /// Maximum time for which a request waits for the check; after that it receives the previous
    /// result.
    ///
    /// A load balancer may take a slow answer for a dead server.
    private static let maximumWait: Duration = .milliseconds(75)

    /// How long a cluster may fail checks before requests no longer wait for it: an election takes
    /// less.
    private static let patience: Duration = .seconds(8)

    private struct State {
        /// The check in progress, which concurrent requests share.
        var check: Task<Void, Never>?

        /// The error of the last check or call; nil while the store answers.
        var fault: TemplateStoreError?

        /// When the first of the last checks failed, or the first failed call began; nil while the
        /// store answers.
        var faultStart: ContinuousClock.Instant?

        /// True when the server is about to shut down.
        var isDraining = false

        /// The last logged reason.
        var logged: String?
    }

    private let library: TemplateLibrary
    private let snapshots: SnapshotKeeper?
    private let logger: Logger
    private let gauge = Gauge(label: "activeconfig_store_ready")
    private let state = Locked(State())

    init(library: TemplateLibrary, snapshots: SnapshotKeeper?, logger: Logger) {
        self.library = library
        self.snapshots = snapshots
        self.logger = logger
    }

    /// True when load balancers should send no more requests.
    var isDraining: Bool { state.withLock { $0.isDraining } }

    func drain() { state.withLock { $0.isDraining = true } }

    /// Checks the store periodically until the task is cancelled or the server shuts down.
    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                _ = await self.degradation()
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Checks the store and returns the reason why the server is degraded, without confidential
    /// details; nil when it is not degraded.
    func degradation() async -> String? {
        let check = state.withLock { state in
            let check = state.check ?? Task { [self] in await checkStore() }
            state.check = check
            return check
        }
        _ = await result(within: Self.maximumWait) { await check.value }
        return noteReason()
    }

    /// The fault of a cluster that has not answered for a while; nil when a request may call it.
    ///
    /// Each of these requests would occupy a place in its pool for seconds. The first one after an
    /// outage ends it, since it causes a check.
    func lastingFault() async -> TemplateStoreError? {
        guard knownLastingFault != nil else { return nil }
        _ = await degradation()
        return knownLastingFault
    }

    /// Notes that a call of a request has failed, so that the next ones need not wait as long.
    func noteFailure(_ error: TemplateStoreError, start: ContinuousClock.Instant) {
        guard error.code == .unavailable else { return }
        state.withLock { state in
            state.fault = error
            state.faultStart = min(state.faultStart ?? start, start)
        }
    }

    private var knownLastingFault: TemplateStoreError? {
        guard library.store is any ReplicaStoring else { return nil }
        return state.withLock { state in
            guard let start = state.faultStart, start.duration(to: .now) >= Self.patience,
                state.fault?.code == .unavailable
            else { return nil }
            return state.fault
        }
    }

    private func checkStore() async {
        let store = library.store
        let answer = await result(within: Self.timeLimit) { () -> TemplateStoreError? in
            do throws(TemplateStoreError) {
                try await store.checkReadiness()
                return nil
            } catch {
                return error
            }
        }
        let fault =
            answer
            ?? TemplateStoreError(
                .unavailable, "The store did not answer within \(Self.timeLimit).")
        state.withLock { state in
            state.fault = fault
            state.faultStart = fault == nil ? nil : state.faultStart ?? .now
            state.check = nil
        }
        _ = noteReason()
    }

    /// Returns the reason why the server is degraded, according to the last check, and logs it when
    /// it has changed.
    private func noteReason() -> String? {
        let date = library.snapshotDate
        let start = date.map {
            let count = snapshots?.omissionCount ?? 0
            return "The server was started from the snapshot of \($0.timestamp)"
                + (count == 0
                    ? ""
                    : ", without \(count) record\(count == 1 ? "" : "s") that cannot be read (see "
                        + "the server log)")
        }
        let snapshotFault = snapshots?.fault
        let damage = snapshots?.storeDamage
        let (fault, reason, isNews) = state.withLock { state in
            let storeReason = (state.fault ?? damage).map(Self.reason)
            let reasons = [
                start.map { storeReason == nil ? "\($0), and is reading its store." : "\($0)." },
                storeReason, snapshotFault,
            ].compactMap { $0 }
            let reason = reasons.isEmpty ? nil : reasons.joined(separator: " ")
            defer { state.logged = reason }
            return (state.fault, reason, state.logged != reason)
        }
        gauge.record(fault == nil && date == nil ? 1 : 0)
        guard isNews else { return reason }
        if let reason {
            logger.warning("Degraded: \(reason)", metadata: fault.map { ["error": "\($0)"] })
        } else {
            logger.notice("No longer degraded: the store answers")
        }
        return reason
    }

    private static func reason(_ error: TemplateStoreError) -> String {
        error.code == .unavailable
            ? "The store does not answer (see the server log): documents and streams are served "
                + "from memory, and nothing can be published."
            : RequestError(error, project: "").message
    }
}
