package import ClientAPI
package import ConfigServer
package import HTTPServing
import InMemoryTemplateStore
import Logging
import ServiceLifecycle
package import TemplateStore

/// A server with real sockets on a free port, in this process.
package struct RunningServer: Sendable {
    package let port: Int

    private let group: ServiceGroup

    /// Runs a server with a source of documents while `body` uses it, and waits for its shutdown.
    package static func with<Result: Sendable>(
        source: any DocumentSource = SampleDocumentSource(),
        limits: ServerLimits = ServerLimits(),
        _ body: @Sendable (RunningServer) async throws -> Result
    ) async throws -> Result {
        try await with(
            makeServer: { onListening in
                var options = ConfigServerOptions(port: 0, limits: limits)
                options.allowedHosts = hosts
                return ConfigServer(
                    unread: InMemoryTemplateStore(), source: source, options: options,
                    logger: logger,
                    onListening: onListening)
            }, body)
    }

    /// Runs a server with a store while `body` uses it, and waits for its shutdown.
    ///
    /// The server listens on a free port, whatever the options say, and accepts
    /// ``administratorToken``.
    package static func with<Result: Sendable>(
        store: any TemplateStore,
        options: ConfigServerOptions = ConfigServerOptions(),
        _ body: @Sendable (RunningServer) async throws -> Result
    ) async throws -> Result {
        var options = options
        options.port = 0
        options.administratorToken = SecretHash(of: administratorToken)
        options.allowedHosts += hosts
        return try await with(
            makeServer: { [options] onListening in
                try await ConfigServer(
                    store: store, options: options, logger: logger,
                    onListening: onListening)
            }, body)
    }

    /// Token with all permissions on the servers of tests.
    package static let administratorToken = "a-token-for-tests-0123456789abcdef"

    /// Values of `Host` that tests send.
    private static let hosts = ["test", "a", "b"]

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

    /// Starts a graceful shutdown, and returns immediately.
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

    /// Status of the response to one request on a connection of its own; nil without a response.
    package func status(_ target: String, method: String = "GET") async -> Int? {
        try? await answer(target, method: method).status
    }
}

extension ConfigServer {
    /// All endpoints of a server.
    package static var endpoints: [Endpoint] { endpoints(store: InMemoryTemplateStore()) }
}
