import ActiveConfig
import Foundation
import Testing

/// A value of a setting, and the expected result of a key of one type.
struct SettingTypeCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The value; nil if the setting is absent.
    let value: SettingValue?
    /// The problem's reason; nil if no problem is expected.
    let reason: String?
    /// True when the key returns the expected value.
    let isRead: @Sendable (ActiveConfig) -> Bool

    /// Cases of one type.
    ///
    /// Adds the cases of an absent setting and of `null`, which gives the default unless it is
    /// accepted.
    ///
    /// - Parameters:
    ///   - key: A key with a default that equals no accepted value.
    ///   - expected: The expected type as named by a problem; nil when `refused` contains whole
    ///     reasons.
    ///   - acceptsNull: True when `null` is accepted.
    ///   - accepted: Values and the results of reading them.
    ///   - refused: Values and their descriptions in a problem.
    /// - Returns: The cases.
    static func table<Value: Equatable & Sendable>(
        _ key: SettingKey<Value>, expected: String?, acceptsNull: Bool = false,
        accepted: KeyValuePairs<SettingValue, Value>,
        refused: KeyValuePairs<SettingValue, String>
    ) -> [SettingTypeCase] {
        func make(
            _ value: SettingValue?, _ name: String, _ result: Value, _ reason: String? = nil
        ) -> SettingTypeCase {
            SettingTypeCase(
                testDescription: "\(Value.self), \(name)", value: value, reason: reason,
                isRead: { config in
                    // The first read fills the caches, the second one uses them.
                    [config[key], config[key], config.snapshot[key]]
                        == [result, result, result]
                })
        }
        var cases = [make(nil, "absent", key.defaultValue)]
        if let expected, !acceptsNull {
            cases.append(
                make(
                    .null, "null", key.defaultValue, "is null where \(expected) is expected"))
        }
        for (value, result) in accepted {
            precondition(result != key.defaultValue, "The default would pass for \(value).")
            cases.append(make(value, "\(value)", result))
        }
        for (value, found) in refused {
            cases.append(
                make(
                    value, "\(value)", key.defaultValue,
                    expected.map { "is \(found) where \($0) is expected" } ?? found))
        }
        return cases
    }
}

enum Theme: String, SettingConvertible {
    case light, dark, automatic
}

/// Like `Theme`, without a conformance to a protocol of the framework.
enum Layout: Int, Codable {
    case list = 1
    case grid
}

/// A type that implements its own reading.
struct Percentage: SettingConvertible, Equatable {
    let value: Double

    init(_ value: Double) { self.value = value }

    init?(settingValue: SettingValue) {
        guard let number = settingValue.doubleValue, (0...100).contains(number) else { return nil }
        value = number
    }
}

/// A type that is only decodable.
struct Limits: Codable, Equatable {
    var low: Int
    var high: Int
}

extension SettingTypeCase {
    static let all: [SettingTypeCase] =
        scalars + texts + times + data + enumerations + optionals + containers + decodables

