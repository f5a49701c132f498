import ClientAPI
import Foundation
import JSONTree
import Rendering
import TemplateStore

/// The counts of the other replicas' clients.
struct OtherReplicas: Sendable {
    /// Number of replicas whose counts are known, including this one.
    private var count: Int

    /// Names of the replicas that do not renew their lease, or whose counts cannot be read.
    private var silentNames: [String] = []

    /// False when a replica is not heard.
    var hasAllReplicas = true

    /// True when the report of a replica had no room for all counts, and for all connections.
    private var isShortened = false
    private var lacksConnections = false

    /// False when counts are missing.
    var isComplete: Bool { hasAllReplicas && !isShortened }

    /// False when counts of connections are missing.
    var hasAllConnections: Bool { hasAllReplicas && !lacksConnections }

    private var heardNames: [String] = []
    /// The identifiers of the replicas with reports, and what they report on rollouts; nil for a
    /// program that announces none.
    private var heard: [(replica: String, rollouts: ReplicaRollouts?)] = []
    private var reports: [ReplicaReport] = []
    /// For each report, its acknowledgement samples by project.
    // names: names of projects are ASCII
    private var samples: [[String: AcknowledgementSample]] = []
    private var listeners: [ReplicaListeners] = []

    init(ownCount: Int) { count = ownCount }

    /// Adds the announcements of a replica.
    mutating func add(_ announcement: ReplicaAnnouncement) {
        // The replica has just started. It announces its counts first, and they contain its name.
        guard let counts = announcement.contents[ReplicaReport.name] else {
            hasAllReplicas = false
            return
        }
        let name =
            (try? JSONDecoder().decode(ReplicaReport.Name.self, from: counts))?.replicaName
            ?? announcement.replica
        let report = try? JSONDecoder().decode(ReplicaReport.self, from: counts)
        guard !announcement.isSilent, let report, report.isPlausible else {
            addSilent(name)
            return
        }
        let rollouts = announcement.contents[ReplicaRollouts.name].map {
            try? JSONDecoder().decode(ReplicaRollouts.self, from: $0)
        }
        guard rollouts.map({ $0?.isPlausible == true }) ?? true else {
            addSilent(name)
            return
        }
        heard.append((announcement.replica, rollouts ?? nil))
        heardNames.append(name)
        count += 1
        reports.append(report)
        let samples = announcement.contents[ReplicaBoard.samplesName]
            .flatMap { try? JSONDecoder().decode([String: AcknowledgementSample].self, from: $0) }
        self.samples.append(samples ?? [:])
        if !report.isComplete { isShortened = true }
        if report.lacksConnections ?? !report.isComplete { lacksConnections = true }
        let known = announcement.contents[ReplicaListeners.name]
            .flatMap { try? JSONDecoder().decode(ReplicaListeners.self, from: $0) }
        if let known { listeners.append(known) }
    }

    /// Adds a replica whose counts are unknown.
    mutating func addSilent(_ name: String) {
        silentNames.append(name)
        hasAllReplicas = false
    }

    /// Names of all added replicas.
    var names: [String] { heardNames + silentNames }

    /// The counts of a project's users who listen to the other replicas.
    func connections(inProject project: String) -> ConnectionCounts {
        reports.reduce(into: ConnectionCounts()) { sum, report in
            if let counts = report.projects[project]?.connections { sum.add(counts) }
        }
    }

    /// The acknowledgements of a project at each of the other replicas.
    func acknowledgements(inProject project: String) -> [ReplicaAcknowledgements] {
        zip(reports, samples).compactMap { report, samples in
            report.projects[project]?.acknowledgements.map {
                ReplicaAcknowledgements($0, samples[project])
            }
        }
    }

    /// The acknowledgements of a project at each of the other replicas, with all problems at the places
    /// of its rollouts.
    func rolloutReports(inProject project: String) -> [ReplicaAcknowledgements] {
        reports.indices.compactMap { index in
            let watched = heard[index].rollouts?.projects[project]
            let counts = watched?.counts ?? reports[index].projects[project]?.acknowledgements
            return counts.map {
                ReplicaAcknowledgements($0, samples[index][project], problems: watched?.problems)
            }
        }
    }

    /// The users whom the other replicas list for the rollouts of a project.
    func usersWithProblems(inProject project: String) -> Set<UInt64> {
        heard.reduce(into: []) {
            $0.formUnion($1.rollouts?.projects[project]?.problems?.users ?? [])
        }
    }

    /// Names of the replicas of which it is not known what their apps report on a rollout.
    ///
    /// One that has just started does not count its places yet, so it would announce no problem.
    func namesWithoutReports(ofRollout id: String, inProject project: String) -> [String] {
        silentNames
            + heard.indices.filter { index in
                guard let rollouts = heard[index].rollouts else { return false }
                let watched = rollouts.projects[project]
                return watched?.problems == nil || !rollouts.watches(id, inProject: project)
            }.map { heardNames[$0] }
    }

    /// True when all replicas count the problems at the places of a rollout.
    func allWatch(rollout id: String, ofProject project: String) -> Bool {
        heard.allSatisfy { $0.rollouts?.watches(id, inProject: project) ?? true }
    }

    /// The streams and long polls of a project at each of the other replicas.
    func streams(inProject project: String) -> [Rollout.ServerStreams] {
        zip(reports, heard).map { report, heard in
            Rollout.ServerStreams(
                server: report.process?.id ?? heard.replica,
                count: report.projects[project]?.connections.count ?? 0)
        }
    }

    /// When the first of the other replicas began to count; nil when that is not known.
    var firstStart: Date? { reports.compactMap(\.process?.startDate).min() }

    /// The clients of a project at the other replicas, as far as their announcements had room.
    func listeners(of project: PublishedProject, named name: String) -> [StreamListener] {
        listeners.flatMap { $0.listeners(of: project, named: name) }
    }

    /// `{"count": 2, "silent": 1, "silentNames": ["web-3, process 7"], "isComplete": false}`.
    var json: JSONNode {
        [
            "count": .number("\(count)"), "silent": .number("\(silentNames.count)"),
            "silentNames": .array(silentNames.map { .string($0) }),
            "isComplete": .bool(isComplete),
        ]
    }
}
