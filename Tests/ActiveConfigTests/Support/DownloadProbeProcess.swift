import Foundation

/// The executable `DownloadProbe` as a child process.
///
/// `ACTIVECONFIG_PROBES` names a folder with another build of it, such as a release build.
final class DownloadProbeProcess: Sendable {
    /// Output and end of the process.
    struct Result {
        /// Count of each kind of outcome.
        let outcomes: [String: Int]
        /// Greatest resident size, in MiB.
        let peak: Int
        /// How the process ended, such as `exit 0` or `signal 11`.
        let end: String

        var hasSurvived: Bool { end == "exit 0" }
    }

    private let child = ChildProcess()
    private let output = ChildProcess.pipe()
    private let input = ChildProcess.pipe()

    /// Starts the process.
    ///
    /// - Parameters:
    ///   - arguments: Arguments of `DownloadProbe`; see there.
    ///   - certificate: PEM file of certificates to trust instead of the system's; Linux only.
    /// - Throws: An error when the process cannot be started.
    init(_ arguments: [String], trusting certificate: URL? = nil) throws {
        let executable = Self.executable.path(percentEncoded: false)
        let process = child.process
        if let certificate {
            // The system's HTTP client offers no other way to set the trusted certificates.
            process.executableURL = URL(filePath: "/usr/bin/unshare")
            process.arguments =
                [
                    "--map-root-user", "--mount", "/bin/sh", "-c",
                    "mount --bind \"$0\" \(Self.certificates) && exec \"$@\"",
                    certificate.path(percentEncoded: false), executable,
                ] + arguments
        } else {
            process.executableURL = URL(filePath: executable)
            process.arguments = arguments
        }
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["SWIFT_BACKTRACE": "enable=no"], uniquingKeysWith: { $1 })
        process.standardOutput = output
        process.standardInput = input
        try child.run()
    }

    /// The system's trusted certificates.
    private static let certificates = "/etc/ssl/certs/ca-certificates.crt"

    /// True if a process can be made to trust a test's certificate.
    static var canTrust: Bool {
        let status = try? ChildProcess.run(
            "/usr/bin/unshare",
            [
                "--map-root-user", "--mount", "mount", "--bind", certificates, certificates,
            ])
        return status == 0
    }

    private static var executable: URL {
        if let folder = ProcessInfo.processInfo.environment["ACTIVECONFIG_PROBES"] {
            return URL(filePath: folder).appending(path: "DownloadProbe")
        }
        return .probe(named: "DownloadProbe")
    }

    /// Next line of its output; nil at the end.
    func nextLine() async -> String? { await onThread { self.readLine() } }

    /// Lets the process continue by a line of input, and waits for its end.
    func finish() async -> Result { await onThread { self.readToEnd() } }

    /// Runs a blocking closure on its own thread: the cooperative pool has few threads, and other
    /// tests need them.
    ///
    /// Cancellation, as at a time limit, kills the process; otherwise the thread would block
    /// forever.
    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value
    ) async -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: body()) }
            }
        } onCancel: {
            child.kill()
        }
    }

    private func readLine() -> String? {
        var line = Data()
        while let byte = try? output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
            if byte.first == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line += byte
        }
        return nil
    }

    private func readToEnd() -> Result {
        // Closing the pipe is not enough, because another process may also hold it open.
        try? input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        var outcomes: [String: Int] = [:]
        var peak = Int.max
        while let line = readLine() {
            let parts = line.components(separatedBy: ": ")
            guard parts.count == 2, let number = Int(parts[1]) else { continue }
            guard parts[0] == "peak" else {
                outcomes[parts[0]] = number
                continue
            }
            // This is the last line. The end of the output may be delayed while other processes
            // hold the pipe open.
            peak = number
            break
        }
        child.wait()
        let process = child.process
        let reason = process.terminationReason == .exit ? "exit" : "signal"
        return Result(
            outcomes: outcomes, peak: peak, end: "\(reason) \(process.terminationStatus)")
    }
}
