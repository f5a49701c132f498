import ActiveConfigTesting
import Foundation

@testable import ActiveConfig
@testable import ActiveConfigTrust

/// Launch of an app with a guard, as a process of its own: it dies when it is released.
struct GuardedLaunch {
    let config: ActiveConfig
    let crashGuard: CrashGuard
    let downloader: ScriptedDownloader
    let clock = ManualClock()
    let center = NotificationCenter()
    let queue = DispatchQueue(label: "listeners")
    let log = RecordingLog()

    static let folder = URL(filePath: "/app/store")

    /// Starts the app.
    ///
    /// - Parameters:
    ///   - system: The files of the launches before.
    ///   - number: The number of the process; that of the tests' process is free at each launch.
    ///   - downloader: The server.
    ///   - bootstrap: What comes with the app.
    ///   - userID: The user.
    ///   - activation: When a downloaded document becomes active.
    init(
        _ system: ModelFileSystem, number: Int32 = getpid(),
        downloader: ScriptedDownloader = ScriptedDownloader(),
        bootstrap: BootstrapConfiguration? = nil, userID: String? = "1",
        activation: ActivationPolicy = .immediate
    ) {
        self.downloader = downloader
        let current = ProcessIdentity.current
        crashGuard = CrashGuard(
            crashLimit: 3, window: .seconds(10),
            process: ProcessIdentity(
                token: UUID().uuidString, number: number, host: current.host, boot: current.boot,
                start: nil))
        let options = ActiveConfigOptions(
            activationPolicy: activation, overridePolicy: .never, vetting: [crashGuard],
            log: log.log)
        config = ActiveConfig(
            configDownloader: downloader,
            configStore: FileDefaultsStore(
                directory: Self.folder, bootstrap: bootstrap, log: log.log, system: system),
            notificationCenter: center, listenerQueue: queue, options: options, clock: clock)
        config.currentUserID = userID
    }

    /// The active version, read as the app does.
    var version: Int? { config["Home"]?.integer(forKey: "version") }

    /// Lets the app live with its document.
    func live() {
        crashGuard.markHealthy()
        crashGuard.drain()
    }

    static func document(_ version: Int) -> ConfigurationState {
        .make(
            meta: ["template_version": .integer(version)],
            sections: ["Home": ["version": .integer(version)]], entityTag: "\"\(version)\"")
    }
}

extension ModelFileSystem {
    /// Ends the process before a call, counted from the first one.
    func endCalls(at number: Int) { state.withLock { $0.faults.ending = number } }
}
