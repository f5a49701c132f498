import Foundation

/// A process that a test starts, and whose end it waits for.
///
/// `Process.waitUntilExit()` keeps a core busy on Linux unless the thread that started the process
/// calls it, which a test that awaits cannot promise. And a process that another thread starts at the
/// same time may inherit the descriptor by which Foundation notices the end.
final class ChildProcess: @unchecked Sendable {  // The process is set up before anybody shares it.
    /// The process, to be set up before it is started.
    let process = Process()

    private let ended = DispatchGroup()

    /// Held while a process starts.
    private static let lock = NSLock()

    /// Starts it.
    func run() throws {
        ended.enter()
        process.terminationHandler = { [ended] _ in ended.leave() }
        do {
            try Self.lock.withLock { try process.run() }
        } catch {
            ended.leave()
            throw error
        }
    }

    /// Kills it (`kill -9`): it may have been started by a thread that blocks every other signal.
    func kill() {
        #if canImport(Darwin)
            Darwin.kill(process.processIdentifier, SIGKILL)
        #else
            Foundation.kill(process.processIdentifier, SIGKILL)
        #endif
    }

    /// Blocks the thread until it has ended.
    func wait() { ended.wait() }

    /// Runs a command to its end, without its output.
    ///
    /// - Returns: Its exit code.
    static func run(_ path: String, _ arguments: [String]) throws -> Int32 {
        let child = ChildProcess()
        child.process.executableURL = URL(filePath: path)
        child.process.arguments = arguments
        child.process.standardOutput = FileHandle.nullDevice
        child.process.standardError = FileHandle.nullDevice
        try child.run()
        child.wait()
        return child.process.terminationStatus
    }
}
