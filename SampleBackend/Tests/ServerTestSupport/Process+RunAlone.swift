package import Foundation

extension Process {
    /// Held while a process starts.
    private static let startLock = NSLock()

    /// Starts the process while no other is started in this way.
    ///
    /// One that is started at the same moment may inherit the descriptor by which Foundation notices
    /// the end, which then seems to come as late as the end of the other.
    package func runAlone() throws {
        try Self.startLock.withLock {
            Self.growHeap()
            try run()
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
}
