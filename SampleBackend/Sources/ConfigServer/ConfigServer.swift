import AdminAPI
package import ClientAPI
import Console
import Foundation
public import HTTPServing
import JSONTree
public import Logging
import OpenIDConnect
public import ServiceLifecycle
public import TemplateStore
import WebhookDelivery

/// Serves configurations over HTTP until a graceful shutdown.
///
/// ```swift
/// let server = try await ConfigServer(store: InMemoryTemplateStore(), logger: logger) { address in
///     print("listening on \(address)")
/// }
/// let group = ServiceGroup(
///     services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
/// try await group.run()
/// ```
///
/// A graceful shutdown stops accepting connections, closes idle ones, lets requests in flight
/// finish, and takes at most ``ServerLimits/shutdownTime``.
public struct ConfigServer: Service, CustomStringConvertible {
    /// The name of the type; logging a service must not print its options.
    public var description: String { "ConfigServer" }

    let options: ConfigServerOptions
    private let certificate: TLSCertificate?
    let reloads: [FileReload]
    private let source: any DocumentSource
    /// True when requests can wait for changes: the documents come from the library, which the hub
    /// follows.
    private let waits: Bool
    private let administration: Administration
    private let hub: RealtimeHub
    private let acknowledgements: Acknowledgements?
    private let sample: SignalSample?
    private let follower: StoreFollower
    let health: StoreHealth
    private let snapshots: SnapshotKeeper?
    private let webhooks: WebhookService
    private let schedules: ScheduledPublishService
    let logger: Logger
    private let onListening: @Sendable (ListeningAddress) async -> Void

    /// Creates a server and reads the store; the server listens when it is run.
    ///
    /// - Parameters:
    ///   - store: The store of templates and tokens; the caller closes it.
    ///   - options: The address to listen on, and the limits and permissions.
    ///   - logger: Receives one line per request at level info, and the reasons for failures.
    ///   - onListening: Called once, when the server has started to accept connections.
    /// - Throws: `TemplateStoreError` when the store cannot be read and there is no snapshot to
    ///   start from, or when the snapshot belongs to another store.
    public init(
        store: any TemplateStore,
        options: ConfigServerOptions = ConfigServerOptions(),
        logger: Logger,
        onListening: @escaping @Sendable (ListeningAddress) async -> Void = { _ in }
    ) async throws(TemplateStoreError) {
        self.init(
            unread: store, source: nil, options: options, logger: logger,
            onListening: onListening)
        guard let snapshots else {
            try await follower.load()
            return
        }
        let isFromStore = try await snapshots.start { [follower] () throws(TemplateStoreError) in
            try await follower.load()
        }
        if !isFromStore { administration.access.expectTokens() }
    }

    /// Creates a server that has not read its store; `source`, when given, replaces the store for
    /// the documents of PROTOCOL 1.
    package init(
        unread store: any TemplateStore, source: (any DocumentSource)? = nil,
        options: ConfigServerOptions = ConfigServerOptions(), logger: Logger,
        onListening: @escaping @Sendable (ListeningAddress) async -> Void = { _ in }
    ) {
        let metrics = LibraryMetrics()
        let library = TemplateLibrary(
            store: store, logger: logger, metrics: metrics,
            cacheBytes: options.renderCacheBytes)
        let access = AdministratorAccess(
            environmentToken: options.administratorToken,
            signIn: options.openID.map { OpenIDSignIn(options: $0) })
        webhooks = WebhookService(
            store: store, options: options.webhooks, logger: logger,
            metrics: DeliveryMetrics(), consoleOrigin: options.openID?.publicOrigin,
            changedSections: library.changedSections)
        snapshots = options.snapshotFile.map { path in
            SnapshotKeeper(file: SnapshotFile(path: path), library: library, logger: logger)
        }
        health = StoreHealth(library: library, snapshots: snapshots, logger: logger)
        let hub = RealtimeHub(
            library: library, limits: options.clientLimits,
            unreadTime: options.limits.unreadTime, maximumStreams: options.maximumStreams,
            acknowledgedShare: options.acknowledgedShare.map(AcknowledgedShare.init))
        let sample = options.samplesSignals ? SignalSample() : nil
        let acknowledgements = options.acknowledgedShare.map { _ in Acknowledgements() }
        library.observe { change in
            guard case .deletion(let project) = change else { return }
            sample?.forget(project: project)
            acknowledgements?.forget(project: project)
        }
        access.observeRevocations { [weak hub] in hub?.endRevokedStreams() }
        self.hub = hub
        self.sample = sample
        self.acknowledgements = acknowledgements
        var administration = Administration(
            store: store, library: library, access: access, metrics: metrics, hub: hub,
            acknowledgements: acknowledgements, sample: sample, now: { Date() },
            allowsPrivateWebhooks: options.webhooks.allowsPrivateAddresses)
        administration.exchangeCounts(logger: logger)
        administration.storeFault = { [health] in await health.lastingFault() }
        administration.onStoreFailure = { [health] in health.noteFailure($0, start: $1) }
        administration.maximumAnswerBytes = options.limits.messageBytes
        self.administration = administration
        schedules = ScheduledPublishService(
            administration: administration, webhooks: options.webhooks, logger: logger)
        follower = StoreFollower(
            library: library, access: access, webhooks: webhooks, logger: logger, metrics: metrics,
            schedules: schedules)
        self.source = source ?? library
        waits = source == nil
        self.options = options
        certificate = options.certificate ?? options.tls.map(TLSCertificate.init)
        reloads = Self.reloads(
            certificate: certificate, userTokens: options.clientAccess.userTokens,
            rules: options.openID?.rules, access: access, logger: logger)
        self.logger = logger
        self.onListening = onListening
    }

