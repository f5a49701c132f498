package import ClientAPI
import Foundation
package import Logging
package import TemplateStore

/// Tells the other replicas what this one counts of its clients, and reads what they count.
package struct ReplicaBoard: Sendable {
    /// Interval between two looks at the counts, which are announced when they have changed.
    private static let interval: Duration = .seconds(5)

    /// Number of these looks between two announcements of the clients, which take more room.
    private static let looksBetweenListeners = 12

    private let store: any ReplicaStoring

    /// Nil in a process that serves no clients.
    private let hub: RealtimeHub?
    private let acknowledgements: Acknowledgements?
    private let logger: Logger

    /// Nil for a store of one process, or of processes that do not know each other.
    package init?(
        store: any TemplateStore, hub: RealtimeHub?, acknowledgements: Acknowledgements?,
        logger: Logger
    ) {
        guard let store = store as? any ReplicaStoring else { return nil }
        self.store = store
        self.hub = hub
        self.acknowledgements = acknowledgements
        self.logger = logger
    }

    /// Announces the counts of this process until the task is cancelled.
    package func run() async {
        guard let hub else { return }
        var announced: [String: Data] = [:]
        var looks = 0
        while !Task.isCancelled {
            if !store.isAnnounced {
                announced = [:]
                looks = 0
            }
            let counts = await hub.connections()
            await announce(
                report(counts), as: ReplicaReport.name, unlessIn: &announced)
            if looks % Self.looksBetweenListeners == 0 {
                var listeners = ReplicaListeners()
                for project in counts.keys.sorted() {
                    listeners.add(await hub.listeners(inProject: project), ofProject: project)
                }
                await announce(listeners, as: ReplicaListeners.name, unlessIn: &announced)
            }
            looks += 1
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func report(_ counts: [String: ConnectionCounts]) -> ReplicaReport {
        var projects = counts.mapValues { ReplicaReport.Project(connections: $0) }
        for (name, counts) in acknowledgements?.countsOfProjects() ?? [:] {
            projects[name, default: ReplicaReport.Project(connections: ConnectionCounts())]
                .acknowledgements = counts.shortened()
        }
        return ReplicaReport(projects)
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
                "The other replicas were not told of the clients",
                metadata: ["error": "\(error)"])
        }
    }

    /// What the other replicas count; without any when the store does not answer.
    func others() async -> OtherReplicas {
        var others = OtherReplicas(ownCount: hub == nil ? 0 : 1)
        do throws(TemplateStoreError) {
            for announcement in try await store.announcements() where !announcement.isOwn {
                others.add(announcement)
            }
        } catch {
            logger.warning(
                "The counts of the other replicas cannot be read", metadata: ["error": "\(error)"])
            others.isComplete = false
        }
        return others
    }
}
