import Foundation
import ServerTestSupport
import Testing

/// `sample-backend serve` as a process on a free port.
final class RunningBackend: Sendable {
    /// Administrator token with all permissions, which the server reads from its environment.
    static let token = "a-token-for-tests-0123456789abcdef"

    let process: BackendProcess

    let port: Int

    /// Starts a server, by default on a free port, and waits until it listens; records an issue if
    /// it does not.
    init(
        store: String = "memory", _ arguments: [String] = [], port: Int = 0,
        environment: [String: String] = [:], openFiles: Int? = nil
    ) async throws {
        func start() async throws -> (BackendProcess, port: Int?) {
            let process = try BackendProcess(
                ["serve", "--port", "\(port)", "--store", store] + arguments,
                environment: ["ACTIVECONFIG_ADMIN_TOKEN": Self.token].merging(environment) { $1 },
                openFiles: openFiles)
            return (process, await process.listeningPort())
        }
        var started = try await start()
        // deadline: the given port may be in use by another test's connection for a moment
        while port != 0, started.port == nil, await started.0.exitCode() == Self.portIsInUse {
            try Task.checkCancellation()
            started = try await start()
        }
        process = started.0
        self.port = try #require(started.port)
    }

    /// Exit code of a server that cannot listen.
    private static let portIsInUse: Int32 = 69

    var url: String { "http://127.0.0.1:\(port)" }

    /// Sends a client's request.
    func answer(_ target: String, fields: [String] = []) async throws -> HTTPAnswer {
        try await HTTPConnection.answer(port: port, target: target, fields: fields)
    }

    /// Sends an administrator's request, with `If-Match` unless `ifMatch` is nil.
    func administer(
        _ method: String = "GET", _ target: String, ifMatch: String? = nil, body: String = ""
    ) async throws -> HTTPAnswer {
        try await HTTPConnection.answer(
            port: port, method: method, target: target,
            fields: ["Authorization: Bearer \(Self.token)"]
                + (ifMatch.map { ["If-Match: \($0)"] } ?? []), body: body)
    }

    /// Stops the server, expects exit code 0, and returns the lines of standard error.
    func stop() async -> [String] {
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
        var lines: [String] = []
        for await line in process.errorLines { lines.append(line) }
        return lines
    }
}
