import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Conversions of scalars while decoding: those of FORMAT 5, but only where they are lossless.
struct SettingDecoderTests {
    @Test(
        arguments: [
            Row("integer", 5 as SettingValue, 5), Row("whole", 5.0, 5), Row("bool", true, 1),
            Row("text", " 5 ", 5), Row("whole text", "5.0", 5), Row("exponent", "5e0", 5),
        ] as [Row<SettingValue, Int>])
    func theDecoderDecodesIntegers(row: Row<SettingValue, Int>) throws {
        #expect(try row.input.decode(Int.self) == row.expected)
        #expect(try row.input.decode(Int8.self) == Int8(row.expected))
        #expect(try row.input.decode(Int16.self) == Int16(row.expected))
        #expect(try row.input.decode(Int32.self) == Int32(row.expected))
        #expect(try row.input.decode(Int64.self) == Int64(row.expected))
        #expect(try row.input.decode(UInt.self) == UInt(row.expected))
        #expect(try row.input.decode(UInt8.self) == UInt8(row.expected))
        #expect(try row.input.decode(UInt16.self) == UInt16(row.expected))
        #expect(try row.input.decode(UInt32.self) == UInt32(row.expected))
        #expect(try row.input.decode(UInt64.self) == UInt64(row.expected))
        #expect(try row.input.decode(Double.self) == Double(row.expected))
        #expect(try row.input.decode(Float.self) == Float(row.expected))
    }

    @Test func theDecoderDecodesTheBoundsOfIntegers() throws {
        #expect(try SettingValue.integer(.max).decode(Int.self) == .max)
        #expect(try SettingValue.integer(.min).decode(Int64.self) == .min)
        #expect(try (255 as SettingValue).decode(UInt8.self) == 255)
        #expect(try (-128 as SettingValue).decode(Int8.self) == -128)
        #expect(try SettingValue.double(0x1p53 - 1).decode(Int64.self) == 1 << 53 - 1)
        #expect(try ("18446744073709551615" as SettingValue).decode(UInt64.self) == .max)
        #expect(try (" +9223372036854775809 " as SettingValue).decode(UInt64.self) == 1 << 63 + 1)
    }

    /// Texts that round to the same `Double` never decode as each other's number.
    @Test(arguments: [
        "9223372036854775808", "9223372036854775809", "18446744073709551615",
        "-9223372036854775809",
        "9007199254740993.0", "9.007199254740993e15", "100000000000000000001", "1e19",
        #""9007199254740993.0""#, #""123456789012345678901e0""#,
    ])
    func theDecoderRefusesWhatMayHaveBeenRounded(json: String) throws {
        let value = try DocumentText.value(json)
        for type in [UInt64.self, Int64.self, UInt.self, Int.self] as [any Decodable.Type] {
            #expect(throws: DecodingError.self) { try value.decode(type) }
        }
        guard case .double = value else { return }
        let error = #expect(throws: DecodingError.self) { try value.decode(Decimal.self) }
        #expect("\(String(describing: error))".contains("write it as a string"))
        #expect(try value.decode(Double.self) == value.doubleValue)
    }

