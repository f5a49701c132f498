public import ActiveConfig
import ActiveConfigRealtime
public import ActiveConfigTrust
import Dispatch
public import Foundation
import JSONTree
import Rendering
import Targeting

/// Evaluates the configuration of any number of users in the process, from a project's template.
///
/// ```swift
/// let evaluator = TemplateEvaluator(
///     backend: server, project: "shop", credentials: .bearerToken { _ in token })
/// let following = Task { await evaluator.run() }
/// try await evaluator.load()
/// let settings = evaluator.configuration(forUserID: "42", signals: ["device.country": "JP"])
/// if settings[.isCheckoutOn] { … }
/// ```
///
/// It loads the template with its pinned values, follows their changes while ``run()`` runs, and keeps
/// the last good one in a folder. A user gets the document that the server would render, from memory
/// and without waiting. Nothing is kept of a user: the memory depends on the template alone.
public final class TemplateEvaluator: Sendable {
    /// Options of an evaluator.
    public struct Options: Sendable {
        /// The folder of the last good template; nil keeps it in memory only.
        ///
        /// With it a restart needs no server. The template is in a subfolder for the project. Evaluators
        /// of the same project, also on other servers, need folders of their own.
        public var folder: URL?
        /// Verifies the signatures of templates, as `SignatureVetting` verifies those of documents; nil
        /// accepts unsigned ones.
        public var verifier: (any SignatureVerifier)?
        /// In-app defaults, beneath the document of each user.
        public var defaults: [String: ActiveConfigSection] = [:]
        /// The maximum memory for documents, in bytes, by estimate: users whose conditions have the same
        /// results share one.
        public var cacheBytes = 32 << 20
        /// The longest wait between two attempts to reach the server, unless it asks for more.
        public var maximumDelay = Duration.seconds(60)
        /// The URL sessions of the requests, for example with a proxy.
        public var sessions = URLSessionPool.shared
        /// Receives what goes wrong, and values of a wrong type.
        public var log = ActiveConfigLog.system

        /// Creates the default options.
        public init() {}
    }

    /// The size of the largest template, written as a text within JSON, with its pinned values.
    private static let limits = ConfigurationLimits(maximumSize: 256 << 20)

    /// The configuration that the answers belong to: pass it to an `ExposureRecorder`, or add an
    /// observer of your own, to receive the reads of all users.
    ///
    /// It downloads and stores nothing. In-app defaults are set in ``Options/defaults``.
    public let config: ActiveConfig

    private let templates: ActiveConfig
    private let updater: ActiveConfigUpdater
    let vetting: TemplateVetting
    private let empty: EvaluatedDocument
    private let now: @Sendable () -> Date

    /// Creates an evaluator, which performs no I/O yet.
    ///
    /// - Parameters:
    ///   - backend: The server's URL.
    ///   - project: The project.
    ///   - credentials: A token with the role evaluator, or a higher one, as ``ClientCredentials/bearerToken(_:)``.
    ///   - options: Optional behavior.
    public convenience init(
        backend: URL, project: String = "default", credentials: ClientCredentials,
        options: Options = Options()
    ) {
        self.init(
            address: backend.appending(path: "v1/projects/\(project)/evaluation"),
            project: project, credentials: credentials, options: options, now: { Date() })
    }

    /// Creates an evaluator that gets its templates at an address, by the given clock for conditions on
    /// the time.
    init(
        address: URL, project: String, credentials: ClientCredentials, options: Options,
        now: @escaping @Sendable () -> Date
    ) {
        self.now = now
        let queue = DispatchQueue(label: "ActiveConfigEvaluation")
        config = ActiveConfig(
            notificationCenter: NotificationCenter(), listenerQueue: queue,
            options: ActiveConfigOptions(overridePolicy: .never, log: options.log))
        if !options.defaults.isEmpty { config.setDefaults(options.defaults) }
        vetting = TemplateVetting(
            config: config, cacheBytes: options.cacheBytes,
            defaults: Set(options.defaults.keys.map { ExactText($0) }))
        empty = EvaluatedDocument(ConfigurationState(meta: [:], sections: [:]), of: config)
        let log = TemplateWording(project: project).log(options.log)
        let backend = ActiveConfigBackend(
            url: address, credentials: credentials, sessions: options.sessions,
            limits: Self.limits)
        var vettings: [any ConfigurationVetting] = [vetting]
        if let verifier = options.verifier {
            // The server signs templates by this name, so that no document of a user passes for one.
            vettings.insert(
                SignatureVetting(verifier: verifier, project: project + "/evaluation"), at: 0)
        }
        templates = ActiveConfig(
            configDownloader: JSONURLDownloader(backend: backend),
            configStore: options.folder.map { folder in
                FileDefaultsStore(
                    directory: folder.appending(path: Self.folderName(ofProject: project)),
                    log: log)
            },
            notificationCenter: NotificationCenter(), listenerQueue: queue,
            options: ActiveConfigOptions(
                overridePolicy: .never, vetting: vettings, log: log))
        var times = ActiveConfigUpdater.Options()
        times.maximumDelay = options.maximumDelay
        updater = ActiveConfigUpdater(
            templates, source: LongPollSource(base: URLSessionEventSource(backend: backend)),
            options: times, activity: .always)
    }

