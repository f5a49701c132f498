import AdminAPI
import ClientAPI
import Foundation
import Logging
import ServiceLifecycle
import TemplateStore
import WebhookDelivery

/// Keeps the library and the tokens up to date with changes of the store by any process, and wakes
/// the webhook delivery.
struct StoreFollower: Service {
    /// Interval between writes of the last token uses and failed sign-ins, and between attempts to
    /// read the audit trail and to complete interrupted deletions.
    private static let useInterval: Duration = .seconds(30)

    /// Interval between removals of change requests that nobody changed for long.
    private static let expiryInterval: Duration = .seconds(6 * 3600)

    /// Maximum duration of the final writes at shutdown.
    private static let lastWriteTime: Duration = .seconds(2)

    /// Maximum time for which a start waits for the audit trails.
    private static let auditTrailTime: Duration = .seconds(5)

    /// Maximum back-off after a failure of the store.
    private static let maximumDelay: Duration = .seconds(5)

    let library: TemplateLibrary
    let access: AdministratorAccess
    let webhooks: WebhookService
    let logger: Logger
    let metrics: LibraryMetrics
    /// Nil in a process that publishes nothing at a time.
    var schedules: ScheduledPublishService?
    var now: @Sendable () -> Date = { Date() }

    /// Loads all data that the server serves from memory.
    ///
    /// Audit trails that take longer are read while the changes are followed.
    func load() async throws(TemplateStoreError) {
        try await loadBeforeAuditTrails()
        _ = await result(within: Self.auditTrailTime) { [library] in
            await library.earlierOverrides.read()
        }
    }

    private func loadBeforeAuditTrails() async throws(TemplateStoreError) {
        try await library.load()
        try await readTokens()
        try await access.readSessions { date throws(TemplateStoreError) in
            try await library.store.sessions(lastingAt: date)
        }
        library.progress?.advance(to: library.revision)
        webhooks.wake()
        schedules?.wake()
    }

    /// Follows the store until the task is cancelled or the server shuts down.
    func run() async {
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                group.addTask { await follow() }
                group.addTask { await storeUses() }
                group.addTask { await removeExpiredChangeRequests() }
            }
        }
        // Time-limited: the process must end even if the store does not answer.
        let end: Void? = await result(within: Self.lastWriteTime) {
            await storeUsesOnce()
            await recordFailedSignIns(isLast: true)
        }
        // A cancelled task has not waited for the store.
        if end == nil, !Task.isCancelled {
            logger.warning(
                "The last uses of tokens could not be stored",
                metadata: ["error": "The store did not answer within \(Self.lastWriteTime)."])
        }
    }

    /// Applies the store's changes; after a gap or a failure, reloads everything before it
    /// continues.
    private func follow() async {
        var delay: Duration = .milliseconds(100)
        var logged: String?
        // A server that started from a snapshot has not read the store yet.
        var isComplete = library.snapshotDate == nil
        while !Task.isCancelled {
            do {
                if !isComplete { try await loadBeforeAuditTrails() }
                isComplete = false
                try await withThrowingTaskGroup { group in
                    // Read concurrently: the audit trails may be long, and changes must not wait
                    // for them.
                    group.addTask { await library.earlierOverrides.read() }
                    for try await change in library.store.changes(since: library.revision) {
                        try await apply(change)
                        delay = .milliseconds(100)
                        logged = nil
                    }
                }
            } catch {
                if Task.isCancelled { return }
                metrics.countStoreError(operation: "watch")
                // Log a repeated failure once, or an unavailable store would fill the log.
                if logged != "\(error)" {
                    logger.warning(
                        "Following the changes of the store failed",
                        metadata: ["error": "\(error)"])
                }
                logged = "\(error)"
                try? await Task.sleep(for: delay * Double.random(in: 0.5...1))
                delay = min(delay * 2, Self.maximumDelay)
            }
        }
    }

    private func apply(_ change: StoreChange) async throws(TemplateStoreError) {
        try await library.apply(change)
        switch change.subject {
        case .tokens: try await readTokens()
        case .session(let id):
            try await access.readSession(id: id) { () throws(TemplateStoreError) in
                try await library.store.session(id: id)
            }
        case .template, .webhooks: webhooks.wake()
        case .changeRequest:
            webhooks.wake()
            schedules?.wake()
        case .overrides, .project, .projectDetails: break
        }
        library.progress?.advance(to: change.revision)
    }

    private func readTokens() async throws(TemplateStoreError) {
        try await access.readTokens { () throws(TemplateStoreError) in
            try await library.store.tokens()
        }
    }

    private func storeUses() async {
        while !Task.isCancelled {
            // Failures of the store are logged where its changes are followed.
            try? await library.store.completeDeletions()
            try? await Task.sleep(for: Self.useInterval)
            if Task.isCancelled { return }
            await storeUsesOnce()
            await recordFailedSignIns()
            // Retries the audit trails that could not be read.
            await library.earlierOverrides.read()
        }
    }

    private func removeExpiredChangeRequests() async {
        while !Task.isCancelled {
            do {
                try await library.store.removeExpiredChangeRequests(at: now())
            } catch {
                metrics.countStoreError(operation: "remove_expired_change_requests")
                logger.warning(
                    "Expired change requests could not be removed",
                    metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: Self.expiryInterval)
        }
    }

    /// Stores the last uses of tokens; after a failure, which is logged, the next call retries.
    private func storeUsesOnce() async {
        let uses = access.takeUses()
        if uses.isEmpty { return }
        do {
            // One write for all: while another process locks the database, each write waits for
            // seconds.
            try await library.store.recordUses(uses)
        } catch {
            access.returnUses(uses)
            metrics.countStoreError(operation: "record_uses")
            logger.warning(
                "The last uses of tokens could not be stored", metadata: ["error": "\(error)"])
        }
    }

    /// Stores failed attempts to sign in; after a failure, which is logged, the next call retries.
    private func recordFailedSignIns(isLast: Bool = false) async {
        do {
            try await access.recordFailedSignIns(isLast: isLast) {
                failed throws(TemplateStoreError) in
                try await library.store.recordFailedSignIns(failed)
            }
        } catch {
            metrics.countStoreError(operation: "record_failed_sign_ins")
            logger.warning(
                "Failed attempts to sign in could not be stored", metadata: ["error": "\(error)"])
        }
    }
}
