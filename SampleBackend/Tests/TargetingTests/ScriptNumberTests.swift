import Testing

@testable import Targeting

struct ScriptNumberTests {
    @Test(arguments: [
        ("", 0), ("  ", 0), ("5", 5), (" 5\n", 5), ("-5", -5), ("+5", 5), (".5", 0.5), ("5.", 5),
        ("-.5e1", -5), ("1e3", 1000), ("1E+3", 1000), ("1e-3", 0.001), ("5.e2", 500),
        ("0x1F", 31), ("0X1f", 31), ("0o17", 15), ("0b11", 3), ("Infinity", .infinity),
        ("-Infinity", -.infinity), ("+Infinity", .infinity), ("\u{FEFF}7\u{A0}", 7),
        ("1e999", .infinity), ("123456789012345678", 123_456_789_012_345_680), ("007", 7),
        ("0.1", 0.1), ("\u{3000}7", 7), ("1e-999", 0),
    ])
    func reads(text: String, value: Double) {
        #expect(ScriptNumber.value(of: text) == value)
    }

    @Test(arguments: [
        "a", "5a", "1 2", "1_000", "1,5", "0x", "0xG", "-0x1", "0b2", "inf", "nan", "infinity",
        "e3", "1e", "1e+", ".", "-", "--1", "1.2.3", "0x1p3", "٣",
    ])
    func refuses(text: String) {
        #expect(ScriptNumber.value(of: text).isNaN)
    }
}
