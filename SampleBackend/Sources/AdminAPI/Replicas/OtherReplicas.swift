import ClientAPI
import Foundation
import JSONTree
import Rendering
import TemplateStore

/// What the other replicas count of their clients.
struct OtherReplicas: Sendable {
    /// Number of replicas whose counts are known, this one included.
    private var count: Int

    /// Number of those that give no sign of life.
    private var silentCount = 0

    /// False when counts are missing.
    var isComplete = true

    private var reports: [ReplicaReport] = []
    private var listeners: [ReplicaListeners] = []

    init(ownCount: Int) { count = ownCount }

    /// Adds what a replica has announced.
    mutating func add(_ announcement: ReplicaAnnouncement) {
        guard !announcement.isSilent,
            let counts = announcement.contents[ReplicaReport.name],
            let report = try? JSONDecoder().decode(ReplicaReport.self, from: counts)
        else {
            silentCount += 1
            isComplete = false
            return
        }
        count += 1
        reports.append(report)
        if !report.isComplete { isComplete = false }
        let known = announcement.contents[ReplicaListeners.name]
            .flatMap { try? JSONDecoder().decode(ReplicaListeners.self, from: $0) }
        if let known { listeners.append(known) }
    }

    /// The users of a project that listen at the other replicas.
    func connections(inProject project: String) -> ConnectionCounts {
        reports.reduce(into: ConnectionCounts()) { sum, report in
            if let counts = report.projects[project]?.connections { sum.add(counts) }
        }
    }

    /// The acknowledgements of a project at the other replicas.
    func acknowledgements(inProject project: String) -> AcknowledgementCounts {
        reports.reduce(into: AcknowledgementCounts()) { sum, report in
            if let counts = report.projects[project]?.acknowledgements { sum.add(counts) }
        }
    }

    /// The clients of a project at the other replicas, as far as these had room for them.
    func listeners(of project: PublishedProject, named name: String) -> [StreamListener] {
        listeners.flatMap { $0.listeners(of: project, named: name) }
    }

    /// `{"count": 3, "silent": 0, "isComplete": true}`.
    var json: JSONNode {
        [
            "count": .number("\(count)"), "silent": .number("\(silentCount)"),
            "isComplete": .bool(isComplete),
        ]
    }
}
