import Foundation

/// The executable `DownloadProbe`, run as a process of its own.
///
/// `ACTIVECONFIG_PROBES` names the folder of one that was built otherwise, as for release.
final class DownloadProbeProcess: Sendable {
    /// What it wrote, and how it ended.
    struct Result {
        /// The number of each kind of outcome.
        let outcomes: [String: Int]
        /// The greatest resident size, in MiB.
        let peak: Int
        /// Whether it ended by itself, not by a signal.
        let hasSurvived: Bool
    }

    private let child = ChildProcess()
    private let output = Pipe()
    private let input = Pipe()

    /// Starts it with arguments; see `DownloadProbe`.
    ///
    /// - Parameters:
    ///   - arguments: What to do.
    ///   - certificate: A file of certificates to trust instead of the system's, Linux only.
    /// - Throws: when it cannot be started.
    init(_ arguments: [String], trusting certificate: URL? = nil) throws {
        let executable = Self.executable.path(percentEncoded: false)
        let process = child.process
        if let certificate {
            // The system's HTTP client has no other way to be told.
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

    /// Where the system keeps the certificates that it trusts.
    private static let certificates = "/etc/ssl/certs/ca-certificates.crt"

    /// Whether a process can be made to trust a certificate of a test.
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

    /// Its next line; nil at the end.
    func nextLine() async -> String? { await onThread { self.readLine() } }

    /// Lets it go on, and waits for its end.
    func finish() async -> Result { await onThread { self.readToEnd() } }

    /// Runs what blocks on a thread of its own: Swift's threads are few, and other tests need them.
    ///
    /// When the test's time is over, the process is killed, or the thread would block for good.
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
        // Another process may hold the pipe open as well, so its end would not do.
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
            // The last line; for the end of the output other processes that hold it would have to go.
            peak = number
            break
        }
        child.wait()
        let process = child.process
        return Result(
            outcomes: outcomes, peak: peak,
            hasSurvived: process.terminationReason == .exit && process.terminationStatus == 0)
    }
}
