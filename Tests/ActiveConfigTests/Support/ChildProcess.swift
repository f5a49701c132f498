import Foundation

/// Child process of a test, with a wait for its end.
///
/// `Process.waitUntilExit()` keeps a core busy on Linux unless the thread that started the process
/// calls it, which a test that awaits cannot guarantee. Also, a process that another thread starts
/// at the same time may inherit the descriptor by which Foundation notices the end.
final class ChildProcess: @unchecked Sendable {  // The process is set up before it is shared.
    /// Configure it before calling `run()`.
    let process = Process()

    private let ended = DispatchGroup()

    /// Serializes starts of processes, and makings of pipes: a child that another thread starts at the
    /// same time may inherit the descriptor by which Foundation notices the end, or keep a pipe open
    /// whose reader then waits for that child too.
    private static let lock = NSLock()

    /// Writing to a child that has ended then throws an error instead of ending the tests.
    private static let ignoresBrokenPipes: Bool = {
        signal(SIGPIPE, SIG_IGN)
        return true
    }()

    /// A pipe that no other child inherits.
    static func pipe() -> Pipe { lock.withLock { Pipe() } }

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

    /// Leaves free memory after the next allocation on this thread.
    ///
    /// When it starts a process, Foundation for Linux copies 256 bytes of each name in
    /// /proc/self/fd, including the last one in its buffer. If the heap ends right after it, that
    /// is a segmentation fault.
    private static func growHeap() {
        #if os(Linux)
            unsafe free(malloc(1 << 16))
        #endif
    }

    /// Sends SIGKILL, because the thread that started the process may block every other signal.
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