    @Test(
        arguments: [
            Row("fraction", 5.5 as SettingValue, "a number"),
            Row("text fraction", "5.5", "a string"),
            Row("over UInt8", 256, "an integer"), Row("under UInt8", -1, "an integer"),
            Row("great", 1e300, "a number"), Row("not finite", .double(.nan), "a number"),
            Row("word", "five", "a string"), Row("empty", "", "a string"),
            Row("array", [5], "an array"),
            Row("object", [:], "an object"),
        ] as [Row<SettingValue, String>])
    func theDecoderRefusesWhatWouldLoseInAnInteger(row: Row<SettingValue, String>) throws {
        let error = #expect(throws: DecodingError.self) { try row.input.decode(UInt8.self) }
        guard case .typeMismatch(let type, let context) = try #require(error) else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(type is UInt8.Type)
        #expect(
            context.debugDescription
                == "The value is \(row.expected) where an integer in 0...255 is expected.")
    }

    @Test func theDecoderDecodesScalarsByTheTable() throws {
        #expect(try ("ON" as SettingValue).decode(Bool.self))
        #expect(try !(0 as SettingValue).decode(Bool.self))
        #expect(try ("1.5" as SettingValue).decode(Double.self) == 1.5)
        #expect(try ("x" as SettingValue).decode(String.self) == "x")
        #expect(throws: DecodingError.self) { try (1 as SettingValue).decode(String.self) }
        #expect(throws: DecodingError.self) { try ("maybe" as SettingValue).decode(Bool.self) }
        #expect(throws: DecodingError.self) { try ([1] as SettingValue).decode(Double.self) }
        #expect(throws: DecodingError.self) { try (1e300 as SettingValue).decode(Float.self) }
    }

    @Test(arguments: [
        Row("Z", "2012-08-20T19:36:05Z", 1_345_491_365.0),
        Row("zone", "2012-08-20T21:36:05+02:00", 1_345_491_365),
        Row("plain zone", "2012-08-20T17:06:05-0230", 1_345_491_365),
        Row("milliseconds", "2012-08-20T19:36:05.250Z", 1_345_491_365.25),
        Row("one digit", "2012-08-20T19:36:05.5Z", 1_345_491_365.5),
        Row("microseconds", "2012-08-20T19:36:05.000500Z", 1_345_491_365.0005),
        Row("no seconds, as in FORMAT 2.3", "2012-08-20T19:36Z", 1_345_491_360),
        Row("before 1970", "1969-12-31T23:59:59.5Z", -0.5),
    ])
    func theDecoderDecodesDates(row: Row<String, Double>) throws {
        let date = try SettingValue.string(row.input).decode(Date.self)
        #expect(abs(date.timeIntervalSince1970 - row.expected) < 0.000_01)
    }

    @Test(arguments: [
        "", "2012-08-20", "2012-08-20T19:36", "2012-08-20T19:36.5Z", "2012-08-20T19:36:05",
        "2012-08-20T19:36:05Zx", " 2012-08-20T19:36:05Z", "2012-08-20T19:36:05.Z",
        "2012-13-20T19:36:05Z", "1345491365", "２０12-08-20T19:36:05Z",
        "2012-08-20T19:36:05+02:00x",
    ])
    func theDecoderRefusesOtherDates(text: String) {
        #expect(throws: DecodingError.self) { try SettingValue.string(text).decode(Date.self) }
    }

    @Test(
        arguments: [
            Row("integer", 12 as SettingValue, "12"),
            Row("least", .integer(.min), "-9223372036854775808"),
            Row("double", 0.1, "0.1"), Row("text", " 0.10 ", "0.1"), Row("exponent", "1e3", "1000"),
            Row("exact", "12345678901234567890.123456789", "12345678901234567890.123456789"),
            Row("large text", "1e20", "100000000000000000000"),
            Row("beyond 64 bits", "18446744073709551617", "18446744073709551617"),
            Row("zeros", "000.100", "0.1"), Row("least digit", "-5e-127", "-5e-127"),
            Row(
                "38 digits", "12345678901234567890123456789012345678.0",
                "12345678901234567890123456789012345678"),
        ] as [Row<SettingValue, String>])
    func theDecoderDecodesDecimals(row: Row<SettingValue, String>) throws {
        #expect(try row.input.decode(Decimal.self) == #require(Decimal(string: row.expected)))
    }

    @Test func theDecoderRefusesOtherTypesOfFoundation() {
        let digits = String(repeating: "1234567890", count: 4)
        for value in [
            "x", "", "1,5", [1], nil, true, "1e200", "1e-200", "1.5e-127", .string(digits),
            .string("0.\(digits)"), "0.0e-9223372036854775808", "0e9223372036854775807",
            "1e-9223372036854775808",
        ] as [SettingValue] {
            #expect(throws: DecodingError.self) { try value.decode(Decimal.self) }
        }
        for value in ["%", "AQI", 1, nil] as [SettingValue] {
            #expect(throws: DecodingError.self) { try value.decode(Data.self) }
        }
        for value in ["", 1, nil, ["https://a.b"]] as [SettingValue] {
            #expect(throws: DecodingError.self) { try value.decode(URL.self) }
        }
        #expect(throws: DecodingError.self) { try (5 as SettingValue).decode(Date.self) }
    }

    /// Decodes its containers by hand.
    struct ByHand: Decodable {
        var numbers: [Int] = []
        var hasNull = false
        var keys: [String] = []
        var isPastTheEnd = false

        enum Keys: String, CodingKey { case list, object, inner }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            keys = container.allKeys.map(\.stringValue)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            numbers.append(list.count ?? -1)
            hasNull = try list.decodeNil()
            _ = try list.decodeNil()
            numbers.append(try list.decode(Int.self))
            var nested = try list.nestedUnkeyedContainer()
            numbers.append(try nested.decode(Int.self))
            let keyed = try list.nestedContainer(keyedBy: Keys.self)
            numbers.append(try keyed.decode(Int.self, forKey: .inner))
            numbers.append(try Int(from: list.superDecoder()))
            isPastTheEnd = list.isAtEnd && list.currentIndex == 5
            let object = try container.nestedContainer(keyedBy: Keys.self, forKey: .object)
            numbers.append(try Int(from: object.superDecoder(forKey: .inner)))
            if list.isAtEnd { _ = try? list.decode(Int.self) }
        }
    }

    @Test func theDecoderReadsContainersByHand() throws {
        let value: SettingValue = [
            "list": [nil, 1, [2], ["inner": 3], 4], "object": ["inner": 5], "other": 6,
        ]
        let result = try value.decode(ByHand.self)
        #expect(result.numbers == [5, 1, 2, 3, 4, 5])
        #expect(result.hasNull && result.isPastTheEnd)
        #expect(result.keys == ["list", "object"])
    }

    @Test func theDecoderSaysThatAnArrayHasEnded() throws {
        struct Pair: Decodable {
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                _ = try container.decode(Int.self)
                _ = try container.decode(Int.self)
            }
        }
        let error = #expect(throws: DecodingError.self) {
            try ([1] as SettingValue).decode(Pair.self)
        }
        guard case .valueNotFound(_, let context) = try #require(error) else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.last?.intValue == 1)
        #expect(context.debugDescription == "The array has only 1 elements.")
    }
}
