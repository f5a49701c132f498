import Foundation
import Testing

@testable import ActiveConfig

/// Encoded values decode to equal values.
struct SettingEncoderTests {
    /// Value and its form in a configuration.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let encoded: @Sendable () throws -> SettingValue
        let expected: SettingValue?
        /// True when the decoded copy equals the value.
        let readsBack: @Sendable (SettingValue) throws -> Bool

        init<Value: Codable & Equatable & Sendable>(_ value: Value, _ expected: SettingValue?) {
            testDescription = "\(Value.self) \(value)"
            encoded = { try SettingEncoder.encode(value) }
            self.expected = expected
            readsBack = { try $0.decode(Value.self) == value }
        }
    }

    struct Everything: Codable, Equatable {
        var name = "a"
        var list: [Int?] = [1, nil]
        var object = ["a": [0.5]]
        var nothing: Int?
        var date = Date(timeIntervalSince1970: 1.25)
        var decimal = Decimal(string: "0.1") ?? 0
        var interval: ClosedRange<Int> = 1...2
        var set: Set<String> = ["x"]
        var theme: [Layout: Int] = [.grid: 1]
        var anything: SettingValue = [nil, 1.0, ["a": 1]]
    }

    private static let cases: [Case] = [
        Case(true, true), Case(false, false), Case("", ""), Case("a\u{0}\u{301}", nil),
        Case(Int.max, .integer(.max)), Case(Int.min, .integer(.min)), Case(Int8.min, -128),
        Case(Int16.min, -32768), Case(Int32.min, -2_147_483_648), Case(Int64.min, .integer(.min)),
        Case(UInt8.max, 255), Case(UInt16.max, 65_535), Case(UInt32.max, 4_294_967_295),
        Case(UInt.max, "18446744073709551615"), Case(UInt64.max, "18446744073709551615"),
        Case(UInt64(1) << 63, "9223372036854775808"), Case(UInt64(Int64.max), .integer(.max)),
        Case(0.1, 0.1), Case(1.0, 1.0), Case(-0.0, -0.0), Case(Double.greatestFiniteMagnitude, nil),
        Case(Double.leastNonzeroMagnitude, nil), Case(Double.ulpOfOne, nil), Case(0x1p53 + 2, nil),
        Case(Float(0.1), 0.1), Case(Float.greatestFiniteMagnitude, nil),
        Case(Float.leastNonzeroMagnitude, nil), Case(Float(16_777_216), 16_777_216.0),
        Case(URL(string: "https://a.b/c%20d?e#f") ?? URL(filePath: "/"), "https://a.b/c%20d?e#f"),
        Case(
            UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? UUID(),
            "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
        Case(Data([0, 255, 1]), "AP8B"), Case(Data(), ""),
        Case(Date(timeIntervalSince1970: 1_345_491_365.25), "2012-08-20T19:36:05.250Z"),
        Case(Date(timeIntervalSince1970: -0.001), "1969-12-31T23:59:59.999Z"),
        Case(Date(timeIntervalSince1970: 0), "1970-01-01T00:00:00Z"),
        Case(Date.distantPast, "0001-01-01T00:00:00Z"),
        Case(Date.distantFuture, "4001-01-01T00:00:00Z"),
        Case(Date(timeIntervalSince1970: 253_402_300_799), "9999-12-31T23:59:59Z"),
        Case(Duration.seconds(30), 30), Case(Duration.zero, 0),
        Case(Duration.milliseconds(1001), 1.001),
        Case(Duration.seconds(-90), -90), Case(Duration.nanoseconds(1), nil),
        Case(Duration(secondsComponent: 1, attosecondsComponent: 1), "PT1.000000000000000001S"),
        Case(Duration(secondsComponent: -1, attosecondsComponent: -1), "-PT1.000000000000000001S"),
        Case(
            Duration(
                secondsComponent: 9_199_999_999, attosecondsComponent: 999_999_999_999_999_999), nil
        ),
        Case(Duration.seconds(9_200_000_000), 9_200_000_000),
        Case(Decimal(string: "0.1") ?? 0, "0.1"), Case(Decimal(-5), "-5"), Case(Decimal.zero, "0"),
        Case(Decimal(string: "12345678901234567890123456789012345678") ?? 0, nil),
        Case(Decimal(string: "1e-127") ?? 0, nil), Case(Decimal(string: "1e100") ?? 0, nil),
        Case(Int?.none, .null), Case(5 as Int?, 5), Case([1 as Int?, nil], [1, nil]),
        Case(URL?.some(URL(filePath: "/a")), "file:///a"), Case([Int](), []),
        Case([String: Int](), [:]),
        Case(["a": [1: "b"]], ["a": ["1": "b"]]), Case(Layout.grid, 2),
        Case(SettingValue.object(["a": [nil, 1.0]]), ["a": [nil, 1.0]]),
        Case(
            Everything(),
            [
                "name": "a", "list": [1, nil], "object": ["a": [0.5]],
                "date": "1970-01-01T00:00:01.250Z", "decimal": "0.1", "interval": [1, 2],
                "set": ["x"], "theme": [2, 1], "anything": [nil, 1.0, ["a": 1]],
            ]),
    ]

    @Test(arguments: cases)
    func aValueReadsBack(row: Case) throws {
        let value = try row.encoded()
        if let expected = row.expected { #expect(value == expected) }
        #expect(try row.readsBack(value))
        // Also after a round trip through the text of a document.
        #expect(try row.readsBack(SettingValue(jsonData: value.jsonData())))
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func integersOf128BitsReadBack() throws {
        for value in [Int128.min, -1, Int128(Int.max) + 1, .max] {
            #expect(try SettingEncoder.encode(value).decode(Int128.self) == value)
        }
        #expect(try SettingEncoder.encode([UInt128.max]).decode([UInt128].self) == [.max])
        #expect(try SettingEncoder.encode(Int128(-1)) == -1)
    }

    @Test func theSignOfZeroIsKept() throws {
        #expect(try SettingEncoder.encode(-0.0).doubleValue?.sign == .minus)
        #expect(try SettingEncoder.encode(Float(-0.0)).doubleValue?.sign == .minus)
    }

    @Test func durationsOfAnyFractionReadBack() throws {
        var generator = SeededGenerator.printingItsSeed()
        for _ in 0..<2_000 {
            let size = Int64.random(in: 0...9_000_000_000, using: &generator)
            let duration = Duration(
                secondsComponent: Bool.random(using: &generator) ? size : 0,
                attosecondsComponent: Int64.random(
                    in: 0..<1_000_000_000_000_000_000, using: &generator))
            for value in [duration, .zero - duration] {
                let encoded = try SettingEncoder.encode(value)
                #expect(try encoded.decode(Duration.self) == value, "\(encoded)")
            }
        }
    }

    /// Values that cannot be represented in a configuration, or would not decode to themselves.
    @Test func aValueThatWouldNotReadBackIsRefused() throws {
        let values: [any Encodable & Sendable] = [
            Double.nan, Double.infinity, -Double.infinity, Float.nan, Float.infinity,
            Decimal.nan, Decimal.greatestFiniteMagnitude,
            Date(timeIntervalSince1970: 253_402_300_800), Date(timeIntervalSince1970: 1e300),
            Date(timeIntervalSince1970: .nan), Date(timeIntervalSince1970: .infinity),
            Date(timeIntervalSince1970: -1e15), Duration.seconds(9_200_000_001),
            Duration.seconds(Int64.min),
        ]
        for value in values {
            let error = #expect(throws: EncodingError.self) {
                try SettingEncoder.encode(["a": value].mapValues(Boxed.init))
            }
            guard case .invalidValue(_, let context) = try #require(error) else { continue }
            #expect(context.codingPath.map(\.stringValue) == ["a"])
            #expect(context.debugDescription.hasPrefix("A configuration has no "))
            // Foundation for Linux traps when it describes some dates.
            #expect(!"\(try #require(error))".isEmpty)
        }
    }

    /// Wraps an encodable value of any type.
    private struct Boxed: Encodable {
        let value: any Encodable
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    /// Encodes its containers by hand.
    private struct ByHand: Encodable {
        enum Keys: CodingKey { case list, object, null, inner }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encodeNil()
            try list.encode(1)
            var nested = list.nestedUnkeyedContainer()
            try nested.encode(2)
            var keyed = list.nestedContainer(keyedBy: Keys.self)
            try keyed.encode(3, forKey: .inner)
            try 4.encode(to: list.superEncoder())
            var object = container.nestedContainer(keyedBy: Keys.self, forKey: .object)
            try object.encodeNil(forKey: .null)
            try 5.encode(to: object.superEncoder(forKey: .inner))
            try ["a": 6].encode(to: container.superEncoder())
            // Requesting the same container again adds to it.
            var again = encoder.container(keyedBy: Keys.self)
            try again.encode(list.count, forKey: .inner)
            var more = container.nestedContainer(keyedBy: Keys.self, forKey: .object)
            try more.encode("more", forKey: .list)
        }
    }

    @Test func containersAreWrittenByHand() throws {
        #expect(
            try SettingEncoder.encode(ByHand()) == [
                "list": [nil, 1, [2], ["inner": 3], 4],
                "object": ["null": nil, "inner": 5, "list": "more"], "super": ["a": 6], "inner": 5,
            ])
    }

    private class Parent: Codable {
        var name = "parent"
        init() {}
    }

    private final class Child: Parent {
        var age = 5

        enum Keys: CodingKey { case age }

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            age = try container.decode(Int.self, forKey: .age)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(age, forKey: .age)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test func aSuperclassReadsBack() throws {
        let child = Child()
        child.name = "other"
        child.age = 6
        let value = try SettingEncoder.encode(child)
        #expect(value == ["age": 6, "super": ["name": "other"]])
        let copy = try value.decode(Child.self)
        #expect(copy.age == 6 && copy.name == "other")
    }

    private final class Nested: Codable, Sendable {
        let next: Nested?
        init(_ next: Nested?) { self.next = next }
    }

    @Test(arguments: [Row("the deepest", 96, true), Row("deeper", 97, false)])
    func depthIsLimitedAsInDecoding(row: Row<Int, Bool>) async throws {
        let isRight = try await SmallStack.run {
            var chain = Nested(nil)
            for _ in 0..<row.input { chain = Nested(chain) }
            guard row.expected else {
                #expect(throws: EncodingError.self) { try SettingEncoder.encode(chain) }
                return true
            }
            let copy = try SettingEncoder.encode(chain).decode(Nested.self)
            return sequence(first: copy, next: \.next).reduce(0) { count, _ in count + 1 }
                == row.input + 1
        }
        #expect(isRight)
    }
}
