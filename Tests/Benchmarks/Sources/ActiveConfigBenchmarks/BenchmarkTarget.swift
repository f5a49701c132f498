import Measuring

/// One of the targets: its number, what is done, and how that is measured.
protocol BenchmarkTarget: Sendable {
    /// Its number, such as `F4`.
    static var name: String { get }
    /// What is done, for the progress.
    static var work: String { get }

    /// Measures it.
    ///
    /// - Parameter setup: How to measure.
    /// - Returns: A row for each peer, and for what else is to be known.
    /// - Throws: what keeps it from being measured; the target then counts as missed.
    static func rows(_ setup: BenchmarkSetup) async throws -> [Row]
}
