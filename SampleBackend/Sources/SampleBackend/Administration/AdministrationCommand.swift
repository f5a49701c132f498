import ArgumentParser
import JSONTree

/// A command of administrators: it asks a server or a store, and prints the answer.
protocol AdministrationCommand: AsyncParsableCommand {
    /// Whom to ask, and how to answer.
    var options: AdministrationOptions { get }

    /// Does the command's work.
    ///
    /// - Parameter transport: Where requests are answered.
    /// - Throws: A ``CommandFailure``.
    func run(with transport: any AdministrationTransport) async throws
}

extension AdministrationCommand {
    /// Does the command's work, and says what went wrong.
    ///
    /// - Throws: The `ExitCode` of what went wrong.
    func run() async throws {
        try await CommandFailure.reported(asJSON: options.json) {
            try await options.withAdministration { try await run(with: $0) }
        }
    }
}

extension CommandFailure {
    /// Runs the work of a command; a failure is written to standard error and becomes its exit code.
    ///
    /// - Parameters:
    ///   - asJSON: Whether the failure is written as JSON.
    ///   - body: The work.
    /// - Throws: An `ExitCode`.
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
