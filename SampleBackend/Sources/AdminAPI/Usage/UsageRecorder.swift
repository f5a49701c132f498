import ClientAPI
import Foundation
package import Logging
import TemplateStore

/// Stores the use of projects that this process has seen.
///
/// Requests never wait for it: while the store fails, the use is kept in memory, which is bounded.
package struct UsageRecorder: Sendable {
    /// Interval between two writes; a process that is killed loses at most what it saw since.
    private static let interval: Duration = .seconds(10)

    /// Number of writes between two looks at open streams, and before the first share is measured,
    /// since clients first have to return after a start.
    private static let looksBetweenStreams = 6

    /// Maximum duration of the last write at shutdown.
    private static let lastWriteTime: Duration = .seconds(2)

    private let administration: Administration
    private let usage: UsageTally
    private let logger: Logger

    /// Nil in a process that serves no clients.
    package init?(administration: Administration, logger: Logger) {
        guard let usage = administration.usage else { return nil }
        self.administration = administration
        self.usage = usage
        self.logger = logger
    }

    /// Stores the use until the task is cancelled, and then the rest.
    package func run() async {
        var looks = 0
        var measuredDay: UsageDay?
        var isFailing = false
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.interval)
            if Task.isCancelled { break }
            looks += 1
            if looks % Self.looksBetweenStreams == 0 {
                await administration.hub?.recordOpenStreams()
                let day = usage.today
                if measuredDay != day {
                    await measureShares()
                    measuredDay = day
                }
            }
            await store(&isFailing)
        }
        await storeLast()
    }

    /// Stores what this process has seen since the last write, and what could not be stored.
    package func store() async {
        var isFailing = false
        await store(&isFailing)
    }

    /// Adds the share of clients on the current version of each project, and says that use is
    /// recorded.
    package func measureShares() async {
        let others = await administration.replicas?.others()
        var batches: [String: UsageBatch] = [:]  // names: names of projects are ASCII
        for name in administration.library.versions.keys {
            var batch = UsageBatch(day: usage.today)
            if let share = await administration.clientShare(inProject: name, others: others) {
                batch.share = UsageShare(
                    day: batch.day, version: share.version, clients: share.clients,
                    current: share.current)
            }
            batches[name] = batch
        }
        usage.add(batches)
    }

    /// Stores the batches; the first of several failures is logged.
    private func store(_ isFailing: inout Bool) async {
        // Calls of a store that does not answer would only wait.
        if await administration.storeFault() != nil { return }
        var rest: [String: UsageBatch] = [:]  // names: names of projects are ASCII
        var failure: TemplateStoreError?
        // One that cannot be stored keeps no other from it.
        for (name, batch) in usage.take() {
            do throws(TemplateStoreError) {
                try await administration.store.recordUsage(batch, inProject: name)
            } catch {
                rest[name] = batch
                failure = error
                administration.metrics.countStoreError(operation: "record_usage")
            }
        }
        usage.add(rest)
        if let failure, !isFailing {
            logger.warning(
                "The usage of settings could not be stored, and is kept in memory",
                metadata: ["error": "\(failure)"])
        }
        isFailing = failure != nil
    }

    /// Stores the rest in a task of its own, since the current one is cancelled.
    private func storeLast() async {
        _ = await result(within: Self.lastWriteTime) { [self] in
            await Task {
                await administration.hub?.recordOpenStreams()
                await store()
            }.value
        }
    }
}
