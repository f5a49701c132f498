/// Number of rounds in which the sides take turns, so that a slow phase of the machine affects all
/// of them.
public struct Rounds: Sendable {
    /// Minimum number of rounds for a meaningful median.
    public static let fewest = 5

    /// Number of rounds.
    public let count: Int

    /// Creates the given number of rounds.
    ///
    /// - Parameter count: Number of rounds, at least ``fewest``.
    public init(_ count: Int) {
        precondition(count >= Self.fewest, "A median needs at least \(Self.fewest) rounds.")
        self.count = count
    }

    /// Measures each side once per round.
    ///
    /// Each round starts with a different side.
    ///
    /// - Parameter sides: Sides to compare.
    /// - Returns: Samples of each side, in the order of `sides`.
    /// - Throws: The error of a side.
    public func measure(_ sides: [Side]) async throws -> [Samples] {
        var values = [[Double]](repeating: [], count: sides.count)
        for round in 0..<count {
            for turn in sides.indices {
                let number = (round + turn) % sides.count
                values[number].append(try await sides[number].measure())
            }
        }
        return values.map(Samples.init)
    }
}
