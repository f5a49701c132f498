import Logging
import Metrics
import NIOConcurrencyHelpers
import NIOCore
import Templates

/// Reports versions that clients name and the store never made: the store was brought back to an
/// earlier state.
final class UnknownVersions: Sendable {
    /// Minimum time between two log messages about a project.
    private static let pause: TimeAmount = .minutes(10)

    /// Maximum number of projects whose last message is remembered.
    private static let maximumProjects = 1_000

    // names: names of projects are ASCII
    private let lastMessages = NIOLockedValueBox<[String: NIODeadline]>([:])
    private let logger: Logger
    private let requests = Counter(label: "activeconfig_unknown_version_requests")

    init(logger: Logger) {
        self.logger = logger
    }

    /// Counts a request, stream or acknowledgement with such a version, and logs the first of a while.
    func note(
        _ version: SeenVersion, inProject project: String, newest: TemplateVersion,
        now: NIODeadline = .now()
    ) {
        guard case .number(let number) = version else { return }
        requests.increment()
        let isDue = lastMessages.withLockedValue { times in
            if let last = times[project], now - last < Self.pause { return false }
            if times.count >= Self.maximumProjects { times = [:] }
            times[project] = now
            return true
        }
        guard isDue else { return }
        logger.warning(
            """
            Apps have version \(number), which this store never made: it was probably restored from an \
            earlier state. Run "sample-backend raise-versions --above \(number)" with the server's \
            --store, then publish: earlier releases of the framework ignore lower versions.
            """,
            metadata: ["project": "\(project)", "newest": "\(newest.number)"])
    }
}