    /// Checks that a server with these options can listen and use its certificate, before a store is
    /// created for it.
    ///
    /// The options keep the certificate: its files can be pipes, which are read once.
    ///
    /// - Throws: A ``ListeningError`` or a ``TLSFilesError``.
    public static func checkListening(_ options: inout ConfigServerOptions) async throws {
        let certificate = options.tls.map(TLSCertificate.init)
        try await certificate?.read()
        options.certificate = certificate
        try await HTTPListener.checkAddress(hostname: options.hostname, port: options.port)
    }

    /// Serves until a graceful shutdown, or until the task is cancelled.
    ///
    /// - Throws: A ``ListeningError`` when the address is unavailable, a ``TLSFilesError`` when the
    ///   certificate cannot be used.
    public func run() async throws {
        if let certificate, !certificate.isRead { try await certificate.read() }
        let listener = HTTPListener(
            hostname: options.hostname, port: options.port, tls: certificate,
            services: services, logger: logger)
        // Goes on while a shutdown waits for requests. A child task would be awaited, but the disk
        // may not answer.
        let keeping = Task { [snapshots] in _ = await snapshots?.run() }
        defer { keeping.cancel() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await follower.run() }
            group.addTask { await webhooks.run() }
            group.addTask { await schedules.run() }
            group.addTask { await health.run() }
            if let replicas = administration.replicas {
                group.addTask { await cancelWhenGracefulShutdown { await replicas.run() } }
            }
            if let usage = UsageRecorder(administration: administration, logger: logger) {
                group.addTask { await cancelWhenGracefulShutdown { await usage.run() } }
            }
            group.addTask { try await listener.run(onListening: onListening) }
            // An error of the listener ends the group and cancels the other tasks.
            for try await _ in group {}
        }
        // The listener waits only for requests, so it may end before all streams have sent their
        // clients the request to reconnect.
        await hub.endAll()
        // The last requests may have published.
        await snapshots?.keepLastChanges(ending: keeping)
    }
}

