/// Error of measured work whose result was not the same each time.
public struct UnequalResults: Error, CustomStringConvertible {
    /// Name of the measured operation.
    let name: String
    /// Number of runs.
    let runs: Int
    /// Number of runs whose result differed from the first.
    let wrong: Int

    /// One line that describes the error.
    public var description: String {
        "\(name): \(wrong) of \(runs) runs had a result different from the first"
    }
}
