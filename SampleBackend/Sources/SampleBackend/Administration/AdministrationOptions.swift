import ArgumentParser
import ConfigServer
import Foundation
import HTTPServing
import Logging

/// The options that all commands of administrators share.
struct AdministrationOptions: ParsableArguments {
    @OptionGroup var connection: ServerOptions

    @Option(
        help: ArgumentHelp(
            "Open this store instead of a server: sqlite:PATH or etcd:URL,URL,… No token is "
                + "needed.",
            valueName: "store"), transform: StoreLocation.init(parsing:))
    var store: StoreLocation?

    @Option(
        help: ArgumentHelp(
            "The token of an administrator.",
            discussion: "Also the environment variable ACTIVECONFIG_TOKEN or "
                + "ACTIVECONFIG_ADMIN_TOKEN, which other users of the machine cannot see."))
    var token: Secret?

    @Option(help: "The project.")
    var project = "default"

    @Flag(help: "Print one JSON document, for scripts.")
    var json = false

    /// Rejects contradictory options.
    func validate() throws {
        if store != nil, connection.server != nil {
            throw ValidationError("Give either --server or --store, not both.")
        }
        if store == .memory {
            throw ValidationError(
                "--store memory is empty: give sqlite:PATH, etcd:URL,… or --server.")
        }
    }

    var projectPath: String { "/v1/projects/\(project.percentEncoded)" }

    /// The entity tag of a version of the template; 0 is the state before the first publish.
    func entityTag(ofVersion version: String) -> String { "\"etag-\(project)-\(version)\"" }

    /// Opens the transport, calls `body` and closes it again.
    func withAdministration<Result>(
        _ body: (any AdministrationTransport) async throws -> Result
    ) async throws -> Result {
        let transport = try await transport()
        do {
            let result = try await body(transport)
            await transport.close()
            return result
        } catch {
            await transport.close()
            throw error
        }
    }

    private func transport() async throws -> any AdministrationTransport {
        if let store { return try await LocalTransport(store) }
        let token =
            token ?? .sent(fromEnvironment: "ACTIVECONFIG_TOKEN")
            ?? .sent(fromEnvironment: "ACTIVECONFIG_ADMIN_TOKEN")
        return try connection.transport(token: token)
    }
}
