import AdminAPI
import ClientAPI
import ConfigServer
import HTTPServing
import Logging
import SQLiteTemplateStore
import TemplateStore
import WebhookDelivery

extension ServeCommand {
    /// Opens the store and creates its server.
    func open(logger: Logger) async throws -> OpenServer {
        var options = try await serverOptions(logger: logger)
        // A server that cannot listen must not leave a new database.
        try await ConfigServer.checkListening(&options)
        let store = try await self.store.open(isAwaited: snapshot == nil)
        for warning in self.store.warnings { logger.warning("\(warning)") }
        do {
            // A server that cannot write would serve, and refuse the first publish.
            try await (store as? SQLiteTemplateStore)?.checkIsWritable()
            let server = try await server(store, options: options, logger: logger)
            return OpenServer(server: server, close: { await store.close() })
        } catch {
            await store.close()
            throw error
        }
    }

    private func server(
        _ store: any TemplateStore, options: ConfigServerOptions, logger: Logger
    ) async throws -> ConfigServer {
        let token = try await development.prepare(store, logger: logger)
        let source = DevelopmentOptions.tokenSource(
            isPrinted: token != nil, isNamed: try administratorToken != nil)
        return try await ConfigServer(
            store: store, options: options, logger: logger
        ) { address in
            Terminal.announce("listening on \(address)")
            if let token { Terminal.announce("administrator token \(token.text)") }
            logger.info(
                "Sign in to the console at \(address.onThisMachine)/console/ with \(source)")
        }
    }

    private func serverOptions(logger: Logger) async throws -> ConfigServerOptions {
        var options = ConfigServerOptions(hostname: hostname, port: port)
        options.clientAccess = try await access.clientAccess(logger: logger)
        options.serviceKeys = try access.serviceKeyHashes
        options.documentSigner = try assurance.documentSigner()
        options.acknowledgedShare = assurance.acknowledgedShare
        options.samplesSignals = !noSample
        options.crossOriginAccess = CrossOriginAccess(origins: access.allowedOrigins)
        options.administratorToken = try administratorToken.map { SecretHash(of: $0.text) }
        options.openID = try await openID.options(allowedHosts: access.allowedHosts + [hostname])
        options.allowedHosts = access.allowedHosts
        options.trustedProxies = try access.proxies
        if let tlsCertificate, let tlsKey {
            options.tls = TLSFiles(certificate: tlsCertificate, privateKey: tlsKey)
        }
        let limit = rateLimit ?? (isLoopback ? 0 : Self.defaultRateLimit)
        options.limits.requestsPerSecond = limit > 0 ? limit : nil
        if rateLimit == 0 {
            // Behind a proxy all clients have its address: one would lock out all administrators.
            options.administratorLimits.signInsPerSecond = Self.defaultRateLimit
            options.administratorLimits.wrongTokensPerSecond = 100 * Self.defaultRateLimit
        }
        let streams = maxStreamsPerAddress ?? (isLoopback ? 0 : Self.defaultStreamsPerAddress)
        options.clientLimits.streamsPerAddress = streams > 0 ? streams : nil
        options.clientLimits.streamMaximumAge = streamMaxAge > 0 ? .seconds(streamMaxAge) : nil
        options.limits.clientBacklogBytes = clientBacklogMegabytes << 20
        let connections = try OpenFileLimit.raised().connections(atMost: maxConnections)
        if let warning = connections.warning { logger.warning("\(warning)") }
        options.maximumConnections = connections.maximum
        options.renderCacheBytes =
            (cacheMegabytes ?? MachineMemory.current().cacheMegabytes) << 20
        options.webhooks.allowsPrivateAddresses = allowPrivateWebhooks
        options.snapshotFile = snapshot
        options.consolePages = development.pages
        options.metricsText = MetricsExport.start(for: store)
        return options
    }
}
