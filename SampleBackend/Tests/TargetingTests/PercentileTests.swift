import Testing

@testable import Targeting

struct PercentileTests {
    @Test(arguments: [
        (0, "0"), (1, "0.000001"), (42_500_000, "42.5"), (42_395_619, "42.395619"),
        (10_000_010, "10.00001"), (99_999_999, "99.999999"), (100_000_000, "100"),
    ])
    func aPercentileIsWrittenWithTheDecimalsThatItNeeds(micro: Int, text: String) {
        #expect(Percentile.percentText(micro) == text)
    }

    @Test func aSeedStandsBeforeTheUserWithADot() {
        #expect(Percentile.micro(seed: "a", id: "b") == Percentile.micro(seed: "", id: "a.b"))
        #expect(Percentile.micro(seed: "a", id: "b") != Percentile.micro(seed: "", id: "ab"))
        #expect((0..<Percentile.count).contains(Percentile.micro(seed: "", id: "")))
    }
}
