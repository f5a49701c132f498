import Logging
import Metrics
import NIOConcurrencyHelpers
import NIOCore
import TemplateStore
import Templates

/// Reports versions that clients name and the store never made: the store may have been brought back
/// to an earlier state.
final class UnknownVersions: Sendable {
    /// Minimum time between two log messages about a project.
    private static let pause: TimeAmount = .minutes(10)

    /// Maximum number of projects whose last message is remembered.
    private static let maximumProjects = 1_000

    // names: names of projects are ASCII
    private let lastMessages = NIOLockedValueBox<[String: NIODeadline]>([:])
    private let logger: Logger
    private let requests = Counter(label: "activeconfig_unknown_version_requests")

    /// True for a store that `raise-versions` can open.
    private let canBeRaised: Bool

    init(canBeRaised: Bool, logger: Logger) {
        self.canBeRaised = canBeRaised
        self.logger = logger
    }

    /// Counts a request, stream or acknowledgement with such a version, and logs the first of a while.
    ///
    /// `floor` is the version floor of the store.
    func note(
        _ version: SeenVersion, inProject project: String, newest: TemplateVersion, floor: Int,
        now: NIODeadline = .now()
    ) {
        guard case .number(let number) = version else { return }
        requests.increment()
        let isDue = lastMessages.withLockedValue { times in
            if let last = times[project], now - last < Self.pause { return false }
            if times.count >= Self.maximumProjects {
                // names: names of projects are ASCII
                times = times.filter { now - $0.value < Self.pause }
            }
            // Beyond that the metric counts them.
            if times.count >= Self.maximumProjects { return false }
            times[project] = now
            return true
        }
        guard isDue else { return }
        logger.warning(
            """
            A client names version \(number), which this store never made. Any client can send any \
            number; if the store was restored from an earlier state, apps have such versions. \
            \(advice(number, floor: floor))
            """,
            metadata: ["project": "\(project)", "newest": "\(newest.number)"])
    }

    private func advice(_ number: Int, floor: Int) -> String {
        guard canBeRaised else {
            return "A store in memory is empty after each start: its next versions may be lower."
        }
        guard number > floor else {
            return "The next version of this store is higher, as after each restore: publish once, "
                + "since apps with signed documents wait for it."
        }
        guard number <= VersionFloor.maximumRequest else {
            return "No store has numbers that high: there is nothing to do."
        }
        return "Only if you know that it was restored, run \"sample-backend raise-versions\" with "
            + "the server's --store, with --above and the highest version that was published before, "
            + "then publish: apps with signed documents ignore lower versions."
    }
}
