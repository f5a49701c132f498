import Measuring
import Testing

/// Rows as text.
struct TableTests {
    let rows = [
        Row(
            "F4", "parse", ours: Samples([1000]), against: "peer", Samples([10_000]),
            wanted: .timesFaster(6)),
        Row(fact: "F6", "opened", found: "1 message", wanted: "none", isMet: false),
    ]

    @Test func theTableAlignsItsColumns() {
        #expect(
            Table(rows).lines == [
                "target  what    ours        peer              ratio       wanted       verdict",
                "F4      parse   1 µs ± 0 %  peer 10 µs ± 0 %  10× faster  ≥ 6× faster  met",
                "F6      opened  1 message                                 none         MISSED",
            ])
    }

    @Test func theTableColorsVerdictsOnlyWhenAsked() {
        #expect(Table(rows, isColored: true).lines[1].hasSuffix("\u{1B}[32mmet\u{1B}[0m"))
        #expect(Table(rows, isColored: true).lines[2].hasSuffix("\u{1B}[1;31mMISSED\u{1B}[0m"))
    }
}
