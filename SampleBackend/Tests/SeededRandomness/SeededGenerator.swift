import Foundation

/// Deterministic random numbers (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    /// Creates a generator with the seed in `TEST_SEED`, or with a random one.
    ///
    /// Prints the seed, so that a failure can be reproduced.
    package static func printingItsSeed(_ test: String = #function) -> SeededGenerator {
        let given = ProcessInfo.processInfo.environment["TEST_SEED"].flatMap(UInt64.init)
        let seed = given ?? .random(in: .min ... .max)
        print("\(test): TEST_SEED=\(seed)")
        return SeededGenerator(seed: seed)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
