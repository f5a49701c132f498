import Foundation

/// Child process of a test, with a wait for its end.
///
/// `Process.waitUntilExit()` keeps a core busy on Linux unless the thread that started the process
/// calls it, which a test that awaits cannot promise. And a process that another thread starts at the
/// same time may inherit the descriptor by which Foundation notices the end.
final class ChildProcess: @unchecked Sendable {  // The process is set up before anybody shares it.
    /// Configure it before `run()`.
    let process = Process()

    private let ended = DispatchGroup()

    /// Serializes process starts: a child that another thread starts meanwhile may inherit the
    /// descriptor by which Foundation notices the end.
    private static let lock = NSLock()

    /// Writing to a child that has ended is then an error instead of the end of the tests.
    private static let ignoresBrokenPipes: Bool = {
        signal(SIGPIPE, SIG_IGN)
        return true
    }()

    func run() throws {
        _ = Self.ignoresBrokenPipes
        ended.enter()
        process.terminationHandler = { [ended] _ in ended.leave() }
        do {
            try Self.lock.withLock {
                Self.growHeap()
                try process.run()
            }
        } catch {
            ended.leave()
            throw error
        }
    }

    /// Leaves free memory behind what is allocated next on this thread.
    ///
    /// Foundation for Linux copies 256 bytes of each name in /proc/self/fd when it starts a process,
    /// also of the last one in its buffer, behind which the heap may end: a segmentation fault.
    private static func growHeap() {
        #if os(Linux)
            unsafe free(malloc(1 << 16))
        #endif
    }

    /// Sends SIGKILL: a thread that blocks every other signal may have started the process.
    func kill() {
        #if canImport(Darwin)
            Darwin.kill(process.processIdentifier, SIGKILL)
        #else
            Foundation.kill(process.processIdentifier, SIGKILL)
        #endif
    }

    /// Blocks the calling thread until the process has ended.
    func wait() { ended.wait() }

    /// Runs a command to its end, and discards its output.
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
