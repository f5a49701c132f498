import Measuring
import Testing

/// Verdicts on ratios.
struct CriterionTests {
    /// Criterion with two times, the text of their ratio, and the verdict.
    struct Case: Sendable, CustomTestStringConvertible {
        let criterion: Criterion
        let ours: Double
        let peer: Double
        let text: String
        let verdict: Verdict

        var testDescription: String { "\(criterion): \(ours) against \(peer)" }

        init(
            _ criterion: Criterion, _ ours: Double, _ peer: Double, _ text: String,
            _ verdict: Verdict
        ) {
            self.criterion = criterion
            self.ours = ours
            self.peer = peer
            self.text = text
            self.verdict = verdict
        }
    }

    static let cases = [
        Case(.timesFaster(20), 10, 200, "20× faster", .met),
        Case(.timesFaster(20), 10, 199, "19.9× faster", .missed),
        Case(.atMostTimes(1.2), 12, 10, "1.2×", .met),
        Case(.atMostTimes(1.2), 12.1, 10, "1.21×", .missed),
        Case(.same(within: 0.2), 81, 100, "0.81×", .met),
        Case(.same(within: 0.2), 119, 100, "1.19×", .met),
        Case(.same(within: 0.2), 79, 100, "0.79×", .missed),
        Case(.same(within: 0.2), 121, 100, "1.21×", .missed),
        Case(.nothing, 1, 3, "3× faster", .information),
        Case(.timesFaster(20), .nan, 200, "NaN× faster", .missed),
    ]

    @Test(arguments: cases)
    func aVerdictComparesTheRatioWithTheTarget(_ row: Case) {
        let ratio = row.criterion.ratio(ours: row.ours, peer: row.peer)
        #expect(row.criterion.text(of: ratio) == row.text)
        #expect(row.criterion.verdict(on: ratio) == row.verdict)
    }

    @Test func aCriterionSaysWhatItWants() {
        #expect(Criterion.timesFaster(20).description == "≥ 20× faster")
        #expect(Criterion.atMostTimes(1.2).description == "≤ 1.2×")
        #expect(Criterion.same(within: 0.2).description == "1× ± 20 %")
    }
}
