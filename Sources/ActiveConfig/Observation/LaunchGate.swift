public import Foundation
public import Observation

/// Whether the app may run: asked at launch, and followed from then on.
///
/// It downloads the configuration, waits for it for a limited time, and then goes on with what is
/// known. One section says the rest:
///
/// ```json
/// "Launch": {"settings": {
///     "isInMaintenance": {"value": true},
///     "maintenanceMessage": {"value": "We are back at nine."},
///     "maintenanceEnd": {"value": "2026-11-22T09:00:00Z"},
///     "minimumVersion": {"value": "2.1"}}}
/// ```
///
/// ```swift
/// let gate = LaunchGate(config, appVersion: "2.0.3")
/// await gate.check()
/// switch gate.state { … }
/// ```
///
/// The state is observed, so a view that reads it follows it; see
/// <doc:Maintenance-and-forced-updates>.
@MainActor
public final class LaunchGate {
    /// What the app shows.
    public enum State: Sendable, Hashable {
        /// The first download is awaited.
        case loading
        /// The app may run.
        case ready
        /// The app may not run for a while: a message for people, and the end if it is known.
        ///
        /// At the end, by the device's clock, it may run again, even without another configuration.
        case maintenance(message: String?, until: Date?)
        /// The app is older than the oldest version that may run.
        case updateRequired(minimumVersion: String)
    }

    /// The section that says whether the app may run.
    public struct Settings: SettingsSection, Hashable {
        /// The section's name.
        public static let sectionName = "Launch"

        /// True while the app may not run.
        public var isInMaintenance = false
        /// A message for people.
        public var maintenanceMessage: String?
        /// When the app may run again; from then on ``isInMaintenance`` does not count.
        public var maintenanceEnd: Date?
        /// The oldest version of the app that may run, such as `2.1`.
        public var minimumVersion: String?

        /// Creates settings with which the app may run.
        public init() {}
    }

    private let settings: ActiveConfigObserver
    private let appVersion: String
    private let timeout: Duration
    private let clock: any Clock<Duration>
    private let now: () -> Date
    private let phase = Phase()
    /// Runs until the maintenance that was read last is over.
    private var alarm: (end: Date, task: Task<Void, Never>)?

    /// Creates a gate, in the state ``State/loading``.
    ///
    /// - Parameters:
    ///   - activeConfig: The configuration.
    ///   - appVersion: The app's version, numbers with dots between them; on Apple's platforms
    ///     `CFBundleShortVersionString`.
    ///   - timeout: The longest time to wait for the first download.
    ///   - clock: Measures the timeout, and the time until a maintenance ends.
    public convenience init(
        _ activeConfig: ActiveConfig, appVersion: String, timeout: Duration = .seconds(5),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(
            activeConfig, appVersion: appVersion, timeout: timeout, clock: clock, now: { Date() })
    }

    /// Creates a gate with another time of day.
    package init(
        _ activeConfig: ActiveConfig, appVersion: String, timeout: Duration,
        clock: any Clock<Duration>, now: @escaping () -> Date
    ) {
        settings = ActiveConfigObserver(activeConfig)
        self.appVersion = appVersion
        self.timeout = timeout
        self.clock = clock
        self.now = now
    }

    /// What the app shows, by the configuration in force.
    public var state: State {
        if phase.isLoading { return .loading }
        let launch = settings.decode(Settings.self)
        if let minimum = launch.minimumVersion, Self.isOlder(appVersion, than: minimum) {
            return .updateRequired(minimumVersion: minimum)
        }
        guard launch.isInMaintenance else { return .ready }
        if let end = launch.maintenanceEnd {
            let time = end.timeIntervalSince(now())
            if time <= 0 { return .ready }
            wake(at: end, in: time)
        }
        return .maintenance(message: launch.maintenanceMessage, until: launch.maintenanceEnd)
    }

    /// Notifies whoever observes the state when a maintenance ends.
    private func wake(at end: Date, in time: TimeInterval) {
        _ = phase.endedMaintenances
        if alarm?.end == end { return }
        alarm?.task.cancel()
        // A year is longer than any app runs.
        let pause = Duration.seconds(min(time, 31_536_000))
        let task = Task { [clock, phase] in
            guard (try? await clock.sleep(for: pause)) != nil else { return }
            phase.endedMaintenances += 1
        }
        alarm = (end, task)
    }

    /// Downloads the configuration, and leaves ``State/loading`` when that has ended, well or not, or
    /// when the timeout is over.
    ///
    /// A download that takes longer goes on, and its configuration comes in force when it arrives.
    /// Returns early when the task is cancelled, and leaves ``State/loading`` then, too.
    public func check() async {
        let config = settings.activeConfig
        config.startDownload()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let download = Task {
            _ = try? await config.downloadNewConfig() as DownloadResult
            end.finish()
        }
        let alarm = Task { [clock, timeout] in
            try? await clock.sleep(for: timeout)
            end.finish()
        }
        for await _ in ends {}
        download.cancel()
        alarm.cancel()
        settings.refresh()
        phase.isLoading = false
    }

    /// True when a version comes before another, number by number; a missing number is 0.
    ///
    /// A part that is no number counts as 0, so that a mistake locks nobody out.
    static func isOlder(_ version: String, than other: String) -> Bool {
        let (left, right) = (numbers(version), numbers(other))
        for index in 0..<max(left.count, right.count) {
            let (first, second) = (
                index < left.count ? left[index] : 0, index < right.count ? right[index] : 0
            )
            if first != second { return first < second }
        }
        return false
    }

    private static func numbers(_ version: String) -> [Int] {
        version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    }

    @Observable
    fileprivate final class Phase {
        var isLoading = true
        /// Number of maintenances whose end has passed.
        var endedMaintenances = 0
    }
}

extension LaunchGate: Observable {}
