/// A number of rounds in which sides take turns, so that what slows the machine down slows each of
/// them down.
public struct Rounds: Sendable {
    /// The fewest rounds whose median counts.
    public static let fewest = 5

    /// How many there are.
    public let count: Int

    /// Makes rounds.
    ///
    /// - Parameter count: How many; at least ``fewest``.
    public init(_ count: Int) {
        precondition(count >= Self.fewest, "A median needs at least \(Self.fewest) rounds.")
        self.count = count
    }

    /// Measures each side once a round.
    ///
    /// Another side starts each round.
    ///
    /// - Parameter sides: What is compared.
    /// - Returns: The figures of each side, in the order of `sides`.
    /// - Throws: what a side throws.
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
