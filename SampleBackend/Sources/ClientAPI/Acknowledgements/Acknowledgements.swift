import Foundation
import Metrics
import NIOConcurrencyHelpers
import Targeting

/// Acknowledgements of versions by clients, by project, in bounded memory.
package final class Acknowledgements: Sendable {
    /// A lock for each project, so that none waits for the metrics of another.
    private let projects = NIOLockedValueBox<[String: NIOLockedValueBox<ProjectAcknowledgements>]>(
        [:])
    private let limits: ProjectAcknowledgements.Limits

    package convenience init() { self.init(limits: ProjectAcknowledgements.Limits()) }

    /// Creates an empty list; the limits are a test seam.
    init(limits: ProjectAcknowledgements.Limits) {
        self.limits = limits
    }

    /// Records what a client said, unless its version is newer than `current`, which this server
    /// does not know yet.
    ///
    /// `settings` are the places that may be named in metrics: those of the template, never a text
    /// that only a client has chosen.
    func record(
        _ acknowledgement: Acknowledgement, userID: String?, project: String, current: Int,
        isSetting: (ProblemPlace) -> Bool
    ) {
        guard acknowledgement.version <= current else { return }
        var hasher = Hasher()
        hasher.combine(userID.map { ExactText($0) })
        let user = hasher.finalize()
        let known = projects.withLockedValue { projects in
            if let known = projects[project] { return known }
            let new = NIOLockedValueBox(ProjectAcknowledgements(limits: limits))
            projects[project] = new
            return new
        }
        known.withLockedValue { known in
            known.record(acknowledgement, user: user)
            // Under the lock, so that an older count does not replace a newer one.
            for change in known.takeChanges(isSetting: isSetting) {
                report(change, project: project)
            }
        }
    }

    /// The counts of a project, newest version first.
    package func counts(inProject project: String) -> AcknowledgementCounts {
        projects.withLockedValue { $0[project] }?.withLockedValue(\.counts)
            ?? AcknowledgementCounts()
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

    /// Sets a gauge, and removes it at 0, so that versions that nobody has are not kept.
    private func record(_ count: Int, _ label: String, _ dimensions: [(String, String)]) {
        let gauge = Gauge(label: label, dimensions: dimensions)
        if count > 0 { gauge.record(count) } else { gauge.destroy() }
    }
}

/// The last acknowledgements: the number of clients of each version, and the problems they report.
package struct AcknowledgementCounts: Sendable, Hashable, Codable {
    package struct Version: Sendable, Hashable, Codable {
        package let number: Int
        /// Clients that use the version.
        package let inForce: Int
        /// Clients that could not use it.
        package let withProblems: Int
        /// The problems that most clients have, most first.
        package let problems: [Problem]
    }

    package struct Problem: Sendable, Hashable, Codable {
        package let place: ProblemPlace
        package let clients: Int
        /// The problem as one of the clients reports it.
        package let message: String
    }

    /// Number of clients that are remembered.
    package var clients = 0

    /// Newest first.
    package var versions: [Version] = []

    package init(clients: Int = 0, versions: [Version] = []) {
        self.clients = clients
        self.versions = versions
    }
}

extension AcknowledgementCounts {
    /// Adds the counts of another replica; a client that has moved there counts twice until one of the
    /// two forgets it.
    package mutating func add(_ other: AcknowledgementCounts) {
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
