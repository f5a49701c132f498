/// The error that work which was measured did not do the same each time.
public struct UnequalResults: Error, CustomStringConvertible {
    /// What was measured.
    let name: String
    /// How often it ran.
    let runs: Int
    /// How often its result was another than at first.
    let wrong: Int

    /// What happened.
    public var description: String {
        "\(name) gave another result than at first in \(wrong) of \(runs) runs"
    }
}
