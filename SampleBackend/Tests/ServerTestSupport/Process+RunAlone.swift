package import Foundation

extension Process {
    /// Held while a process starts.
    private static let startLock = NSLock()

    /// Starts the process while no other is being started in this way.
    ///
    /// A process that is started at the same moment may inherit the descriptor by which Foundation
    /// notices the exit, which then appears to happen only when the other process exits.
    package func runAlone() throws {
        try Self.startLock.withLock {
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
