import ArgumentParser
import JSONTree

/// A command of administrators, which sends its requests to a server or to a local store.
protocol AdministrationCommand: AsyncParsableCommand {
    var options: AdministrationOptions { get }

    /// Runs the command over a connected transport.
    ///
    /// - Throws: A ``CommandFailure``.
    func run(with transport: any AdministrationTransport) async throws
}

extension AdministrationCommand {
    /// Runs the command; prints a failure and throws its `ExitCode`.
    func run() async throws {
        try await CommandFailure.reported(asJSON: options.json) {
            try await options.withAdministration { try await run(with: $0) }
        }
    }
}

extension CommandFailure {
    /// Prints a failure of `body` to standard error, as JSON if `asJSON` is true, and throws its
    /// `ExitCode`.
    static func reported(asJSON: Bool, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let failure as CommandFailure {
            if asJSON {
                Terminal.printError(failure.json.terminalText(.compact))
            } else {
                Terminal.printError(failure.description)
            }
            throw failure.code
        }
    }
}
