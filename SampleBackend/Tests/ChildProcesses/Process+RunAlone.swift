package import Foundation

/// Held while a process starts and while a pipe is made.
///
/// Foundation for Linux lists the open descriptors and has the new process close them. One that another
/// thread opens in between is inherited: then whoever reads that pipe to its end waits for the other
/// process too, and an exit appears to happen only when the other process exits.
private let startLock = NSLock()

extension Process {
    /// Starts the process while no other is being started, and no pipe made, in this way.
    package func runAlone() throws {
        try startLock.withLock {
            Self.growHeap()
            try run()
        }
    }

    /// Leaves free memory after the next allocation on this thread.
    ///
    /// Foundation for Linux copies 256 bytes of each name in /proc/self/fd when it starts a
    /// process. For the last name in its buffer this may read beyond the end of the heap and crash.
    private static func growHeap() {
        #if os(Linux)
            unsafe free(malloc(1 << 16))
        #endif
    }
}

extension Pipe {
    /// A pipe that no process inherits which ``Foundation/Process/runAlone()`` starts for another test.
    package static func alone() -> Pipe { startLock.withLock { Pipe() } }
}
