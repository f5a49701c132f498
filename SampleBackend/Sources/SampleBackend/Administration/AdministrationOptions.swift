import ArgumentParser
import ConfigServer
import Foundation
import HTTPServing
import Logging

/// A type that is the options which all commands of administrators share: whom to ask, and how to
/// answer.
struct AdministrationOptions: ParsableArguments {
    /// The server to ask.
    @Option(
        help: ArgumentHelp(
            "The server to ask. (default: http://127.0.0.1:8080)", valueName: "url"))
    var server: String?

    /// The store to open instead of asking a server.
    @Option(
        help: ArgumentHelp(
            "Open this store instead of asking a server: sqlite:PATH. No token is needed.",
            valueName: "store"))
    var store: StoreLocation?

    /// The token of an administrator.
    @Option(
        help: ArgumentHelp(
            "The token of an administrator.",
            discussion: "Also the environment variable ACTIVECONFIG_TOKEN or "
                + "ACTIVECONFIG_ADMIN_TOKEN, which other users of the machine cannot see."))
    var token: Secret?

    /// The project.
    @Option(help: "The project.")
    var project = "default"

    /// Whether to answer in JSON.
    @Flag(help: "Answer with one JSON document, for programs.")
    var json = false

    /// Refuses options that do not go together.
    func validate() throws {
        if store != nil, server != nil {
            throw ValidationError("Give either --server or --store, not both.")
        }
        if store == .memory {
            throw ValidationError("--store memory is empty: give sqlite:PATH, or --server.")
        }
    }

    /// The path of the project's routes.
    var projectPath: String { "/v1/projects/\(project.percentEncoded)" }

    /// Talks to the server or the store while a command needs it.
    ///
    /// - Parameter body: What the command does.
    /// - Returns: What the body returns.
    /// - Throws: A ``CommandFailure`` when neither can be reached, and what the body throws.
    func withAdministration<Result>(
        _ body: (any AdministrationTransport) async throws -> Result
    ) async throws -> Result {
        if let store {
            let transport = try await LocalTransport(store)
            do {
                let result = try await body(transport)
                await transport.close()
                return result
            } catch {
                await transport.close()
                throw error
            }
        }
        let text = server ?? "http://127.0.0.1:8080"
        guard let url = URL(string: text), url.host != nil, url.scheme?.hasPrefix("http") == true
        else {
            throw ValidationError(
                "\"\(text.withoutUserInformation)\" is no URL of a server: give http://HOST:PORT.")
        }
        let environment = ProcessInfo.processInfo.environment
        let token =
            token
            ?? (environment["ACTIVECONFIG_TOKEN"] ?? environment["ACTIVECONFIG_ADMIN_TOKEN"])
            .map(Secret.init)
        return try await body(ServerTransport(server: url, token: token))
    }
}
