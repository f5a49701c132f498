/// Error of measured work whose result was not the same each time.
public struct UnequalResults: Error, CustomStringConvertible {
    /// Name of what was measured.
    let name: String
    /// Number of runs.
    let runs: Int
    /// Number of runs whose result differed from the first.
    let wrong: Int

    /// One line that describes the error.
    public var description: String {
        "\(name) gave another result than at first in \(wrong) of \(runs) runs"
    }
}
