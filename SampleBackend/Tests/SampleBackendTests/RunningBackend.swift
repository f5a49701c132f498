import Foundation
import ServerTestSupport
import Testing

/// A type that is `sample-backend serve` on a free port, with a token that may do everything.
final class RunningBackend: Sendable {
    /// The token of the environment.
    static let token = "a-token-for-tests-0123456789abcdef"

    /// The process.
    let process: BackendProcess

    /// The port.
    let port: Int

    /// Starts a server and waits until it listens.
    ///
    /// - Parameters:
    ///   - store: The value of `--store`.
    ///   - arguments: Further arguments.
    ///   - environment: Further variables.
    /// - Throws: What starting a process throws, or that it does not listen.
    init(
        store: String = "memory", _ arguments: [String] = [], environment: [String: String] = [:]
    ) async throws {
        process = try BackendProcess(
            ["serve", "--port", "0", "--store", store] + arguments,
            environment: ["ACTIVECONFIG_ADMIN_TOKEN": Self.token].merging(environment) { $1 })
        port = try #require(await process.listeningPort())
    }

    /// The base URL.
    var url: String { "http://127.0.0.1:\(port)" }

    /// Sends a request as a client.
    func answer(_ target: String, fields: [String] = []) async throws -> HTTPAnswer {
        try await HTTPConnection.answer(port: port, target: target, fields: fields)
    }

    /// Sends a request as an administrator.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: The path and the query.
    ///   - ifMatch: The value of `If-Match`.
    ///   - body: The body.
    /// - Returns: The answer.
    /// - Throws: `HTTPConnection.Failure` when there is none.
    func administer(
        _ method: String = "GET", _ target: String, ifMatch: String? = nil, body: String = ""
    ) async throws -> HTTPAnswer {
        try await HTTPConnection.answer(
            port: port, method: method, target: target,
            fields: ["Authorization: Bearer \(Self.token)"]
                + (ifMatch.map { ["If-Match: \($0)"] } ?? []), body: body)
    }

    /// Stops the server, and gives what it logged.
    ///
    /// - Returns: The lines of standard error.
    func stop() async -> [String] {
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
        var lines: [String] = []
        for await line in process.errorLines { lines.append(line) }
        return lines
    }
}
