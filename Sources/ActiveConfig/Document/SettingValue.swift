/// A value of a setting: any JSON value, with integers and floating-point numbers told apart.
///
/// ```swift
/// let value: SettingValue = ["interval": 1.5, "retries": 3, "hosts": ["a", "b"]]
/// value.dictionaryValue?["retries"]  // .integer(3)
/// ```
///
/// A number without fraction and exponent that fits 64 bits is `.integer`, every other is
/// `.double`, and both stay what they are through reading and writing (FORMAT 4).
///
/// Values made in code can be nested as deeply as the stack allows that releases them, about 200
/// bytes a level. What is read or kept is bounded, see ``ConfigurationLimits``.
public enum SettingValue: Sendable {
    /// JSON's `null`. It is present, and no typed getter reads it (FORMAT 3.4).
    case null
    /// A truth value.
    case bool(Bool)
    /// A whole number that fits `Int`: 64 bits, and 32 where Swift has no more, as on watches whose
    /// apps are built for arm64_32.
    case integer(Int)
    /// A number with a fraction or an exponent, or a whole one that does not fit `Int`.
    case double(Double)
    /// A text.
    case string(String)
    /// A list of values.
    case array([SettingValue])
    /// Values by name. Order does not count.
    case object([String: SettingValue])
}

extension SettingValue: ExpressibleByNilLiteral {
    /// Makes `.null`.
    public init(nilLiteral: ()) { self = .null }
}

extension SettingValue: ExpressibleByBooleanLiteral {
    /// Makes `.bool`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension SettingValue: ExpressibleByIntegerLiteral {
    /// Makes `.integer`.
    public init(integerLiteral value: Int) { self = .integer(value) }
}

extension SettingValue: ExpressibleByFloatLiteral {
    /// Makes `.double`, also of a literal such as `1.0`.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension SettingValue: ExpressibleByStringInterpolation {
    /// Makes `.string`.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension SettingValue: ExpressibleByArrayLiteral {
    /// Makes `.array`.
    public init(arrayLiteral elements: SettingValue...) { self = .array(elements) }
}

extension SettingValue: ExpressibleByDictionaryLiteral {
    /// Makes `.object`; of a name that stands twice the last value counts, as in a document
    /// (FORMAT 1.3).
    public init(dictionaryLiteral elements: (String, SettingValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}

extension SettingValue {
    /// The kind of value, for an error: "a string".
    var kindDescription: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer: "an integer"
        case .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension SettingValue: CustomStringConvertible {
    /// The value as JSON, keys sorted.
    public var description: String {
        var writer = JSONWriter()
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
