package import ClientAPI
package import ConfigServer
package import HTTPServing
import InMemoryTemplateStore
import Logging
import ServiceLifecycle
package import TemplateStore

/// A type that is a real server on a free port, in this process.
package struct RunningServer: Sendable {
    /// The port it listens on.
    package let port: Int

    /// What the server runs in.
    private let group: ServiceGroup

    /// Runs a server of a source while a test uses it, then shuts it down and waits for its end.
    ///
    /// - Parameters:
    ///   - source: Where the documents come from.
    ///   - limits: What one connection may cost.
    ///   - body: Uses the server.
    /// - Returns: What the body returns.
    /// - Throws: What the body or the server throws.
    package static func with<Result: Sendable>(
        source: any ConfigurationSource = SampleConfigurationSource(),
        limits: ServerLimits = ServerLimits(),
        _ body: @Sendable (RunningServer) async throws -> Result
    ) async throws -> Result {
        try await with(
            makeServer: { onListening in
                var configuration = ConfigServerConfiguration(port: 0, limits: limits)
                configuration.allowedHosts = hosts
                return ConfigServer(
                    unread: InMemoryTemplateStore(), source: source, configuration: configuration,
                    logger: logger,
                    onListening: onListening)
            }, body)
    }

    /// Runs a server of a store while a test uses it, then shuts it down and waits for its end.
    ///
    /// - Parameters:
    ///   - store: Where templates are kept.
    ///   - configuration: What the server allows; the port is a free one, and
    ///     ``administratorToken`` publishes.
    ///   - body: Uses the server.
    /// - Returns: What the body returns.
    /// - Throws: What the body or the server throws.
    package static func with<Result: Sendable>(
        store: any TemplateStore,
        configuration: ConfigServerConfiguration = ConfigServerConfiguration(),
        _ body: @Sendable (RunningServer) async throws -> Result
    ) async throws -> Result {
        var configuration = configuration
        configuration.port = 0
        configuration.administratorToken = SecretHash(of: administratorToken)
        configuration.allowedHosts += hosts
        return try await with(
            makeServer: { [configuration] onListening in
                try await ConfigServer(
                    store: store, configuration: configuration, logger: logger,
                    onListening: onListening)
            }, body)
    }

    /// A token that may do everything on the servers of tests.
    package static let administratorToken = "a-token-for-tests-0123456789abcdef"

    /// What tests write into `Host`.
    private static let hosts = ["test", "a", "b"]

    /// What tests log to.
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Runs a server while a test uses it.
    private static func with<Result: Sendable>(
        makeServer: (@escaping @Sendable (ListeningAddress) async -> Void) async throws ->
            ConfigServer,
        _ body: @Sendable (RunningServer) async throws -> Result
    ) async throws -> Result {
        let (addresses, continuation) = AsyncStream.makeStream(of: ListeningAddress.self)
        let server = try await makeServer { address in
            continuation.yield(address)
        }
        let group = ServiceGroup(services: [server], logger: logger)
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { continuation.finish() }
                try await group.run()
            }
            var iterator = addresses.makeAsyncIterator()
            guard let address = await iterator.next() else {
                try await tasks.waitForAll()
                throw CancellationError()
            }
            do {
                let result = try await body(RunningServer(port: address.port, group: group))
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                return result
            } catch {
                tasks.cancelAll()
                throw error
            }
        }
    }

    /// Tells the server to shut down gracefully; returns at once.
    package func shutDown() async {
        await group.triggerGracefulShutdown()
    }

    /// Sends one request on a connection of its own.
    package func answer(
        _ target: String, method: String = "GET", fields: [String] = [], body: String = ""
    ) async throws -> HTTPAnswer {
        try await HTTPConnection.answer(
            port: port, method: method, target: target, fields: fields, body: body)
    }

    /// The status of the response to one request on a connection of its own, or nil without one.
    package func status(_ target: String, method: String = "GET") async -> Int? {
        try? await answer(target, method: method).status
    }
}

extension ConfigServer {
    /// All that a server answers.
    package static var endpoints: [Endpoint] { endpoints(store: InMemoryTemplateStore()) }
}
