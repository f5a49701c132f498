import Foundation
import JSONTree
import ServerTestSupport

/// Finished run of `sample-backend`.
struct CommandRun: Sendable, CustomStringConvertible {
    let exitCode: Int32

    /// Standard output.
    let output: String

    /// Standard error.
    let error: String

    /// Runs a command to its end, with `environment` added to this process's own.
    init(
        _ arguments: [String], environment: [String: String] = [:], isOutputClosed: Bool = false
    ) async throws {
        await self.init(
            try BackendProcess(
                arguments, environment: environment, isOutputClosed: isOutputClosed))
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

    /// All lines of a stream, joined.
    private static func text(of lines: AsyncStream<String>) async -> String {
        var all: [String] = []
        for await line in lines { all.append(line) }
        return all.joined(separator: "\n")
    }

    /// Standard output as a JSON document.
    var json: JSONNode {
        get throws { try JSONNode(jsonData: Data(output.utf8)) }
    }

    /// Whole run, for the message of a failed test.
    var description: String { "exit \(exitCode)\n\(output)\n\(error)" }
}
