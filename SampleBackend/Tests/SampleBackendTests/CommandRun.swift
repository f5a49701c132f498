import Foundation
import JSONTree
import ServerTestSupport

/// A type that is one finished run of `sample-backend`.
struct CommandRun: Sendable, CustomStringConvertible {
    /// The exit code.
    let exitCode: Int32

    /// What stood on standard output.
    let output: String

    /// What stood on standard error.
    let error: String

    /// Runs a command to its end.
    ///
    /// - Parameters:
    ///   - arguments: What follows the program's name.
    ///   - environment: Variables beyond those of this process.
    /// - Throws: What starting a process throws.
    init(_ arguments: [String], environment: [String: String] = [:]) async throws {
        await self.init(try BackendProcess(arguments, environment: environment))
    }

    /// Waits for the end of a process.
    ///
    /// - Parameter process: The process, of whose output lines may have been read already.
    init(_ process: BackendProcess) async {
        async let output = Self.text(of: process.outputLines)
        async let error = Self.text(of: process.errorLines)
        exitCode = await process.exitCode()
        self.output = await output
        self.error = await error
    }

    /// All lines of a stream.
    private static func text(of lines: AsyncStream<String>) async -> String {
        var all: [String] = []
        for await line in lines { all.append(line) }
        return all.joined(separator: "\n")
    }

    /// Standard output as one JSON document.
    var json: JSONNode {
        get throws { try JSONNode(jsonData: Data(output.utf8)) }
    }

    /// All of it, for a test that failed.
    var description: String { "exit \(exitCode)\n\(output)\n\(error)" }
}