extension ConfigServer {
    /// All routes.
    var groups: [RouteGroup] {
        let clientAccess = options.clientAccess
        let limits = options.administratorLimits
        let wrongTokens = max(limits.wrongTokensPerSecond, 1)
        let wrongTokenLimiter = RateLimiter<ClientAddress>(
            interval: .seconds(1) / wrongTokens, burst: 10 * wrongTokens)
        let access = SessionAccess(
            access: administration.access, usesTLS: options.tls != nil,
            progress: administration.library.progress)
        let streams = EventStreamRoutes(
            hub: hub, clientAccess: clientAccess,
            serviceAccess: ServiceAccess(
                keys: options.serviceKeys, clientAccess: clientAccess,
                administrator: serviceCaller, awaitTokens: { access.catchUp(for: $0) },
                maximumBodyBytes: options.clientLimits.usersBodyBytes,
                wrongCredentialsLimiter: wrongTokenLimiter))
        let answers = DocumentRoutes(
            source: source, clientAccess: clientAccess, waiting: waits ? hub : nil,
            signer: options.documentSigner, acknowledgedShare: hub.acknowledgedShare,
            sample: sample, usage: hub.usage, logger: logger)
        let acknowledging = AcknowledgementRoutes(
            acknowledgements: acknowledgements, library: hub.library, clientAccess: clientAccess,
            waiting: hub,
            limiter: RateLimiter(
                requestsPerSecond: options.clientLimits.acknowledgementsPerSecond))
        var documents = RouteGroup(answers.routes + streams.routes + acknowledging.routes)
        documents.crossOriginFields = .clients
        let flags = OFREPRoutes(
            library: administration.library, clientAccess: clientAccess, waiting: hub,
            sample: sample, usage: hub.usage, now: administration.now)
        let recognition = AdministratorRecognition(
            access, wrongCredentialsLimiter: wrongTokenLimiter)
        let operations = OperationsRoutes(
            source: source, health: health, metricsText: options.metricsText,
            metricsRecognition: options.isLoopback ? nil : recognition, logger: logger)
        let evaluation = EvaluationRoutes(
            hub: hub, signer: options.documentSigner, usage: hub.usage,
            isAllowed: { [access = administration.access] caller, project in
                (caller as? AdministratorCaller).map { access.isValid($0, inProject: project) }
                    ?? true
            }, logger: logger)
        let administrationGroup = administration.group(
            recognition: AdministratorRecognition(
                access, wrongCredentialsLimiter: wrongTokenLimiter,
                maximumBodyBytes: limits.bodyBytes),
            with: [evaluation.route(access: RoleAccess(.evaluator))])
        let signInLimiter = RateLimiter<ClientAddress>(
            requestsPerSecond: limits.signInsPerSecond)
        let sessions = SessionRoutes(
            access: access, administration: administration,
            administrationGroup: administrationGroup, signInLimiter: signInLimiter)
        let people = OpenIDRoutes(
            sessions: sessions, access: access, administration: administration,
            signInLimiter: signInLimiter)
        return [documents, flags.group(with: streams.openFeatureRoutes)] + operations.groups + [
            administrationGroup,
            sessions.group(recognition: recognition),
            people.group,
            ConsoleRoutes(
                pages: options.consolePages.map(ConsolePages.init(folder:)) ?? .builtIn
            ).group,
        ]
    }

    /// The administrator whose token the request carries, as the caller of a service route.
    private func serviceCaller(
        _ headerFields: RequestFields
    ) throws(RequestError) -> ServiceCaller? {
        let access = administration.access
        guard let token = headerFields.bearerToken else { return nil }
        guard let holder = access.holder(ofToken: token) else {
            try access.checkTokensAreKnown()
            return nil
        }
        let administrator = holder.administrator
        guard !administrator.isEvaluator else {
            throw .permissionDenied(
                "The role of this token, evaluator, does not allow this: use a token with the role "
                    + "viewer.")
        }
        return ServiceCaller(
            expirationDate: holder.expirationDate, projects: administrator.readableProjects
        ) {
            access.holder(ofToken: token) != nil
        }
    }

    /// What the connections of a listener share.
    package var services: ConnectionServices {
        let dispatcher = RequestDispatcher(
            groups: groups, limits: options.limits,
            crossOriginAccess: options.crossOriginAccess,
            hostAccess: HostAccess(
                names: options.allowedHosts + [options.hostname],
                isOpenToThisMachine: options.isLoopback
                    && options.clientAccess.isOpen),
            trustedProxies: TrustedProxies(options.trustedProxies),
            unknownPath: RequestError.unknownPath, logger: logger)
        return ConnectionServices(
            limits: options.limits, maximumConnections: options.maximumConnections,
            dispatcher: dispatcher)
    }
}

extension RequestError {
    /// 404: no route matches the path; the message names similar paths.
    @Sendable
    static func unknownPath(_ target: RequestTarget) -> RequestError {
        let advice =
            // Comparing a text with many combining marks would take seconds.
            switch target.segments.first.flatMap({ $0.hasBoundedMarks ? $0 : nil }) {
            case "v1":
                "a project's template is under /v1/projects/{project}/remoteConfig, and "
                    + "/openapi.json describes all calls"
            case "ofrep":
                "flags are evaluated by POST under /ofrep/v1/evaluate/flags and "
                    + "/ofrep/v1/evaluate/flags/{key}"
            case "projects":
                "the configuration of a user in a project is under "
                    + "/projects/{project}/activeconfig/user/{userID}, the template under "
                    + "/v1/projects/{project}/remoteConfig"
            default:
                "the configuration of a user is under /activeconfig/user/{userID}, the generic one "
                    + "under /activeconfig"
            }
        return .notFound("Nothing exists at this path: \(advice).")
    }
}
