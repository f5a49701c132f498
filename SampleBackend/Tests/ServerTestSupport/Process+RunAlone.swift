package import Foundation

extension Process {
    /// Held while a process starts.
    private static let startLock = NSLock()

    /// Starts the process while no other is started in this way.
    ///
    /// One that is started at the same moment may inherit the descriptor by which Foundation notices
    /// the end, which then seems to come as late as the end of the other.
    package func runAlone() throws {
        try Self.startLock.withLock { try run() }
    }
}
