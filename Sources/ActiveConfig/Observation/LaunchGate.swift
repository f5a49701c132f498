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
/// await gate.open()
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
        /// When the app may run again, for people; the gate does not compare it with the clock.
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
    private let phase = Phase()

    /// Creates a gate, in the state ``State/loading``.
    ///
    /// - Parameters:
    ///   - activeConfig: The configuration.
    ///   - appVersion: The app's version, numbers with dots between them; on Apple's platforms
    ///     `CFBundleShortVersionString`.
    ///   - timeout: The longest time to wait for the first download.
    ///   - clock: Measures the timeout.
    public init(
        _ activeConfig: ActiveConfig, appVersion: String, timeout: Duration = .seconds(5),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        settings = ActiveConfigObserver(activeConfig)
        self.appVersion = appVersion
        self.timeout = timeout
        self.clock = clock
    }

    /// What the app shows, by the configuration in force.
    public var state: State {
        guard phase.isOpen else { return .loading }
        let launch = settings.decode(Settings.self)
        if let minimum = launch.minimumVersion, Self.isOlder(appVersion, than: minimum) {
            return .updateRequired(minimumVersion: minimum)
        }
        return launch.isInMaintenance
            ? .maintenance(message: launch.maintenanceMessage, until: launch.maintenanceEnd)
            : .ready
    }

    /// Downloads the configuration, and opens the gate when that has ended, well or not, or when the
    /// timeout is over.
    ///
    /// A download that takes longer goes on, and its configuration comes in force when it arrives.
    /// Returns early when the task is cancelled; the gate is open then.
    public func open() async {
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
        phase.isOpen = true
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
        var isOpen = false
    }
}

extension LaunchGate: Observable {}
