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
    func theReaderReadsAsJavaScriptDoes(text: String, value: Double) {
        #expect(ScriptNumber.value(of: text) == value)
    }

    @Test(arguments: [
        ("5", "5"), ("5.0", "5"), ("-5.00", "-5"), ("0", "0"), ("-0.0", "0"), ("1e3", "1000"),
        ("1.50", "1.5"), ("0.000001", "0.000001"), ("0.0000001", "1e-7"),
        ("123456789012345678901", "123456789012345680000"), ("1e21", "1e+21"),
        ("1.25e30", "1.25e+30"), ("1e400", "Infinity"), ("-1e400", "-Infinity"),
        ("9007199254740993", "9007199254740992"), ("5e-324", "5e-324"), ("1e-400", "0"),
        ("-1.5e-9", "-1.5e-9"), ("100.25", "100.25"), ("12345.678E2", "1234567.8"),
    ])
    func theReaderWritesNumbersOfJSON(number: String, text: String) {
        #expect(ScriptNumber.text(ofJSON: number) == text)
    }

    /// Numbers with a radix that no `Double` represents exactly, with the nearest `Double`.
    static let rounded: [(text: String, value: Double)] = [
        ("0x1000000000000081", 0x1.0000000000001p60), ("0x1000000000000080", 0x1p60),
        ("0x1000000000000180", 0x1.0000000000002p60),
        ("0x10000000000000800000000000000001", 0x1.0000000000001p124),
        ("0x10000000000000800000000000000000", 0x1p124),
        ("0b" + String(repeating: "1", count: 54), 0x1p54),
        ("0o2000000000000000000201", 0x1p64),
        ("0x" + String(repeating: "0", count: 500) + "f", 15),
        ("0x1" + String(repeating: "0", count: 300), .infinity),
    ]

    @Test(arguments: rounded)
    func aLongNumberIsRoundedOnce(text: String, value: Double) {
        #expect(ScriptNumber.value(of: text) == value)
    }

    @Test(arguments: [
        "a", "5a", "1 2", "1_000", "1,5", "0x", "0xG", "-0x1", "0b2", "inf", "nan", "infinity",
        "e3", "1e", "1e+", ".", "-", "--1", "1.2.3", "0x1p3", "٣",
    ])
    func theReaderRefusesWhatJavaScriptDoesNotRead(text: String) {
        #expect(ScriptNumber.value(of: text).isNaN)
    }
}
