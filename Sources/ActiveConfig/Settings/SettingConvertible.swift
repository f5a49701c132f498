public import Foundation

/// A type that a setting can be read as; see <doc:Reading-settings>.
///
/// The standard types conform: `Bool`, `Int`, `Double`, `Float`, `String`, `URL`, `Duration`,
/// `Date`, `Data`, `UUID`, ``SettingValue``, and optionals, arrays and dictionaries of them. An
/// enumeration with a raw value only has to declare its conformance:
///
/// ```swift
/// enum Theme: String, SettingConvertible { case light, dark }
/// ```
///
/// Other types convert the values that they accept:
///
/// ```swift
/// struct Percentage: SettingConvertible {
///     let value: Double
///     init?(settingValue: SettingValue) {
///         guard let number = settingValue.doubleValue, (0...100).contains(number) else { return nil }
///         value = number
///     }
/// }
/// ```
public protocol SettingConvertible: Sendable {
    /// Reads a setting's value.
    ///
    /// The result is cached until another configuration is active. Several threads can call it at
    /// the same time. `.null` is a value like any other.
    ///
    /// - Returns: nil when the value is not one of this type; the setting then has its default.
    init?(settingValue: SettingValue)

    /// The accepted values, such as "a boolean", for the message about a value of another type.
    static var acceptedSettingValues: String { get }
}

extension SettingConvertible {
    /// The type's name.
    public static var acceptedSettingValues: String { "a value of the type \(Self.self)" }
}

/// Reads the raw value by the raw value's rules.
extension SettingConvertible where Self: RawRepresentable, RawValue: SettingConvertible {
    /// Reads the raw value; nil when it belongs to no value of the type.
    public init?(settingValue: SettingValue) {
        guard let rawValue = RawValue(settingValue: settingValue) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// The type's name, with the kind of its raw value.
    public static var acceptedSettingValues: String {
        "\(RawValue.acceptedSettingValues) that is a raw value of \(Self.self)"
    }
}

/// By the table of FORMAT 5; see ``SettingValue/boolValue``.
extension Bool: SettingConvertible {
    /// Reads a boolean, a number or a word such as `yes`.
    public init?(settingValue: SettingValue) {
        guard let value = settingValue.boolValue else { return nil }
        self = value
    }

    /// The accepted values, for messages.
    public static var acceptedSettingValues: String { "a boolean" }
}

/// By the table of FORMAT 5; see ``SettingValue/integerValue``.
extension Int: SettingConvertible {
    /// Reads an integer, or a number rounded towards zero.
    public init?(settingValue: SettingValue) {
        guard let value = settingValue.integerValue else { return nil }
        self = value
    }

    /// The accepted values, for messages.
    public static var acceptedSettingValues: String { "an integer" }
}

/// By the table of FORMAT 5; see ``SettingValue/doubleValue``.
extension Double: SettingConvertible {
    /// Reads a number.
    public init?(settingValue: SettingValue) {
        guard let value = settingValue.doubleValue else { return nil }
        self = value
    }

    /// The accepted values, for messages.
    public static var acceptedSettingValues: String { "a number" }
}

/// By the table of FORMAT 5; see ``SettingValue/floatValue``.
extension Float: SettingConvertible {
    /// Reads a number within `Float`'s range.
    public init?(settingValue: SettingValue) {
        guard let value = settingValue.floatValue else { return nil }
        self = value
    }

    /// The accepted values, for messages.
    public static var acceptedSettingValues: String { "a number within the range of Float" }
}

/// By the table of FORMAT 5.
extension String: SettingConvertible {
    /// Reads a string.
    public init?(settingValue: SettingValue) {
        guard let value = settingValue.stringValue else { return nil }
        self = value
    }

