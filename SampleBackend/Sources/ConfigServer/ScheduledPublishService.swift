import AdminAPI
import Foundation
import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle
import TemplateStore
import WebhookDelivery

/// Publishes what is scheduled, at its time.
///
/// The store has the schedules; this only looks at them when a change request changes, when the next
/// one is due, and from time to time, since clocks are set and alarms are late.
struct ScheduledPublishService: Service {
    /// Maximum time between two looks.
    private static let longestPause = Duration.seconds(30)

    /// Minimum time between two looks when something that was due could not be published yet.
    private static let shortestPause = Duration.seconds(2)

    private let publisher: ScheduledPublisher
    private let logger: Logger
    private let now: @Sendable () -> Date
    private let failures = RepeatedFailures()
    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    init(
        administration: Administration, webhooks: WebhookOptions, logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        publisher = ScheduledPublisher(
            administration: administration, inquiry: WebhookInquiry(options: webhooks))
        self.logger = logger
        self.now = now
    }

    /// Looks at the schedules immediately, for example after a change by any process.
    func wake() { wakeUp.yield() }

    /// Publishes until the task is cancelled or the server shuts down.
    func run() async {
        wake()
        await cancelWhenGracefulShutdown {
            // No schedule waits for another project, nor for the webhooks of rollouts.
            await withDiscardingTaskGroup { group in
                var alarm: Task<Void, any Error>?
                defer { alarm?.cancel() }
                var clock = ClockCheck()
                let (projects, rollouts) = (ProjectsUnderWay(), RolloutsUnderWay())
                let checks = DoneChecks()
                for await _ in wakeUps {
                    alarm?.cancel()
                    let look = await look(&clock, projects)
                    for requests in look.due {
                        group.addTask { await perform(requests, projects) }
                    }
                    for rollout in rollouts.begin(look.rollouts, at: now()) {
                        group.addTask {
                            let isWatched = await perform(rollout)
                            if rollouts.end(rollout, isWatched: isWatched) { wake() }
                        }
                    }
                    let due = checks.begin(look.checks)
                    if !due.isEmpty {
                        group.addTask {
                            for check in due where await !warn(by: check) { checks.forget(check) }
                        }
                    }
                    alarm = Task {
                        try await Task.sleep(for: look.pause)
                        wake()
                    }
                }
            }
        }
    }

    /// Performs what is due in a project, after which it can have its turn again.
    private func perform(_ requests: [ChangeRequestHeader], _ projects: ProjectsUnderWay) async {
        guard let project = requests.first?.project else { return }
        var hasFailed = false
        let isLeft = await publisher.perform(requests) { request, error in
            hasFailed = true
            guard failures.isNews("\(request.project)/\(request.id): \(error)") else { return }
            logger.warning(
                "A scheduled publish failed and is tried again",
                metadata: [
                    "project": "\(request.project)", "change_request": "\(request.id)",
                    "error": "\(error)",
                ])
        }
        if isLeft { try? await Task.sleep(for: Self.shortestPause) }
        // Something became due, or was changed, while the project was under way.
        if projects.end(project, hasFailed: hasFailed) || isLeft { wake() }
    }

    /// Looks at a rollout; what fails is tried again after the next look at the schedules.
    ///
    /// - Returns: False when nothing is to be seen before it is due or changes.
    private func perform(_ rollout: ChangeRequestHeader) async -> Bool {
        do {
            return try await publisher.performRollout(rollout)
        } catch {
            logger.warning(
                "The step of a rollout failed and is tried again",
                metadata: [
                    "project": "\(rollout.project)", "change_request": "\(rollout.id)",
                    "error": "\(error)",
                ])
            return true
        }
    }

    /// Checks whether a request lacks approvals before its time.
    ///
    /// - Returns: False when the check is to be repeated after the next look at the schedules.
    private func warn(by check: ApprovalCheck) async -> Bool {
        do {
            return try await publisher.warn(by: check)
        } catch {
            let check = check.request
            guard failures.isNews("check \(check.project)/\(check.id): \(error)") else {
                return false
            }
            logger.warning(
                "The approvals of a scheduled publish could not be checked, which is tried again",
                metadata: [
                    "project": "\(check.project)", "change_request": "\(check.id)",
                    "error": "\(error)",
                ])
            return false
        }
    }

