import ActiveConfig
import Foundation
import Testing

/// Reading numbers (FORMAT 4.1).
struct JSONReaderNumbersTests {
    @Test(arguments: [
        Row("0", "0", 0), Row("-0", "-0", 0), Row("7", "7", 7), Row("-12", "-12", -12),
        Row("10^18", "1000000000000000000", 1_000_000_000_000_000_000),
        Row("the greatest", "9223372036854775807", Int.max),
        Row("the least", "-9223372036854775808", Int.min),
    ])
    func theReaderReadsIntegers(row: Row<String, Int>) throws {
        guard case .integer(row.expected) = try DocumentText.value(row.input) else {
            Issue.record("\(try DocumentText.value(row.input)) is not that integer")
            return
        }
    }

    @Test(arguments: [
        Row("1.0", "1.0", 1), Row("-0.0", "-0.0", -0.0), Row("0e0", "0e0", 0),
        Row("1e2", "1e2", 100), Row("1E+2", "1E+2", 100), Row("15e-1", "15e-1", 1.5),
        Row("0.1", "0.1", 0.1), Row("leading zeros", "0.000123", 0.000123),
        Row("over Int64", "9223372036854775808", 0x1p63),
        Row("under Int64", "-9223372036854775809", -0x1p63),
        Row("over UInt64", "18446744073709551616", 0x1p64),
        Row("20 digits", "12345678901234567890", 12_345_678_901_234_567_168),
        Row("greatest", "1.7976931348623157e308", Double.greatestFiniteMagnitude),
        Row("least", "5e-324", Double.leastNonzeroMagnitude), Row("to zero", "1e-400", 0),
        Row("2^53 + 1", "9007199254740993.0", 9_007_199_254_740_992),
        Row("halfway to even", "9007199254740993e0", 9_007_199_254_740_992),
        Row("above halfway", "9007199254740993.00000000000000001", 9_007_199_254_740_994),
        Row("10^22", "1e22", 1e22), Row("10^23", "1e23", 1e23), Row("10^-22", "1e-22", 1e-22),
        Row("10^-23", "1e-23", 1e-23), Row("long exponent", "1e0000000000000000000000002", 100),
    ])
    func theReaderReadsDoubles(row: Row<String, Double>) throws {
        guard case .double(let double) = try DocumentText.value(row.input) else {
            Issue.record("\(try DocumentText.value(row.input)) is not a double")
            return
        }
        #expect(double.bitPattern == row.expected.bitPattern)
    }

    /// Compares numbers in all forms with the nearest double as the standard library computes it.
    @Test func theReaderReadsTheNearestDouble() throws {
        var generator = SeededGenerator.printingItsSeed()
        for _ in 0..<20_000 {
            let digits = (0..<Int.random(in: 1...22, using: &generator))
                .map { _ in "\(Int.random(in: 0...9, using: &generator))" }.joined()
            let whole = "\(Int.random(in: 0...99_999, using: &generator))"
            let exponent = "e\(Int.random(in: -40...40, using: &generator))"
            let text = "-\(whole).\(digits)\(Bool.random(using: &generator) ? exponent : "")"
            let expected = try #require(Double(text))
            let double = try SettingValue(jsonData: Data(text.utf8)).doubleValue
            #expect(double?.bitPattern == expected.bitPattern, "\(text)")
        }
    }

    @Test(arguments: [
        "1e309", "-1e309", "1.8e308", "1e99999999999999999999",
        "1" + String(repeating: "0", count: 400),
    ])
    func theReaderRefusesNumbersBeyondDouble(text: String) throws {
        let error = try DocumentText.fault(in: DocumentText.make(value: "[1,\(text)]"))
        #expect(error.code == .numberOutOfRange)
        #expect(error.byteOffset == DocumentText.valueOffset + 3)
        #expect(error.path == "config_sections.S.settings.k.value[1]")
    }

    /// FORMAT 1.4.
    @Test(
        .timeLimit(.minutes(Rounds.minutes)),
        arguments: [
            Row("fraction", "0." + String(repeating: "7", count: 1_000_000), 0.7777777777777778),
            Row("zeros", "0." + String(repeating: "0", count: 1_000_000) + "1", 0),
            Row("exponent", "1e-" + String(repeating: "9", count: 1_000_000), 0),
            Row(
                "zeros in the exponent", "1e" + String(repeating: "0", count: 1_000_000) + "3", 1000
            ),
            Row("zero to a large power", "0e" + String(repeating: "9", count: 1_000_000), 0),
        ])
    func theReaderReadsAMillionDigits(row: Row<String, Double>) throws {
        #expect(try DocumentText.value(row.input) == .double(row.expected))
    }

    /// FORMAT 1.4.
    @Test(.timeLimit(.minutes(Rounds.minutes)), arguments: ["", "e-5"])
    func theReaderRefusesAMillionDigitsBeforeThePoint(exponent: String) throws {
        let text = String(repeating: "7", count: 1_000_000) + exponent
        let error = try DocumentText.fault(in: DocumentText.make(value: text))
        #expect(error.code == .numberOutOfRange)
    }

    /// Many zeros compensate for a large exponent.
    @Test func theReaderReadsExponentsThatZerosOutweigh() throws {
        let zeros = String(repeating: "0", count: 100_010)
        #expect(try DocumentText.value("0.\(zeros)1e100020") == 1e9)
        #expect(try DocumentText.value("0.\(zeros)1e100011") == 1.0)
        let error = try DocumentText.fault(in: DocumentText.make(value: "0.\(zeros)1e200000"))
        #expect(error.code == .numberOutOfRange)
    }
}
