import Measuring

/// Performance target: its number, its operation, and its measurement.
protocol BenchmarkTarget: Sendable {
    /// Number of the target, such as `F4`.
    static var name: String { get }
    /// Operation that is measured, shown as progress.
    static var work: String { get }

    /// Measures the target.
    ///
    /// - Parameter setup: Settings of the measurement.
    /// - Returns: A row for each peer, and for each other fact.
    /// - Throws: An error that prevents the measurement; the target then counts as missed.
    static func rows(_ setup: BenchmarkSetup) async throws -> [Row]
}