    private static let scalars =
        table(
            SettingKey("S", "x", default: true), expected: "a boolean",
            accepted: [false: false, 0: false, 0.0: false, -0.0: false, "off": false, "N": false],
            refused: [
                "maybe": #"the string "maybe""#, [true]: "an array", ["a": true]: "an object",
                "": #"the string """#,
            ])
        + table(
            SettingKey("S", "x", default: -7), expected: "an integer",
            accepted: [
                5: 5, 5.0: 5, 10.9: 10, -10.9: -10, true: 1, " 12 ": 12, "1e3": 1000,
                .integer(.max): .max, .integer(.min): .min, -0.0: 0,
            ],
            refused: [
                .double(-0x1p63): "the number -9.223372036854776e+18",
                "-9223372036854775809": #"the string "-9223372036854775809""#,
                "9223372036854775808": #"the string "9223372036854775808""#,
                1e300: "the number 1e+300", .double(0x1p63): "the number 9.223372036854776e+18",
                .double(.nan): "the number nan", .double(.infinity): "the number inf",
                "NaN": #"the string "NaN""#, "1e400": #"the string "1e400""#,
                "0x10": #"the string "0x10""#, [5]: "an array", [:]: "an object",
            ])
        + table(
            SettingKey("S", "x", default: -7.5), expected: "a number",
            accepted: [
                5: 5, 0.1: 0.1, true: 1, "1.5": 1.5,
                .double(.greatestFiniteMagnitude): .greatestFiniteMagnitude,
                .double(.leastNonzeroMagnitude): .leastNonzeroMagnitude,
            ],
            refused: [
                "NaN": #"the string "NaN""#, "1e400": #"the string "1e400""#,
                "inf": #"the string "inf""#, []: "an array", [:]: "an object",
            ])
        + table(
            SettingKey("S", "x", default: Float(-7.5)),
            expected: "a number within the range of Float",
            accepted: [0.1: 0.1, 16_777_217: 16_777_216, "3.5": 3.5, 1e-60: 0],
            refused: [1e39: "the number 1e+39", "x": #"the string "x""#, []: "an array"])

    private static let texts =
        table(
            SettingKey("S", "x", default: "default"), expected: "a string",
            accepted: ["": "", "a": "a", "e\u{301}": "é", "\u{0}": "\u{0}"],
            refused: [
                5: "the number 5", true: "true", 1.5: "the number 1.5", ["a"]: "an array",
                [:]: "an object",
            ])
        + table(
            SettingKey("S", "x", default: URL(filePath: "/default")), expected: "a URL",
            accepted: ["https://a.b/c d": URL(string: "https://a.b/c%20d") ?? URL(filePath: "/")],
            refused: [
                "": #"the string """#, 5: "the number 5", "http://[": #"the string "http://[""#,
            ])
        + table(
            SettingKey("S", "x", default: UUID()), expected: "a UUID",
            accepted: [
                "e621e1f8-c36c-495a-93fc-0c247a3e6e5f":
                    UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? UUID()
            ],
            refused: [
                "": #"the string """#,
                "E621E1F8-C36C-495A-93FC-0C247A3E6E5":
                    #"the string "E621E1F8-C36C-495A-93FC-0C247A3E6E5""#,
                5: "the number 5",
            ])

    private static let times =
        table(
            SettingKey("S", "x", default: Duration.seconds(-7)),
            expected: "a number of seconds or an ISO 8601 duration such as \"PT1M30S\"",
            accepted: [
                30: .seconds(30), 0.25: .milliseconds(250), "PT1M30S": .seconds(90),
                "P1W": .seconds(604_800), "P1DT12H": .seconds(129_600), "PT1.5S": .seconds(1.5),
                "-PT2S": .seconds(-2), " 30 ": .seconds(30), "PT0,5S": .seconds(0.5),
                1.001: .milliseconds(1001), "PT1.001S": .milliseconds(1001), -0.0: .zero,
                "PT0.000000000000000001S": Duration(secondsComponent: 0, attosecondsComponent: 1),
                9_200_000_000: .seconds(9_200_000_000),
            ],
            refused: [
                .integer(.max): "the number 9223372036854775807",
                .integer(.min): "the number -9223372036854775808",
                1e300: "the number 1e+300", .double(.nan): "the number nan",
                .double(-.infinity): "the number -inf", "P1Y": #"the string "P1Y""#,
                "P1M": #"the string "P1M""#, "P": #"the string "P""#, "PT": #"the string "PT""#,
                "P1DT": #"the string "P1DT""#, "": #"the string """#, "NaN": #"the string "NaN""#,
                "PT1e3S": #"the string "PT1e3S""#, "PT1S ago": #"the string "PT1S ago""#,
                "PT9999999999999999999999S": #"the string "PT9999999999999999999999S""#,
                "1e400": #"the string "1e400""#, true: "true", []: "an array",
            ])
        + table(
            SettingKey("S", "x", default: Date(timeIntervalSince1970: -7)),
            expected: "an ISO 8601 date with its time",
            accepted: [
                "2012-08-20T19:36:05Z": Date(timeIntervalSince1970: 1_345_491_365),
                "2012-08-20T21:36:05.5+02:00": Date(timeIntervalSince1970: 1_345_491_365.5),
                "9999-12-31T23:59:59Z": Date(timeIntervalSince1970: 253_402_300_799),
            ],
            refused: [
                "10000-01-01T00:00:00Z": #"the string "10000-01-01T00:00:00Z""#,
                "+10000-01-01T00:00:00Z": #"the string "+10000-01-01T00:00:00Z""#,
                "----------T00:00Z": #"the string "----------T00:00Z""#,
                "2012-08-20": #"the string "2012-08-20""#, 1_345_491_365: "the number 1345491365",
                1e300: "the number 1e+300", "": #"the string """#, [:]: "an object",
            ])

    private static let data = table(
        SettingKey("S", "x", default: Data([7])), expected: "a Base64 string",
        accepted: ["AQI=": Data([1, 2]), "": Data()],
        refused: ["AQI": #"the string "AQI""#, "%": #"the string "%""#, 5: "the number 5"])

    private static let enumerations =
        table(
            SettingKey("S", "x", default: Theme.automatic),
            expected: "a string that is a raw value of Theme", accepted: ["dark": .dark],
            refused: [
                "purple": #"the string "purple""#, "DARK": #"the string "DARK""#,
                5: "the number 5", ["dark"]: "an array",
            ])
        + table(
            SettingKey("S", "x", default: Layout.list), expected: nil,
            accepted: [2: .grid, "2": .grid],
            refused: [
                3: """
                is the number 3, which cannot be read as Layout: Cannot initialize Layout from \
                invalid Int value 3
                """,
                nil: """
                is null, which cannot be read as Layout: The value is null where an integer in \
                -9223372036854775808...9223372036854775807 is expected
                """,
            ])
        + table(
            SettingKey("S", "x", default: Percentage(50)),
            expected: "a value of the type Percentage", accepted: [99.5: Percentage(99.5)],
            refused: [101: "the number 101", "x": #"the string "x""#])

    private static let optionals =
        table(
            SettingKey("S", "x", default: 7 as Int?), expected: "an integer or null",
            acceptsNull: true, accepted: [nil: nil, 5: 5],
            refused: ["x": #"the string "x""#, []: "an array"])
        + table(
            SettingKey("S", "x", default: Theme?.none), expected: nil, accepted: ["dark": .dark],
            refused: [
                "purple": """
                is the string "purple" where a string that is a raw value of Theme or null is \
                expected
                """
            ])
        + table(
            SettingKey("S", "x", default: Limits(low: 1, high: 2) as Limits?), expected: nil,
            accepted: [nil: nil, ["low": 3, "high": 4]: Limits(low: 3, high: 4)],
            refused: [
                ["low": 3]: """
                is an object, which cannot be read as Optional<Limits>: There is no setting \
                'high'
                """
            ])

    private static let containers =
        table(
            SettingKey("S", "x", default: [7]),
            expected: "an array whose elements are each an integer",
            accepted: [[]: [], [1, "2", 3.9]: [1, 2, 3]],
            refused: [
                [1, "x"]: "an array", [1, nil]: "an array", 5: "the number 5", [:]: "an object",
            ])
        + table(
            SettingKey("S", "x", default: ["d": Theme.automatic]),
            expected:
                "an object whose values are each a string that is a raw value of Theme",
            accepted: [[:]: [:], ["a": "dark"]: ["a": .dark]],
            refused: [["a": "dark", "b": "purple"]: "an object", []: "an array"])
        + table(
            SettingKey("S", "x", default: [[Duration]?.none]), expected: nil,
            accepted: [[nil, ["PT1S", 2]]: [nil, [.seconds(1), .seconds(2)]]],
            refused: [
                [["x"]]: """
                is an array where an array whose elements are each an array whose elements are \
                each a number of seconds or an ISO 8601 duration such as "PT1M30S" or null is \
                expected
                """
            ])

    private static let decodables =
        table(
            SettingKey("S", "x", default: Limits(low: 0, high: 0)), expected: nil,
            accepted: [["low": 1, "high": "2", "more": []]: Limits(low: 1, high: 2)],
            refused: [
                ["low": 1, "high": 1.5]: """
                is an object, which cannot be read as Limits: The setting 'high' is a number \
                where an integer in -9223372036854775808...9223372036854775807 is expected
                """,
                5: """
                is the number 5, which cannot be read as Limits: The value is an integer where \
                an object is expected
                """,
            ])
        + table(
            SettingKey("S", "x", default: UInt8(7)), expected: nil, accepted: [255: 255],
            refused: [
                256: """
                is the number 256, which cannot be read as UInt8: The value is an integer where \
                an integer in 0...255 is expected
                """
            ])
        + table(
            SettingKey("S", "x", default: [Limits]()), expected: nil,
            accepted: [[["low": 1, "high": 2]]: [Limits(low: 1, high: 2)]],
            refused: [
                [["low": 1, "high": 2], ["low": 1]]: """
                is an array, which cannot be read as Array<Limits>: There is no setting \
                '1.high'
                """
            ])
}
