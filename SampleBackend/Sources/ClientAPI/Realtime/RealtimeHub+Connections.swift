import Foundation
package import JSONTree
import NIOCore
package import Rendering
package import Targeting

// Queries about connected clients; each thread answers for its own clients.
extension RealtimeHub {
    /// The number of users of a project's open streams and waiting long polls, by the version of
    /// their clients, and the effect of the last publish.
    package func connections(inProject project: String) async -> ConnectionCounts {
        var counts = ConnectionCounts()
        for thread in threads {
            let part = try? await thread.eventLoop.submit {
                thread.value.project(project).map(ConnectionCounts.init) ?? ConnectionCounts()
            }.get()
            if let part { counts.add(part) }
        }
        return counts
    }

    /// The counts of all projects that have or had listeners.
    package func connections() async -> [String: ConnectionCounts] {
        var counts: [String: ConnectionCounts] = [:]  // names: names of projects are ASCII
        for thread in threads {
            let part = try? await thread.eventLoop.submit {
                thread.value.allProjects.mapValues(ConnectionCounts.init)
            }.get()
            for (project, others) in part ?? [:] {
                counts[project, default: ConnectionCounts()].add(others)
            }
        }
        return counts
    }

    /// The clients with an open stream or a waiting long poll of a project.
    package func listeners(inProject project: String) async -> [StreamListener] {
        var listeners: [StreamListener] = []
        for thread in threads {
            let part = try? await thread.eventLoop.submit {
                thread.value.project(project)?.subscriptions.map(StreamListener.init) ?? []
            }.get()
            listeners += part ?? []
        }
        return listeners
    }

    /// The distinct signals of the connected clients of some users.
    ///
    /// - Parameters:
    ///   - userIDs: The users.
    ///   - project: The project.
    ///   - maximum: Maximum number of distinct signal sets per user.
    /// - Returns: The signals by user; users without connected clients are missing.
    package func signals(
        ofUsers userIDs: Set<ExactText>, inProject project: String, atMost maximum: Int
    ) async -> [ExactText: [Signals]] {
        var signals: [ExactText: [Signals]] = [:]
        for thread in threads {
            let part = try? await thread.eventLoop.submit {
                var found: [ExactText: [Signals]] = [:]
                for subscription in thread.value.project(project)?.subscriptions ?? [] {
                    let document = subscription.request.document
                    guard let userID = document.userID.map({ ExactText($0) }),
                        userIDs.contains(userID)
                    else { continue }
                    found[userID, default: []].add(document.signals, atMost: maximum)
                }
                return found
            }.get()
            for (userID, others) in part ?? [:] {
                for other in others { signals[userID, default: []].add(other, atMost: maximum) }
            }
        }
        return signals
    }
}

extension [Signals] {
    /// Adds signals unless they are already contained or the maximum is reached.
    package mutating func add(_ signals: Signals, atMost maximum: Int) {
        if count < maximum, !contains(signals) { append(signals) }
    }
}

/// The number of users of open streams and waiting long polls, by the version of their clients.
package struct ConnectionCounts: Sendable, Hashable, Codable {
    /// Number of users by the newest version that was completely delivered to their client.
    package private(set) var versions: [Int: Int] = [:]

    /// Number of users whose client named a version that the store never made; nil means 0.
    private var unknown: Int?

    /// Number of users whose client named a version that the store never made; they are not in
    /// ``versions``.
    package var unknownCount: Int { unknown ?? 0 }

    /// The effect of the last publish; nil until a publish happens while clients are connected.
    package private(set) var lastPublish: PublishEffect?

    package var count: Int { versions.values.reduce(unknownCount, +) }

    /// False for impossible counts, which must not be added to others.
    package var isPlausible: Bool {
        let counts = 0...1_000_000_000
        return versions.values.allSatisfy(counts.contains) && counts.contains(unknownCount)
            && counts.contains(lastPublish?.users ?? 0)
            && counts.contains(lastPublish?.changed ?? 0)
    }

    package init() {}

    /// Counts the users of one thread.
    init(_ project: ProjectStreams) {
        for user in project.subscriptions {
            if user.unknownVersion != nil {
                unknown = unknownCount + 1
            } else {
                versions[user.deliveredVersion, default: 0] += 1
            }
        }
        lastPublish = project.lastPublish
    }

    package mutating func add(_ other: ConnectionCounts) {
        versions.merge(other.versions, uniquingKeysWith: +)
        if let others = other.unknown { unknown = unknownCount + others }
        if let effect = other.lastPublish {
            lastPublish = lastPublish.map { $0.adding(effect) } ?? effect
        }
    }
}

/// The number of users connected at a publish, and of those whose document it changed.
package struct PublishEffect: Sendable, Hashable, Codable {
    /// The published version.
    package let version: Int

    /// Number of evaluated connected users.
    package private(set) var users = 0

    /// Number of those whose document differs from that of their previous version.
    package private(set) var changed = 0

    init(version: Int) { self.version = version }

    mutating func count(isChanged: Bool) {
        users += 1
        if isChanged { changed += 1 }
    }

    /// The sum with another thread's effect; for different publishes, the later one.
    fileprivate func adding(_ other: PublishEffect) -> PublishEffect {
        guard version == other.version else { return version > other.version ? self : other }
        var sum = self
        sum.users += other.users
        sum.changed += other.changed
        return sum
    }
}

/// A client with an open stream or a waiting long poll, for previews.
package struct StreamListener: Sendable {
    /// Nil means the generic user.
    package let userID: String?

    package let signals: Signals

    /// The current basis of the client's document.
    package let basis: DocumentBasis

    /// Creates a client of another replica.
    package init(userID: String?, signals: Signals, of project: PublishedProject) {
        self.userID = userID
        self.signals = signals
        basis = project.basis(
            for: TargetingContext(userID: userID, signals: signals, date: Date()))
    }

    init(_ subscription: Subscription) {
        userID = subscription.request.document.userID
        signals = subscription.request.document.signals
        basis = subscription.basis
    }
}
