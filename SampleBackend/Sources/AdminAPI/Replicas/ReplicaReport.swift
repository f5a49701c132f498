import ClientAPI
import Foundation
import HTTPServing
import JSONTree
import Rendering
import Targeting

/// The process of a server, which counts in memory.
package struct ServerProcess: Codable, Sendable, Hashable {
    /// Another one after each start.
    let id: String

    /// When it began to count.
    let startDate: Date

    init(startDate: Date) {
        id = String(UInt64.random(in: 0 ... .max), radix: 16)
        self.startDate = startDate
    }
}

/// The counts of a replica's clients, as announced to the other replicas.
struct ReplicaReport: Codable, Sendable {
    /// The counts of a project.
    struct Project: Codable, Sendable {
        var connections: ConnectionCounts
        var acknowledgements: AcknowledgementCounts?
    }

    /// The part of a report that all program versions share.
    struct Name: Decodable {
        let replicaName: String?
    }

    /// The name of its announcement.
    static let name = "counts"

    /// Maximum size in bytes.
    private static let maximumBytes = 65_536

    /// The projects with any counts.
    private(set) var projects: [String: Project] = [:]  // names: names of projects are ASCII

    /// False when there was no room for all projects, or for the acknowledgements of all.
    private(set) var isComplete = true

    /// True when the connections of some projects had no room; nil in the report of a program that does
    /// not tell.
    private(set) var lacksConnections: Bool?

    /// The name by which operators know the replica; nil when the report has none.
    let replicaName: String?

    /// Nil in the report of a program that does not announce it.
    let process: ServerProcess?

    /// False for impossible counts, which must not be added to others.
    var isPlausible: Bool {
        projects.values.allSatisfy { project in
            project.connections.isPlausible && project.acknowledgements?.isPlausible ?? true
        }
    }

    /// Creates a report with as many projects as fit, those with the most connections first.
    init(_ all: [String: Project], replicaName: String, process: ServerProcess? = nil) {
        self.replicaName = replicaName
        self.process = process
        lacksConnections = false
        var rest = Self.maximumBytes
        let encoder = JSONEncoder()
        let order = all.sorted {
            ($0.value.connections.count, $1.key) > ($1.value.connections.count, $0.key)
        }
        for (name, project) in order {
            // Acknowledgements may be too large; without them the project usually fits.
            var shorter = project
            shorter.acknowledgements = nil
            for candidate in [project, shorter] {
                let size = (try? encoder.encode([name: candidate]))?.count ?? rest + 1
                guard size <= rest else {
                    isComplete = false
                    continue
                }
                rest -= size
                projects[name] = candidate
                break
            }
            if projects[name] == nil { lacksConnections = true }
        }
    }
}

/// What a replica's apps report on rollouts, which has to be whole.
struct ReplicaRollouts: Codable, Sendable {
    struct Project: Codable, Sendable {
        /// The rollouts whose places are counted.
        let rollouts: [String]
        /// The counts of all versions, without problems; nil when there was no room.
        var counts: AcknowledgementCounts?
        /// The problems at the places of the rollouts; nil when there was no room.
        var problems: WatchedProblems?
    }

    /// The name of its announcement.
    static let name = "rollouts"

    /// Maximum size in bytes.
    private static let maximumBytes = 90_000

    /// The projects with rollouts that are planned or under way.
    private(set) var projects: [String: Project]  // names: names of projects are ASCII

    /// True when the problems at the places of a rollout are counted.
    func watches(_ rollout: String, inProject project: String) -> Bool {
        projects[project]?.rollouts.contains { $0.hasSameBytes(as: rollout) } ?? false
    }

    /// False for impossible counts, which must not be added to others.
    var isPlausible: Bool {
        projects.values.allSatisfy {
            $0.counts?.isPlausible ?? true && $0.problems?.isPlausible ?? true
        }
    }

    /// Creates an announcement; where there is too little room, first without some and then without
    /// all users of the places, then without the projects that take most.
    init(_ all: [String: Project]) {
        projects = all
        let encoder = JSONEncoder()
        func size(_ value: some Encodable) -> Int { (try? encoder.encode(value))?.count ?? .max }
        for count in [WatchedProblems.mostUsers / 4, 0] {
            if size(projects) <= Self.maximumBytes { return }
            projects = all.mapValues { project in
                var project = project
                project.problems = project.problems?.shortened(toUsers: count)
                return project
            }
        }
        var rest = size(projects)
        if rest <= Self.maximumBytes { return }
        let sizes = projects.mapValues { size($0) }.sorted {
            ($0.value, $0.key) > ($1.value, $1.key)
        }
        for (name, size) in sizes where rest > Self.maximumBytes {
            projects[name]?.counts = nil
            projects[name]?.problems = nil
            rest -= size
        }
    }
}

/// The clients of a replica in all projects, for the previews of other replicas.
struct ReplicaListeners: Codable, Sendable {
    struct Listener: Codable, Sendable {
        let project: String
        /// Nil means the generic user.
        let userID: String?
        /// The signals with their names in queries, which a JSON decoder's dictionary would compare
        /// as Swift strings.
        let signals: [Signal]

        struct Signal: Codable, Sendable {
            let name: String
            let value: String
        }
    }

    /// The name of its announcement.
    static let name = "listeners"

    /// Maximum size in bytes.
    private static let maximumBytes = 32_768

    /// Maximum size of one client in bytes.
    private static let maximumListenerBytes = 2_048

    private(set) var listeners: [Listener] = []
    private var rest = Self.maximumBytes

    private enum CodingKeys: String, CodingKey {
        case listeners
    }

    init() {}

    /// Adds clients of a project while there is room, except those with very long signals.
    mutating func add(_ others: [StreamListener], ofProject project: String) {
        let encoder = JSONEncoder()
        for other in others {
            let listener = Listener(
                project: project, userID: other.userID,
                signals: other.signals.namedValues.map { .init(name: $0.name, value: $0.value) })
            let size = (try? encoder.encode(listener))?.count ?? rest
            // A client with long signals must not displace others.
            guard size <= Self.maximumListenerBytes else { continue }
            guard size < rest else { return }
            rest -= size + 1
            listeners.append(listener)
        }
    }

    /// The clients of a project, evaluated with its current version.
    func listeners(of project: PublishedProject, named name: String) -> [StreamListener] {
        listeners.compactMap { listener in
            guard listener.project == name else { return nil }
            var signals = Signals()
            for signal in listener.signals {
                // A replica that runs another program version may know other signals.
                try? signals.setValue(signal.value, named: signal.name)
            }
            return StreamListener(userID: listener.userID, signals: signals, of: project)
        }
    }
}
