package import ClientAPI
import Foundation
package import Logging
package import TemplateStore

/// Announces the counts of this replica's clients to the other replicas, and reads theirs.
package struct ReplicaBoard: Sendable {
    /// Interval at which the counts are checked; they are announced when they have changed.
    private static let interval: Duration = .seconds(5)

    /// Number of parts of the interval; after each, new rollouts are looked for.
    private static let parts = 10

    /// Number of checks between announcements of the clients, which are larger.
    private static let looksBetweenListeners = 12

    /// Time limit for reading the announcements of the other replicas.
    private static let maximumWait: Duration = .seconds(2)

    /// The name of this process, for operators.
    private static let replicaName =
        "\(ProcessInfo.processInfo.hostName), process \(ProcessInfo.processInfo.processIdentifier)"

    /// The name of the announcement of the samples of acknowledgements.
    static let samplesName = "acknowledgements"

    /// Number of sampled users up to which samples are announced at every check.
    private static let smallSamples = 50

    private let store: any ReplicaStoring
    private let question: ReplicaQuestion

    /// Names of the other replicas, from the store's last answer.
    private let knownNames = Locked<[String]>([])

    /// Nil in a process that serves no clients.
    private let hub: RealtimeHub?
    private let acknowledgements: Acknowledgements?
    private let process: ServerProcess
    private let logger: Logger

    /// Nil when the store does not let replicas exchange announcements.
    package init?(
        store: any TemplateStore, hub: RealtimeHub?, acknowledgements: Acknowledgements?,
        process: ServerProcess, logger: Logger
    ) {
        guard let store = store as? any ReplicaStoring else { return nil }
        self.init(
            announcingTo: store, hub: hub, acknowledgements: acknowledgements, process: process,
            logger: logger)
    }

    init(
        announcingTo store: any ReplicaStoring, hub: RealtimeHub?,
        acknowledgements: Acknowledgements?, process: ServerProcess, logger: Logger
    ) {
        self.store = store
        self.process = process
        question = ReplicaQuestion { await Self.announcements(of: store, logger: logger) }
        self.hub = hub
        self.acknowledgements = acknowledgements
        self.logger = logger
    }

    /// Announces the counts of this process until the task is cancelled.
    package func run() async {
        guard let hub else { return }
        var announced: [String: Data] = [:]  // names: our own literals, in ASCII
        var looks = 0
        var listenerCount = 0
        var replica: String?
        while !Task.isCancelled {
            if replica == nil || store.announcedReplica != replica {
                announced = [:]
                looks = 0
            }
            let counts = await hub.connections()
            await announceCounts(counts, unlessIn: &announced)
            replica = store.announcedReplica
            // The first clients are announced without delay.
            if listenerCount == 0 || looks % Self.looksBetweenListeners == 0 {
                var listeners = ReplicaListeners()
                for project in counts.keys.sorted() {
                    listeners.add(await hub.listeners(inProject: project), ofProject: project)
                }
                listenerCount = listeners.listeners.count
                await announce(listeners, as: ReplicaListeners.name, unlessIn: &announced)
            }
            // Remembers their names, which are reported as silent when the store does not answer.
            if looks % Self.looksBetweenListeners == 0 { _ = await others() }
            let samples = acknowledgements?.samples() ?? [:]
            if looks % Self.looksBetweenListeners == 0
                || samples.values.reduce(0, { $0 + $1.count }) <= Self.smallSamples
            {
                await announce(samples, as: Self.samplesName, unlessIn: &announced)
            }
            looks += 1
            await pause()
        }
    }

    /// Waits until the next check; a rollout that is new is announced sooner, since its start waits for
    /// that.
    private func pause() async {
        let watched = acknowledgements?.watchedRollouts
        for _ in 0..<Self.parts {
            try? await Task.sleep(for: Self.interval / Self.parts)
            if Task.isCancelled || acknowledgements?.watchedRollouts != watched { return }
        }
    }

    private func report(_ counts: [String: ConnectionCounts]) -> ReplicaReport {
        var projects = counts.mapValues { ReplicaReport.Project(connections: $0) }
        for (name, counts) in acknowledgements?.countsOfProjects() ?? [:] {
            projects[name, default: ReplicaReport.Project(connections: ConnectionCounts())]
                .acknowledgements = counts.shortened()
        }
        return ReplicaReport(projects, replicaName: Self.replicaName, process: process)
    }

    /// Announces the counts of connections, and what apps report.
    func announceCounts(
        _ counts: [String: ConnectionCounts], unlessIn announced: inout [String: Data]
    ) async {
        await announce(report(counts), as: ReplicaReport.name, unlessIn: &announced)
        await announceRollouts(unlessIn: &announced)
    }

    /// Announces what apps report on rollouts, so that each replica can decide about their steps.
    private func announceRollouts(unlessIn announced: inout [String: Data]) async {
        guard let acknowledgements else { return }
        var projects: [String: ReplicaRollouts.Project] = [:]  // names: names of projects are ASCII
        let watched = acknowledgements.watchedRollouts
        // Users who have moved here still count at the others.
        let others = watched.isEmpty ? nil : await others()
        for (project, rollouts) in watched {
            let reports = acknowledgements.replicaAcknowledgements(
                inProject: project, at: nil,
                words: others?.usersWithProblems(inProject: project) ?? [])
            projects[project] = ReplicaRollouts.Project(
                rollouts: rollouts, counts: reports.counts, problems: reports.problems)
        }
        await announce(
            ReplicaRollouts(projects), as: ReplicaRollouts.name, unlessIn: &announced)
    }

    private func announce(
        _ value: some Encodable, as name: String, unlessIn announced: inout [String: Data]
    ) async {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let content = try? encoder.encode(value), content != announced[name] else { return }
        do throws(TemplateStoreError) {
            try await store.announce(content, as: name)
            announced[name] = content
        } catch {
            logger.warning(
                "The counts of clients could not be announced to the other replicas",
                metadata: ["error": "\(error)"])
        }
    }

    /// The counts of the other replicas; all of them count as silent while the store does not
    /// answer.
    func others() async -> OtherReplicas {
        var others = OtherReplicas(ownCount: hub == nil ? 0 : 1)
        if let announcements = await question.answer() {
            for announcement in announcements where !announcement.isOwn {
                others.add(announcement)
            }
            let names = others.names
            knownNames.withLock { $0 = names }
        } else {
            others.hasAllReplicas = false
            for name in knownNames.withLock({ $0 }) { others.addSilent(name) }
        }
        return others
    }

    /// The announcements of all replicas; nil after a failure or a timeout of the store, which is
    /// logged.
    private static func announcements(
        of store: any ReplicaStoring, logger: Logger
    ) async -> [ReplicaAnnouncement]? {
        do throws(TemplateStoreError) {
            return try await announcements(of: store)
        } catch {
            logger.warning(
                "The counts of the other replicas cannot be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private static func announcements(
        of store: any ReplicaStoring
    ) async throws(TemplateStoreError) -> [ReplicaAnnouncement] {
        let answer = await result(within: maximumWait) {
            () -> Result<[ReplicaAnnouncement], TemplateStoreError> in
            do throws(TemplateStoreError) {
                return .success(try await store.announcements())
            } catch {
                return .failure(error)
            }
        }
        guard let answer else {
            throw TemplateStoreError(
                .unavailable, "The store did not answer within \(maximumWait).")
        }
        return try answer.get()
    }
}