    /// The accepted values, for messages.
    public static var acceptedSettingValues: String { "a string" }
}

/// By the table of FORMAT 5; see ``SettingValue/urlValue``.
extension URL: SettingConvertible {
    /// Reads a string with a URL.
    public init?(settingValue: SettingValue) {
        guard let value = settingValue.urlValue else { return nil }
        self = value
    }

    /// The accepted values, for messages.
    public static var acceptedSettingValues: String { "a URL" }
}

extension Date: SettingConvertible {
    /// Reads a string with a date, a time and a time zone in ISO 8601: `2026-11-22T07:30:00Z`, the
    /// seconds and their fraction optional.
    public init?(settingValue: SettingValue) {
        guard let value = SettingText.date(settingValue) else { return nil }
        self = value
    }

    /// The accepted values, for messages.
    public static var acceptedSettingValues: String { "an ISO 8601 date with its time" }
}

extension Data: SettingConvertible {
    /// Reads a string in Base64.
    public init?(settingValue: SettingValue) {
        guard let value = SettingText.data(settingValue) else { return nil }
        self = value
    }

    /// The accepted values, for messages.
    public static var acceptedSettingValues: String { "a Base64 string" }
}

extension UUID: SettingConvertible {
    /// Reads a string such as `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
    public init?(settingValue: SettingValue) {
        guard let text = settingValue.stringValue, let value = UUID(uuidString: text) else {
            return nil
        }
        self = value
    }

    /// The accepted values, for messages.
    public static var acceptedSettingValues: String { "a UUID" }
}

extension Duration: SettingConvertible {
    /// Reads a number of seconds, or a string in ISO 8601 with weeks, days, hours, minutes and
    /// seconds, such as `PT1M30S`.
    ///
    /// Years and months are not accepted, since their length differs. At most 9,200,000,000 seconds,
    /// which is more than 291 years.
    public init?(settingValue: SettingValue) {
        guard let value = SettingText.duration(settingValue) else { return nil }
        self = value
    }

    /// The accepted values, for messages.
    public static var acceptedSettingValues: String {
        "a number of seconds or an ISO 8601 duration such as \"PT1M30S\""
    }
}

/// Any value is accepted.
extension SettingValue: SettingConvertible {
    /// Takes the value as it is.
    public init?(settingValue: SettingValue) { self = settingValue }

    /// The accepted values, for messages.
    public static var acceptedSettingValues: String { "any value" }
}

/// `null` is nil; any other value is read as the wrapped type.
extension Optional: SettingConvertible where Wrapped: SettingConvertible {
    /// Reads `null` as nil.
    public init?(settingValue: SettingValue) {
        if case .null = settingValue {
            self = .none
        } else if let value = Wrapped(settingValue: settingValue) {
            self = .some(value)
        } else {
            return nil
        }
    }

    /// The accepted values, for messages.
    public static var acceptedSettingValues: String { "\(Wrapped.acceptedSettingValues) or null" }
}

extension Array: SettingConvertible where Element: SettingConvertible {
    /// Reads an array whose elements are all of the element's type.
    public init?(settingValue: SettingValue) {
        guard let elements = settingValue.arrayValue else { return nil }
        self = []
        reserveCapacity(elements.count)
        for element in elements {
            guard let value = Element(settingValue: element) else { return nil }
            append(value)
        }
    }

    /// The accepted values, for messages.
    public static var acceptedSettingValues: String {
        "an array whose elements are each \(Element.acceptedSettingValues)"
    }
}

extension Dictionary: SettingConvertible where Key == String, Value: SettingConvertible {
    /// Reads an object whose values are all of the value's type.
    public init?(settingValue: SettingValue) {
        guard let members = settingValue.dictionaryValue else { return nil }
        self = [:]
        reserveCapacity(members.count)
        for (name, member) in members {
            guard let value = Value(settingValue: member) else { return nil }
            self[name] = value
        }
    }

    /// The accepted values, for messages.
    public static var acceptedSettingValues: String {
        "an object whose values are each \(Value.acceptedSettingValues)"
    }
}