    /// What is to be done, and the time until the next look.
    private struct Look {
        var pause: Duration
        var due: [[ChangeRequestHeader]] = []
        var rollouts: [ChangeRequestHeader] = []
        var checks: [ApprovalCheck] = []
    }

    /// Reads the schedules.
    private func look(_ clock: inout ClockCheck, _ projects: ProjectsUnderWay) async -> Look {
        let wait = clock.waitingTime(at: now(), ContinuousClock.now)
        if wait > .zero {
            if failures.isNews("clock") {
                logger.warning(
                    "The clock was set ahead: scheduled publishes wait",
                    metadata: ["wait": "\(wait)"])
            }
            return Look(pause: min(wait, Self.longestPause))
        }
        do throws(TemplateStoreError) {
            let look = try await publisher.look()
            let pause = look.nextDate.map { Duration.seconds($0.timeIntervalSince(now())) }
            let due = projects.begin(Array(look.due.values))
            if projects.haveAllSucceeded { failures.clear() }
            return Look(
                pause: min(max(pause ?? Self.longestPause, .milliseconds(1)), Self.longestPause),
                due: due, rollouts: look.rollouts, checks: look.checks)
        } catch {
            if failures.isNews(error.message) {
                logger.warning(
                    "The scheduled publishes could not be read", metadata: ["error": "\(error)"])
            }
            return Look(pause: Self.shortestPause)
        }
    }
}

/// The checks of approvals that this process has made, or makes, each once: the template of a request
/// is not compared at each look.
private final class DoneChecks: Sendable {
    /// By project and identifier, which are ASCII.
    private let done = NIOLockedValueBox<[[String]: ApprovalCheck]>([:])  // names: ASCII

    /// Those of all checks whose time has come that are to be made now.
    func begin(_ checks: [ApprovalCheck]) -> [ApprovalCheck] {
        done.withLockedValue { done in
            let new = checks.filter { !$0.repeats(done[$0.name]) }
            done = Dictionary(checks.map { ($0.name, $0) }) { $1 }  // names: ASCII
            return new
        }
    }

    func forget(_ check: ApprovalCheck) {
        done.withLockedValue { done in
            if check.repeats(done[check.name]) { done[check.name] = nil }
        }
    }
}

extension ApprovalCheck {
    fileprivate var name: [String] { [request.project, request.id] }

    /// True for the same time before the same start.
    fileprivate func repeats(_ other: ApprovalCheck?) -> Bool {
        lead == other?.lead && request.dueDate == other?.request.dueDate
    }
}

/// Notices a clock that was set ahead, which would publish too early.
///
/// The time of day is believed once it has run for a minute as the monotonic clock does.
struct ClockCheck: Sendable {
    /// A larger difference within one look at both clocks is a change by hand.
    private static let tolerance = 60.0

    private static let trial = Duration.seconds(60)

    private var last: (date: Date, instant: ContinuousClock.Instant)?
    private var believedFrom: ContinuousClock.Instant?

    /// The time for which the time of day is not believed yet.
    mutating func waitingTime(at date: Date, _ instant: ContinuousClock.Instant) -> Duration {
        if let last {
            let elapsed = (instant - last.instant) / .seconds(1)
            let jump = date.timeIntervalSince(last.date) - elapsed
            if jump > Self.tolerance {
                believedFrom = instant + Self.trial
            } else if jump < -Self.tolerance {
                // Set back: whatever made it doubtful is over.
                believedFrom = nil
            }
        }
        last = (date, instant)
        guard let believedFrom, believedFrom > instant else { return .zero }
        return believedFrom - instant
    }
}

/// Logs each failure once until all goes well again, or a store that does not answer would fill the
/// log.
private final class RepeatedFailures: Sendable {
    private let known = NIOLockedValueBox<[String]>([])

    /// Maximum number of remembered failures.
    private static let most = 100

    func isNews(_ text: String) -> Bool {
        known.withLockedValue { known in
            if known.contains(where: { $0.utf8.elementsEqual(text.utf8) }) { return false }
            known = known.suffix(Self.most - 1) + [text]
            return true
        }
    }

    func clear() { known.withLockedValue { $0 = [] } }
}