    /// Follows the template until the task is cancelled.
    ///
    /// It runs once at a time. With `ServiceLifecycle`, which ends services gracefully, call it within
    /// `cancelWhenGracefulShutdown`. A server that does not answer, or refuses the credentials, is asked
    /// again after a wait that grows to ``Options/maximumDelay``; ``status`` has the reason.
    public func run() async {
        await templates.load()
        await updater.run()
    }

    /// Loads the template: that of the folder, or without one that of the server.
    ///
    /// Evaluations before see an empty document, so defaults only.
    ///
    /// - Throws: `DownloadError` when there is no template in the folder and the server does not send
    ///   one; the error of a vetting when it cannot be used.
    public func load() async throws {
        await templates.load()
        if vetting.active == nil { try await templates.downloadNewConfig() }
        if let refusal = vetting.refusal, vetting.active == nil {
            throw ConfigurationRefusal("\(refusal)")
        }
    }

    /// The active template, and how the evaluator follows the server.
    public var status: EvaluationStatus {
        EvaluationStatus(
            templateVersion: vetting.active?.version,
            confirmationDate: templates.status.confirmationDate,
            connection: updater.state(ofUserID: nil), refusal: vetting.refusal)
    }

    /// What happens while it follows: another template is active, or the connection changes.
    public var updates: EvaluationUpdates { EvaluationUpdates(base: updater.updates) }

    /// The configuration of a user, as the server would render it now.
    ///
    /// From memory, on any thread, without waiting. The configuration of a user whose ID is so long that
    /// the server refuses it is empty.
    ///
    /// - Parameters:
    ///   - userID: The user; nil is the generic user.
    ///   - signals: The signals that conditions test.
    /// - Returns: The configuration, for any number of reads.
    public func configuration(
        forUserID userID: String?, signals: EvaluationSignals = .none
    ) -> ConfigurationSnapshot {
        vetting.active?.snapshot(for: context(userID, signals))
            ?? empty.snapshot(forUserID: userID)
    }

    /// Why the settings of a user have their values, now.
    ///
    /// Without settings and conditions for a user whose ID is so long that the server refuses it.
    ///
    /// - Parameters:
    ///   - userID: The user; nil is the generic user.
    ///   - signals: The signals that conditions test.
    /// - Returns: The reasons, by the template that is active.
    public func explain(
        forUserID userID: String?, signals: EvaluationSignals = .none
    ) -> EvaluationExplanation {
        guard let template = vetting.active else { return EvaluationExplanation() }
        guard template.project.compiled.admits(userID: userID) else {
            return EvaluationExplanation(templateVersion: template.version)
        }
        return EvaluationExplanation(template.project, context(userID, signals))
    }

    /// The name of the subfolder for a project; names that differ in case only differ on every file
    /// system.
    private static func folderName(ofProject project: String) -> String {
        project.utf8.reduce(into: "project-") { name, byte in
            let character = Character(UnicodeScalar(byte))
            switch UnicodeScalar(byte) {
            case "a"..."z", "0"..."9", "-", "_", ".": name.append(character)
            case "A"..."Z": name += "+\(character.lowercased())"
            default: name += "+\(byte)+"
            }
        }
    }

    private func context(_ userID: String?, _ signals: EvaluationSignals) -> TargetingContext {
        TargetingContext(userID: userID, signals: signals.signals, date: now())
    }
}
