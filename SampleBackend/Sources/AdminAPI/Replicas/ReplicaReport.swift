import ClientAPI
import Foundation
import HTTPServing
import Rendering
import Targeting

/// The counts of a replica's clients, as it announces them to the others.
struct ReplicaReport: Codable, Sendable {
    /// The counts of a project.
    struct Project: Codable, Sendable {
        var connections: ConnectionCounts
        var acknowledgements: AcknowledgementCounts?
    }

    /// The part of a report that those of newer programs have, too.
    struct Name: Decodable {
        let replicaName: String?
    }

    /// The name of its announcement.
    static let name = "counts"

    /// Maximum size in bytes.
    private static let maximumBytes = 65_536

    /// The projects of which anything is counted.
    private(set) var projects: [String: Project] = [:]

    /// False when there was no room for all projects.
    private(set) var isComplete = true

    /// By which operators know the replica; nil of one that does not name itself.
    let replicaName: String?

    /// False for counts that no replica has, and that cannot be added to others.
    var isPlausible: Bool {
        projects.values.allSatisfy { project in
            project.connections.isPlausible && project.acknowledgements?.isPlausible ?? true
        }
    }

    /// Adds the projects with the most connections first, as long as there is room.
    init(_ all: [String: Project], replicaName: String) {
        self.replicaName = replicaName
        var rest = Self.maximumBytes
        let encoder = JSONEncoder()
        let order = all.sorted {
            ($0.value.connections.count, $1.key) > ($1.value.connections.count, $0.key)
        }
        for (name, project) in order {
            // Acknowledgements may be long; the counts of connections never are.
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
        }
    }
}

/// Clients of a replica, of all projects, for the previews of the others.
struct ReplicaListeners: Codable, Sendable {
    struct Listener: Codable, Sendable {
        let project: String
        /// Nil is the generic user.
        let userID: String?
        /// The signals by their names in a query.
        let signals: [String: String]
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

    /// Adds clients of a project as long as there is room, but for those with very long signals.
    mutating func add(_ others: [StreamListener], ofProject project: String) {
        let encoder = JSONEncoder()
        for other in others {
            let listener = Listener(
                project: project, userID: other.userID,
                signals: Dictionary(
                    other.signals.namedValues.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
            )
            let size = (try? encoder.encode(listener))?.count ?? rest
            // One with long signals hides no other.
            guard size <= Self.maximumListenerBytes else { continue }
            guard size < rest else { return }
            rest -= size + 1
            listeners.append(listener)
        }
    }

    /// The clients of a project, by its current version.
    func listeners(of project: PublishedProject, named name: String) -> [StreamListener] {
        listeners.compactMap { listener in
            guard listener.project == name else { return nil }
            var signals = Signals()
            for (name, value) in listener.signals {
                // A replica of another version of the program may know other signals.
                try? signals.setValue(value, named: name)
            }
            return StreamListener(userID: listener.userID, signals: signals, of: project)
        }
    }
}
