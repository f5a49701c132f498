import Crypto
import Foundation
import Metrics
import NIOConcurrencyHelpers
import Targeting

/// The clients' acknowledgements of versions by project, in bounded memory.
package final class Acknowledgements: Sendable {
    /// One lock per project, so no project waits for the metrics of another.
    // names: names of projects are ASCII
    private let projects = NIOLockedValueBox<[String: NIOLockedValueBox<ProjectAcknowledgements>]>(
        [:])

    /// The places that the rollouts of a project look at.
    private struct Watched: Sendable {
        var rollouts: [String: Set<ProblemPlace>] = [:]  // names: identifiers of our own
        /// Those of all rollouts.
        private(set) var places: Set<ProblemPlace> = []

        mutating func unite() {
            places = rollouts.values.reduce(into: []) { $0.formUnion($1) }
        }
    }

    // names: names of projects are ASCII
    private let watched = NIOLockedValueBox<[String: Watched]>([:])
    private let limits: ProjectAcknowledgements.Limits

    package convenience init() { self.init(limits: ProjectAcknowledgements.Limits()) }

    /// Creates an empty collection; the limits are a test seam.
    init(limits: ProjectAcknowledgements.Limits) {
        self.limits = limits
    }

    /// Records an acknowledgement unless its version is newer than `current`, the newest version
    /// that this server knows.
    ///
    /// `isSetting` returns true for the places that may appear in metrics: those of the template,
    /// never a text chosen by a client.
    func record(
        _ acknowledgement: Acknowledgement, userID: String?, project: String, current: Int,
        isSetting: (ProblemPlace) -> Bool
    ) {
        guard acknowledgement.version <= current else { return }
        let user = Self.hash(ofUser: userID)
        let known = projects.withLockedValue { projects in
            if let known = projects[project] { return known }
            let new = NIOLockedValueBox(ProjectAcknowledgements(limits: limits))
            projects[project] = new
            return new
        }
        let watched = watchedPlaces(inProject: project)
        known.withLockedValue { known in
            // The project was deleted after the lookup above.
            if known.isRemoved { return }
            known.watched = watched
            known.record(
                acknowledgement, user: user, time: Int(Date().timeIntervalSince1970))
            // Reported under the lock, so an older count cannot replace a newer one.
            for change in known.takeChanges(isSetting: isSetting) {
                report(change, project: project)
            }
        }
    }

    /// Discards the acknowledgements of a deleted project, and its metrics.
    package func forget(project: String) {
        let known = projects.withLockedValue { $0.removeValue(forKey: project) }
        known?.withLockedValue { known in
            for change in known.takeRemoval() { report(change, project: project) }
        }
    }

    /// A hash of a user's ID that is the same at every replica; nil means the generic user.
    private static func hash(ofUser userID: String?) -> UInt64 {
        var bytes: [UInt8] = [userID == nil ? 0 : 1]
        bytes += (userID ?? "").utf8
        return SHA256.hash(data: bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The acknowledgements of a project, with a sample of their users and the most frequent problems.
    package func replicaAcknowledgements(inProject project: String) -> ReplicaAcknowledgements {
        guard let known = projects.withLockedValue({ $0[project] }) else {
            return ReplicaAcknowledgements(AcknowledgementCounts(), nil)
        }
        return known.withLockedValue {
            ReplicaAcknowledgements($0.counts, $0.sample(atMost: Self.maximumSample))
        }
    }

    /// The acknowledgements of a project, with all problems at some places instead.
    ///
    /// - Parameters:
    ///   - project: The project.
    ///   - places: The places; nil for all that are watched.
    ///   - users: Hashes of users whom other replicas list, whose last acknowledgements are added.
    /// - Returns: The acknowledgements.
    package func replicaAcknowledgements(
        inProject project: String, at places: Set<ProblemPlace>?, words users: Set<UInt64>
    ) -> ReplicaAcknowledgements {
        guard let known = projects.withLockedValue({ $0[project] }) else {
            return ReplicaAcknowledgements(AcknowledgementCounts(), nil)
        }
        let places = places ?? watchedPlaces(inProject: project)
        return known.withLockedValue {
            ReplicaAcknowledgements(
                $0.counts(listing: 0), $0.sample(atMost: Self.maximumSample),
                problems: $0.problems(at: places, words: users))
        }
    }

    /// Watches the places that a rollout looks at, until it is not among
    /// ``keepWatching(_:)``.
    package func watch(
        _ places: Set<ProblemPlace>, ofRollout id: String, inProject project: String
    ) {
        watched.withLockedValue { watched in
            if watched[project]?.rollouts[id] == places { return }
            watched[project, default: Watched()].rollouts[id] = places
            watched[project]?.unite()
        }
    }

    /// True for a rollout whose places are watched.
    package func isWatching(rollout id: String, inProject project: String) -> Bool {
        watched.withLockedValue { $0[project]?.rollouts[id] != nil }
    }

    /// Ends the watching of rollouts that are over.
    ///
    /// - Parameter isUnderWay: False for those.
    package func keepWatching(_ isUnderWay: (_ project: String, _ id: String) -> Bool) {
        watched.withLockedValue { watched in
            for project in Array(watched.keys) {
                guard var left = watched.removeValue(forKey: project) else { continue }
                let count = left.rollouts.count
                left.rollouts = left.rollouts.filter { isUnderWay(project, $0.key) }
                if left.rollouts.count < count { left.unite() }
                if !left.rollouts.isEmpty { watched[project] = left }
            }
        }
    }

    /// The watched rollouts, by project.
    package var watchedRollouts: [String: [String]] {  // names: names of projects are ASCII
        watched.withLockedValue { $0.mapValues { $0.rollouts.keys.sorted() } }
    }

    private func watchedPlaces(inProject project: String) -> Set<ProblemPlace> {
        watched.withLockedValue { $0[project]?.places ?? [] }
    }

    /// Maximum number of users in the samples of all projects together; each takes about 50 bytes.
    private static let maximumSample = 1_000

    /// The samples of the projects; the first 50 by name if there are more.
    package func samples() -> [String: AcknowledgementSample] {
        let all = projects.withLockedValue { $0 }.sorted { $0.key < $1.key }.prefix(50)
        let maximum = Self.maximumSample / max(all.count, 1)
        return Dictionary(
            all.map { ($0.key, $0.value.withLockedValue { $0.sample(atMost: maximum) }) },
            uniquingKeysWith: { $1 })
    }

    /// The counts of all projects.
    package func countsOfProjects() -> [String: AcknowledgementCounts] {
        projects.withLockedValue { $0 }.mapValues { $0.withLockedValue(\.counts) }
    }

    private func report(_ change: ProjectAcknowledgements.Change, project: String) {
        let version = ("version", "\(change.version)")
        let project = ("project", project)
        if let count = change.inForce {
            record(count, "activeconfig_acknowledged_clients", [project, version])
        }
        if let count = change.withProblems {
            record(count, "activeconfig_problem_clients", [project, version])
        }
        for (place, count) in change.places {
            let setting = place.key.map { "\(place.section).\($0)" } ?? place.section
            record(count, "activeconfig_problems", [project, version, ("setting", setting)])
        }
    }

    /// Sets a gauge and removes it at 0, so versions without clients keep no series.
    private func record(_ count: Int, _ label: String, _ dimensions: [(String, String)]) {
        let gauge = Gauge(label: label, dimensions: dimensions)
        if count > 0 { gauge.record(count) } else { gauge.destroy() }
    }
}

/// The number of clients per version, by their last acknowledgements, and the problems that they
/// report.
package struct AcknowledgementCounts: Sendable, Hashable, Codable {
    package struct Version: Sendable, Hashable, Codable {
        package let number: Int
        /// Number of clients that use the version.
        package let inForce: Int
        /// Number of clients that report problems with the version.
        package let withProblems: Int
        /// The most frequent problems, most frequent first.
        package let problems: [Problem]
    }

    package struct Problem: Sendable, Hashable, Codable {
        package let place: ProblemPlace
        package let clients: Int
        /// The message of one of the clients.
        package let message: String
    }

    /// Number of tracked clients.
    package var clients = 0

    /// Newest first.
    package var versions: [Version] = []

    package init(clients: Int = 0, versions: [Version] = []) {
        self.clients = clients
        self.versions = versions
    }
}

extension AcknowledgementCounts {
    /// False for impossible counts, which must not be added to others.
    package var isPlausible: Bool {
        let counts = 0...1_000_000_000
        return counts.contains(clients)
            && versions.allSatisfy { version in
                counts.contains(version.inForce) && counts.contains(version.withProblems)
                    && version.problems.allSatisfy { counts.contains($0.clients) }
            }
    }

    /// Adds the counts of another replica, which must be of other users.
    mutating func add(_ other: AcknowledgementCounts) {
        clients += other.clients
        var sums = Dictionary(versions.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
        for version in other.versions {
            sums[version.number] = sums[version.number].map { $0.adding(version) } ?? version
        }
        versions = sums.values.sorted { $0.number > $1.number }
    }

    /// The newest versions and their most frequent problems.
    package func shortened(toVersions count: Int = 8, problems: Int = 3) -> AcknowledgementCounts {
        var short = self
        short.versions = versions.prefix(count).map { version in
            Version(
                number: version.number, inForce: version.inForce,
                withProblems: version.withProblems,
                problems: Array(version.problems.prefix(problems)))
        }
        return short
    }
}

extension AcknowledgementCounts.Version {
    fileprivate func adding(_ other: Self) -> Self {
        var sums: [ProblemPlace: AcknowledgementCounts.Problem] = [:]
        for problem in problems + other.problems {
            sums[problem.place] = AcknowledgementCounts.Problem(
                place: problem.place,
                clients: problem.clients + (sums[problem.place]?.clients ?? 0),
                message: sums[problem.place]?.message ?? problem.message)
        }
        let most = sums.values.sorted {
            ($0.clients, $1.place.section, $1.place.key ?? "")
                > ($1.clients, $0.place.section, $0.place.key ?? "")
        }
        return Self(
            number: number, inForce: inForce + other.inForce,
            withProblems: withProblems + other.withProblems, problems: Array(most.prefix(10)))
    }
}
