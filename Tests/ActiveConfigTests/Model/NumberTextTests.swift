import Testing

@testable import ActiveConfig

/// Strings that consist of a number (FORMAT 5).
@Suite(.onOneThread)
struct NumberTextTests {
    @Test(
        arguments: [
            Row("45", "45", 45 as SettingValue), Row("sign", "+45", 45), Row("minus", "-45", -45),
            Row("zeros", "007", 7), Row("stop first", ".5", 0.5), Row("stop last", "5.", 5.0),
            Row("exponent", "5e3", 5000.0), Row("capital", "5E-1", 0.5),
            Row("blanks", " \t\r\n45\u{A0}", 45),
            Row("Int.max", "9223372036854775807", .integer(.max)),
            Row("over Int", "9223372036854775808", .double(0x1p63)),
            Row("minus zero", "-0.0", -0.0),
        ] as [Row<String, SettingValue>])
    func aStringOfANumberHasItsValue(row: Row<String, SettingValue>) {
        #expect(NumberText.value(of: row.input) == row.expected)
    }

    @Test(arguments: [
        "", " ", "+", "-", ".", "e5", "5e", "5e+", "1 2", "1,5", "1_000", "0x1F", "0b1", "inf",
        "nan",
        "NaN", "Infinity", "--1", "+-1", "1.2.3", "1e400", "-1e400", "４５", "45\u{301}", "4\05", "½",
    ])
    func anyOtherStringHasNoValue(text: String) {
        #expect(NumberText.value(of: text) == nil)
    }

    /// FORMAT 1.4.
    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func theReaderReadsAMillionCharacters() {
        let million = 1_000_000
        #expect(NumberText.value(of: String(repeating: "9", count: million)) == nil)
        #expect(NumberText.value(of: String(repeating: " ", count: million) + "4") == 4)
        #expect(NumberText.value(of: String(repeating: "0", count: million) + "4") == 4)
    }
}
