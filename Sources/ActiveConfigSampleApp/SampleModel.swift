import ActiveConfig
import ActiveConfigRealtime
import Foundation

/// The app without its screen.
@MainActor
final class SampleModel {
    /// True while no download has failed.
    private(set) var hasSucceeded = true

    private let config: ActiveConfig
    private let gate: LaunchGate
    /// Nil without `--live`.
    private let updater: ActiveConfigUpdater?
    private var following: Task<Void, Never>?
    private let output: SampleOutput
    private var subscription: ActiveConfigSubscription?
    private var view = SampleViewConfiguration()

    static let appVersion = "1.0"

    static func configuration(_ options: SampleOptions) -> ActiveConfig {
        let config = ActiveConfig(
            configDownloader: JSONURLDownloader(
                backend: ActiveConfigBackend(url: options.server), timeout: .seconds(10)),
            configStore: FileDefaultsStore(
                directory: options.storeDirectory,
                bootstrap: .resource("InitialActiveConfig", in: .module)),
            options: ActiveConfigOptions(log: .disabled))
        config.currentUserID = options.userID
        return config
    }

    init(_ options: SampleOptions) {
        config = Self.configuration(options)
        gate = LaunchGate(config, appVersion: Self.appVersion)
        updater =
            options.isLive
            ? ActiveConfigUpdater(
                config,
                source: URLSessionEventSource(
                    backend: ActiveConfigBackend(url: options.server), timeout: .seconds(10)))
            : nil
        output = SampleOutput(isJSON: options.isJSON)
    }

    /// The current section is shown when this returns.
    func start() async {
        output.started(user: config.currentUserID)
        subscription = config.observeOnMainActor(
            sectionNamed: SampleViewConfiguration.sectionName
        ) { [weak self] _ in
            self?.didReceiveSection()
        }
        await delivered()
        guard let updater else { return }
        let updates = updater.updates
        following = Task { [output] in
            for await update in updates { output.updated(update) }
        }
        updater.start()
    }

    func stop() {
        subscription?.cancel()
        updater?.stop()
        following?.cancel()
    }

    /// Returns once ``stop()`` is called, or at once without an updater.
    func follow() async { await following?.value }

    /// - Returns: False for the command to quit.
    func perform(_ command: SampleCommand) async -> Bool {
        switch command {
        case .download: await download()
        case .user(let userID):
            config.currentUserID = userID
            output.userChanged(to: userID)
            await delivered()
        case .show: output.show(view, source: source, user: config.currentUserID)
        case .explain: output.explain(config.diagnostics.report())
        case .launch:
            await gate.check()
            await delivered()
            output.launched(gate.state)
        case .quit: return false
        }
        return true
    }

    private func download() async {
        do {
            let result = try await config.downloadNewConfig()
            await delivered()
            output.downloaded(result)
        } catch {
            hasSucceeded = false
            output.failed(error, shown: source)
        }
    }

    private func didReceiveSection() {
        view = SampleViewConfiguration(config.snapshot)
        output.show(view, source: source, user: config.currentUserID)
    }

    private var source: String {
        let meta = config.currentConfigurationMetaDictionary
        if meta["is_bootstrapped_configuration"]?.boolValue == true { return "bootstrap" }
        if meta.isEmpty { return "nothing" }
        let own = config.configStore?.ownConfiguration(forUserID: config.currentUserID)
        return own == nil ? "the generic user's" : "downloaded"
    }

    /// Waits until all blocks currently on the main queue have run.
    private func delivered() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume() }
        }
    }
}
