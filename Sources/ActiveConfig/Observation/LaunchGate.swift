public import Foundation
public import Observation

/// Decides whether the app may run: checked at launch, and followed from then on.
///
/// It waits a limited time for a download of the configuration, then continues with the active one.
/// One section has the settings:
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
/// @MainActor func launch() async {
///     let gate = LaunchGate(config)
///     await gate.check()
///     switch gate.state {
///     case .loading, .ready: print("The app runs.")
///     case .maintenance(let message, _): print(message ?? "We are back soon.")
///     case .updateRequired(let version): print("Install version \(version).")
///     }
/// }
/// ```
///
/// The state is observable: views that read it follow it; see <doc:Launch-safety>.
@MainActor
public final class LaunchGate {
    /// What the app should show.
    public enum State: Sendable, Hashable {
        /// The first download is running.
        case loading
        /// The app may run.
        case ready
        /// The app may not run for a while: a message for people, and the end if known.
        ///
        /// After the end, by the device's clock, the app may run again even without another
        /// configuration.
        case maintenance(message: String?, end: Date?)
        /// The app is older than the oldest version allowed to run.
        case updateRequired(minimumVersion: String)
    }

    /// The section that decides whether the app may run.
    public struct Settings: SettingsSection, Hashable {
        /// The section's name.
        public static let sectionName = "Launch"

        /// True while the app may not run.
        public var isInMaintenance = false
        /// A message for people.
        public var maintenanceMessage: String?
        /// The time when the app may run again; ``isInMaintenance`` is ignored from then on.
        public var maintenanceEnd: Date?
        /// The oldest version of the app that may run, such as `2.1`.
        ///
        /// Also read from a number, but a number loses trailing zeros: 2.10 is 2.1.
        public var minimumVersion: String?

        /// Creates settings that let the app run.
        public init() {}

        /// Reads the settings.
        ///
        /// - Parameter decoder: The decoder.
        /// - Throws: `DecodingError` when a setting is missing or of another type.
        public init(from decoder: any Decoder) throws {
            let settings = try decoder.container(keyedBy: CodingKeys.self)
            isInMaintenance = try settings.decode(Bool.self, forKey: .isInMaintenance)
            maintenanceMessage = try settings.decodeIfPresent(
                String.self, forKey: .maintenanceMessage)
            maintenanceEnd = try settings.decodeIfPresent(Date.self, forKey: .maintenanceEnd)
            let minimum = try settings.decodeIfPresent(SettingValue.self, forKey: .minimumVersion)
            switch minimum {
            case .integer, .double: minimumVersion = minimum?.description
            default:
                minimumVersion = try settings.decodeIfPresent(String.self, forKey: .minimumVersion)
            }
        }
    }

    private let config: ActiveConfig
    private let settings: ObservableActiveConfig
    private let read: @MainActor (ObservableActiveConfig) -> Settings
    private let appVersion: Version?
    private let timeout: Duration
    private let clock: any Clock<Duration>
    private let now: () -> Date
    private let phase = Phase()
    /// Sleeps until the end of the current maintenance.
    private var alarm: (end: Date, task: Task<Void, Never>)?

    /// A year is longer than any app runs; clocks overflow at very long times.
    private static let longestPause = Duration.seconds(365 * 24 * 60 * 60)

    /// Creates a gate, in the state ``State/loading``.
    ///
    /// - Parameters:
    ///   - config: The configuration.
    ///   - appVersion: The app's version, numbers with dots between them; nil is the
    ///     `CFBundleShortVersionString` of the main bundle. What follows the numbers, as in `2.1-beta`, does not count. An
    ///     app whose version has no number is never too old, and the log says so.
    ///   - timeout: The longest time to wait for the first download, at most a year.
    ///   - clock: Measures the timeout and the time until a maintenance ends.
    ///   - settings: Reads the settings; by default from the section `Launch`. Pass a closure if
    ///     your section or settings have other names. It is called for each read of ``state``,
    ///     which then follows what the closure reads.
    public convenience init(
        _ config: ActiveConfig, appVersion: String? = nil, timeout: Duration = .seconds(5),
        clock: any Clock<Duration> = ContinuousClock(),
        settings: @escaping @MainActor (ObservableActiveConfig) -> Settings = {
            $0.section(Settings.self)
        }
    ) {
        self.init(
            config, appVersion: appVersion ?? PlatformSignals.current.appVersion ?? "",
            timeout: timeout, clock: clock, now: { Date() }, settings: settings)
    }

