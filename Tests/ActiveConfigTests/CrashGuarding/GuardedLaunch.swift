import ActiveConfigTesting
import Foundation

@testable import ActiveConfig
@testable import ActiveConfigTrust

/// Launch of an app with a guard, modelled as its own process, which crashes when it is released.
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
    ///   - system: The files that earlier launches left.
    ///   - number: The process number; with the default, the test's own, the processes of
    ///     earlier launches count as ended.
    ///   - downloader: The downloader.
    ///   - bootstrap: The bootstrap configuration of the app.
    ///   - userID: The user.
    ///   - activation: When a downloaded document becomes active.
    ///   - bundle: The bundle of the app, or of its extension.
    init(
        _ system: ModelFileSystem, number: Int32 = getpid(),
        downloader: ScriptedDownloader = ScriptedDownloader(),
        bootstrap: BootstrapConfiguration? = nil, userID: String? = "1",
        activation: ActivationPolicy = .immediate, bundle: URL = Bundle.main.bundleURL
    ) {
        self.downloader = downloader
        let current = ProcessIdentity.current
        crashGuard = CrashGuard(
            crashLimit: 3, window: .seconds(10),
            process: ProcessIdentity(
                token: UUID().uuidString, number: number, host: current.host, boot: current.boot,
                start: nil), bundle: bundle)
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

    /// The active version, read in the same way as the app reads it.
    var version: Int? { config["Home"]?.integer(forKey: "version") }

    /// Marks the document as healthy, as the guard does for an app that stays alive.
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
    /// Ends the process before the call with this number, counted from the first one.
    func endCalls(at number: Int) { state.withLock { $0.faults.ending = number } }
}
