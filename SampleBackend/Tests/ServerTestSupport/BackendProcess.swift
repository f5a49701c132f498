import ChildProcesses
package import Foundation

/// The built `sample-backend`, run as a process.
package final class BackendProcess: Sendable {
    /// A failure before the process runs.
    package enum Failure: Error {
        /// No executable was found next to the tests.
        case noExecutable(searched: [String])
    }

    /// How and when the process ended.
    package struct End: Sendable {
        /// The exit code, or the negative number of the signal that ended the process.
        package let code: Int32

        /// The time at which the process ended, regardless of when the test asks.
        package let time: ContinuousClock.Instant
    }

    /// Lines of standard output as they arrive.
    package let outputLines: AsyncStream<String>

    /// Lines of standard error as they arrive.
    package let errorLines: AsyncStream<String>

    private let process: Process
    private let ends: AsyncStream<End>

    /// Starts the executable with `environment` added to this process's own, and with at most
    /// `openFiles` open files; nil keeps the limit of this process.
    ///
    /// With `isOutputClosed`, the reader of standard output has gone before the start; `launcher` is a
    /// program with arguments that runs the executable.
    package init(
        _ arguments: [String], environment: [String: String] = [:], openFiles: Int? = nil,
        isOutputClosed: Bool = false, launcher: [String] = []
    ) throws {
        let (ends, continuation) = AsyncStream.makeStream(of: End.self)
        let output = Pipe.alone()
        let error = Pipe.alone()
        process = Process()
        let executable = try Self.executable()
        if let openFiles {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments =
                ["-c", "ulimit -n \(openFiles) && exec \"$0\" \"$@\"", executable.path] + arguments
        } else {
            let command = launcher + [executable.path] + arguments
            process.executableURL = URL(fileURLWithPath: command[0])
            process.arguments = Array(command.dropFirst())
        }
        // Without this, a crash would hang in the backtracer instead of ending the process.
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            .merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = error
        process.terminationHandler = { process in
            let status = process.terminationStatus
            continuation.yield(
                End(code: process.terminationReason == .exit ? status : -status, time: .now))
            continuation.finish()
        }
        self.ends = ends
        if isOutputClosed {
            try output.fileHandleForReading.close()
            outputLines = AsyncStream { $0.finish() }
        } else {
            outputLines = Self.lines(of: output)
        }
        errorLines = Self.lines(of: error)
        try process.runAlone()
    }

    package var identifier: Int32 { process.processIdentifier }

    /// Resident memory in bytes; nil where the system does not report it.
    package var residentBytes: Int? {
        let file = "/proc/\(process.processIdentifier)/statm"
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
        let fields = text.split(separator: " ")
        return fields.count > 1
            ? Int(fields[1]).map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) } : nil
    }

    package func send(signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// Waits for the process's end, and returns its exit code, or the negative number of the signal
    /// that ended it.
    package func exitCode() async -> Int32 {
        await end()?.code ?? .min
    }

    /// Waits for the end; returns nil if another call has received it.
    package func end() async -> End? {
        for await end in ends { return end }
        return nil
    }

    /// The port in the first line of output, which contains the address; nil for any other line.
    package func listeningPort() async -> Int? {
        for await line in outputLines {
            let prefix = "listening on http://127.0.0.1:"
            return line.hasPrefix(prefix) ? Int(line.dropFirst(prefix.count)) : nil
        }
        return nil
    }

    /// Kills a process that is still running.
    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The executable next to the test bundle.
    package static func executable() throws -> URL {
        let bundles = Bundle.allBundles.map(\.bundleURL)
        let arguments = CommandLine.arguments.map { URL(fileURLWithPath: $0) }
        var searched: [String] = []
        for url in bundles + arguments {
            for folder in [url, url.deletingLastPathComponent()] {
                let file = folder.appendingPathComponent("sample-backend")
                if FileManager.default.isExecutableFile(atPath: file.path) { return file }
                searched.append(file.path)
            }
        }
        throw Failure.noExecutable(searched: searched)
    }

    /// Lines of a pipe; the last line may lack a line feed.
    private static func lines(of pipe: Pipe) -> AsyncStream<String> {
        let handle = pipe.fileHandleForReading
        return AsyncStream { continuation in
            let thread = Thread {
                var rest = Data()
                while true {
                    let data = handle.availableData
                    if data.isEmpty { break }
                    rest.append(data)
                    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                        continuation.yield(
                            String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                        rest = Data(rest[(end + 1)...])
                    }
                }
                if !rest.isEmpty { continuation.yield(String(decoding: rest, as: UTF8.self)) }
                continuation.finish()
            }
            thread.start()
        }
    }
}