    /// Creates a gate with another time of day.
    package init(
        _ config: ActiveConfig, appVersion: String, timeout: Duration,
        clock: any Clock<Duration>, now: @escaping () -> Date,
        settings: @escaping @MainActor (ObservableActiveConfig) -> Settings = {
            $0.section(Settings.self)
        }
    ) {
        self.config = config
        self.settings = ObservableActiveConfig(config)
        read = settings
        self.appVersion = Version(appVersion)
        if self.appVersion == nil {
            config.log(
                .warning,
                "The app's version \"\(appVersion)\" has no number, so a minimum version has no effect."
            )
        }
        self.timeout = min(max(timeout, .zero), Self.longestPause)
        self.clock = clock
        self.now = now
    }

    deinit { alarm?.task.cancel() }

    /// What the app should show, by the active configuration.
    ///
    /// ``State/updateRequired(minimumVersion:)`` takes precedence over
    /// ``State/maintenance(message:end:)``.
    public var state: State {
        if phase.isLoading { return .loading }
        let launch = read(settings)
        if let minimum = launch.minimumVersion, let oldest = Version(minimum),
            let appVersion, appVersion < oldest
        {
            return .updateRequired(minimumVersion: minimum)
        }
        guard launch.isInMaintenance else { return .ready }
        if let end = launch.maintenanceEnd {
            let time = end.timeIntervalSince(now())
            if time <= 0 || phase.endedMaintenance == end { return .ready }
            wake(at: end, in: time)
        }
        return .maintenance(message: launch.maintenanceMessage, end: launch.maintenanceEnd)
    }

    /// Notifies observers of the state when a maintenance has ended by the monotonic clock, even if
    /// the time of day was changed since.
    private func wake(at end: Date, in time: TimeInterval) {
        if alarm?.end == end { return }
        alarm?.task.cancel()
        let task = Task { [clock, phase] in
            var rest = time
            while rest > 0 {
                let pause = min(rest, 86_400)
                guard (try? await clock.sleep(for: .seconds(pause))) != nil else { return }
                rest -= pause
            }
            phase.endedMaintenance = end
        }
        alarm = (end, task)
    }

    /// Downloads the configuration, and leaves ``State/loading`` when the download ends,
    /// successfully or not, or when the timeout expires.
    ///
    /// A slower download continues, and its configuration becomes active when it arrives. A
    /// cancelled task also leaves ``State/loading`` and returns early.
    public func check() async {
        let result = config.downloads.startedDownload()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let download = Task {
            _ = try? await result()
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

    /// Numbers with dots between them.
    struct Version: Comparable {
        private let numbers: [Int]

        /// Nil unless the text begins with a number or with `v` and a number, or when a number is
        /// too large: a typing error must not lock users out.
        init?(_ text: String) {
            var numbers: [Int] = []
            var rest = text.drop(while: \.isWhitespace)
            if rest.first == "v" || rest.first == "V" { rest.removeFirst() }
            while true {
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                if digits.isEmpty { break }
                guard let number = Int(digits) else { return nil }
                numbers.append(number)
                rest = rest[digits.endIndex...]
                guard rest.first == "." else { break }
                rest.removeFirst()
            }
            if numbers.isEmpty { return nil }
            while numbers.last == 0 { numbers.removeLast() }
            self.numbers = numbers
        }

        /// Compares number by number; a missing number is 0.
        static func < (left: Version, right: Version) -> Bool {
            left.numbers.lexicographicallyPrecedes(right.numbers)
        }
    }

    @Observable
    fileprivate final class Phase {
        var isLoading = true
        /// End of the maintenance that last ended by the monotonic clock.
        var endedMaintenance: Date?
    }
}

extension LaunchGate: Observable {}
