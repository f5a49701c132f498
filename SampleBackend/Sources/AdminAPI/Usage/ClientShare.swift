import ClientAPI
import JSONTree
import Rendering
import Templates

/// How many of the clients that the servers know have the current version of a project.
struct ClientShare: Sendable, Hashable {
    /// The current version.
    let version: Int

    /// Number of known clients.
    let clients: Int

    /// Number of those that have the current version.
    let current: Int
}

extension Administration {
    /// The share of clients with the current version; nil when no client is known.
    ///
    /// Clients that acknowledge versions count, also those that poll; where none does, those that
    /// listen.
    func clientShare(inProject name: String, others: OtherReplicas?) async -> ClientShare? {
        guard let version = library.project(name)?.compiled.version.number, version > 0 else {
            return nil
        }
        let acknowledgements = acknowledgements(inProject: name, others: others)
        if let acknowledgements, acknowledgements.clients > 0 {
            let current = acknowledgements.versions.first { $0.number == version }
            return ClientShare(
                version: version, clients: acknowledgements.clients, current: current?.inForce ?? 0)
        }
        let connections = await connections(inProject: name, others: others)
        guard connections.count > 0 else { return nil }
        return ClientShare(
            version: version, clients: connections.count,
            current: connections.versions[version] ?? 0)
    }
}
