import Foundation

/// The series of a factory, behind a lock that recording does not take.
///
/// The lock is an `NSLock`, as the thread sanitizer misreads `Mutex` on Linux.
final class SeriesRegistry: @unchecked Sendable {  // The table is reached only under the lock.
    private let lock = NSLock()
    private var table: SeriesTable

    /// Makes a registry without series.
    ///
    /// - Parameter maximumSeries: The most series it keeps.
    init(maximumSeries: Int) {
        table = SeriesTable(maximumSeries: maximumSeries)
    }

    /// Gives the series of an identity.
    ///
    /// - Parameters:
    ///   - identity: Which series.
    ///   - help: What its family is about; the first series of a family decides.
    ///   - make: Makes the series when there is none.
    /// - Returns: The series, or one that takes its place when it cannot be kept.
    func series<Series: MetricSeries>(
        _ identity: SeriesIdentity, help: String?, make: (SeriesIdentity) -> Series
    ) -> Series {
        lock.withLock { table.series(identity, help: help, make: make) }
    }

    /// Removes a series, when it is the one that is kept.
    ///
    /// - Parameter series: The series.
    func remove(_ series: any MetricSeries) {
        lock.withLock { table.remove(series) }
    }

    /// Reads all families, sorted, and those about the series themselves.
    ///
    /// Values are read and sorted after the lock is released.
    func snapshot() -> (families: [MetricFamily], diagnostics: [MetricFamily]) {
        let table = lock.withLock { self.table }
        return (table.families, table.diagnostics)
    }
}
