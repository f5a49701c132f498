import JSONTree
import SeededRandomness
import Testing

@testable import Targeting

struct CustomSignalsTests {
    /// Names that share their first eight bytes, or differ only in zero bytes or in their spelling.
    private static let names: [ExactText] = [
        "", "\0", "a", "a\0", "a\0\0\0\0\0\0\0\0", "ab", "b", "é", "e\u{301}", "campaign",
        "campaign\0", "campaign-1", "campaign-10", "campaign-2", "campaig", "campaigns",
    ]

    @Test func textsAreOrderedAndComparedByTheirBytes() {
        for left in Self.names {
            for right in Self.names {
                let (own, others) = (Array(left.text.utf8), Array(right.text.utf8))
                #expect((left == right) == (own == others), "\(own) and \(others)")
                #expect(
                    left.precedes(right) == own.lexicographicallyPrecedes(others),
                    "\(own) and \(others)")
            }
        }
        #expect(Set(Self.names).count == Self.names.count)
    }

    @Test func signalsAreWhatADictionaryOfThemIs() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        var signals: CustomSignals = [:]
        var expected: [ExactText: String] = [:]
        for step in 0..<500 {
            let name = Self.names[Int.random(in: 0..<Self.names.count, using: &generator)]
            let value = Bool.random(using: &generator) ? "\(step)" : nil
            signals[name] = value
            expected[name] = value
            #expect(signals.count == expected.count, "seed \(seed), step \(step)")
            for name in Self.names {
                #expect(signals[name] == expected[name], "seed \(seed), step \(step), \(name)")
            }
        }
        #expect(signals == CustomSignals(expected), "seed \(seed)")
        let sorted = signals.map(\.key)
        #expect(sorted == sorted.sorted { $0.precedes($1) }, "seed \(seed)")
    }

    @Test func ofSignalsWithOneNameTheLastOneCounts() {
        let signals: CustomSignals = ["plan": "gold", "age": "4", "plan": "free"]
        #expect(signals.map(\.value) == ["4", "free"])
    }
}
