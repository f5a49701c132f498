import ArgumentParser
import ConfigServer
import Foundation
import HTTPServing
import JSONTree

/// `sample-backend watch` prints a user's changes as they happen.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show a user's changes as they happen.",
        discussion: """
            It listens as an app does, and reconnects when the connection is lost. Ctrl-C ends it, \
            and so does a reader of its output that closes it.

            """ + ClientOptions.help)

    @OptionGroup var client: ClientOptions

    @OptionGroup var connection: ServerOptions

    @Option(help: "The project.")
    var project = "default"

    @Option(
        help: ArgumentHelp(
            "The client key, if the server requires one.",
            discussion: "Also the environment variable ACTIVECONFIG_CLIENT_KEY, which other users "
                + "of the machine cannot see.",
            valueName: "key"))
    var clientKey: Secret?

    @Option(
        help: ArgumentHelp(
            "The user's token, if the server requires one.", valueName: "jwt"))
    var userToken: Secret?

    @Option(help: ArgumentHelp("Exit after this many updates.", valueName: "number"))
    var count: Int?

    @Flag(help: "Print each event as one line of JSON, for scripts.")
    var json = false

    /// The client key from the option, else from the environment; nil sends none.
    var sentClientKey: Secret? { clientKey ?? .sent(fromEnvironment: "ACTIVECONFIG_CLIENT_KEY") }

    /// Rejects an invalid server URL and count.
    func validate() throws {
        _ = try connection.address()
        if let count, count < 1 {
            throw ValidationError("--count is \(count): give 1 or more.")
        }
    }

    /// Listens until Ctrl-C, or until `--count` updates are printed.
    ///
    /// - Throws: `ExitCode` when the server rejects the request, or cannot be reached at the start.
    func run() async throws {
        Terminal.endWhenOutputCloses()
        do {
            var watch = Watch(self)
            try await watch.run()
        } catch let failure as CommandFailure {
            if json {
                Output.print(failure.json)
            } else {
                Terminal.printError("\(failure)")
            }
            throw failure.code
        }
    }
}
