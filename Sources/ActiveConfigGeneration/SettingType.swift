public import ActiveConfig
import Foundation

/// The type of a key.
///
/// Types may be added.
public struct SettingType: Sendable, Hashable {
    indirect enum Kind: Sendable, Hashable {
        case bool, int, double, float, string, url, duration, date, data, uuid, json
        case array(SettingType)
        case object(SettingType)
        case optional(SettingType)
    }

    private(set) var kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// `Bool`.
    public static let bool = SettingType(.bool)
    /// `Int`.
    public static let int = SettingType(.int)
    /// `Double`.
    public static let double = SettingType(.double)
    /// `Float`.
    public static let float = SettingType(.float)
    /// `String`.
    public static let string = SettingType(.string)
    /// `URL`.
    public static let url = SettingType(.url)
    /// `Duration`.
    public static let duration = SettingType(.duration)
    /// `Date`.
    public static let date = SettingType(.date)
    /// `Data`.
    public static let data = SettingType(.data)
    /// `UUID`.
    public static let uuid = SettingType(.uuid)
    /// `SettingValue`: any JSON value.
    public static let json = SettingType(.json)

    /// An array of one type.
    public static func array(_ element: SettingType) -> SettingType { SettingType(.array(element)) }

    /// A dictionary by name, its values of one type.
    public static func object(_ value: SettingType) -> SettingType { SettingType(.object(value)) }

    /// `nil` or a value of a type.
    public static func optional(_ wrapped: SettingType) -> SettingType {
        SettingType(.optional(wrapped))
    }
}

extension SettingType {
    private static let names: [String: SettingType] = [
        "bool": .bool, "int": .int, "double": .double, "float": .float, "string": .string,
        "url": .url, "duration": .duration, "date": .date, "data": .data, "uuid": .uuid,
        "json": .json,
    ]

    /// Maximum nesting of arrays, objects and optionals; more would only slow down the compiler.
    private static let maximumDepth = 8

    /// The message about an unreadable type.
    static let syntax =
        "use bool, int, double, float, string, url, duration, date, data, uuid or json, [type] for "
        + "an array, {type} for an object, type? for a value that may be null"

    /// Creates a type from its text in a schema, such as `bool`, `[string]`, `{double}` or `url?`.
    ///
    /// - Parameter text: The text; nil is returned for any other.
    public init?(_ text: String) {
        self.init(text[...], depth: 0)
    }

    private init?(_ text: Substring, depth: Int) {
        guard depth <= Self.maximumDepth else { return nil }
        if text.hasSuffix("?") {
            guard let wrapped = SettingType(text.dropLast(), depth: depth + 1) else { return nil }
            if case .optional = wrapped.kind { return nil }
            self = .optional(wrapped)
        } else if text.hasPrefix("["), text.hasSuffix("]") {
            guard let element = SettingType(text.dropFirst().dropLast(), depth: depth + 1) else {
                return nil
            }
            self = .array(element)
        } else if text.hasPrefix("{"), text.hasSuffix("}") {
            guard let value = SettingType(text.dropFirst().dropLast(), depth: depth + 1) else {
                return nil
            }
            self = .object(value)
        } else if let type = Self.names[String(text)] {
            self = type
        } else {
            return nil
        }
    }

    /// The type's name in Swift, such as `[String: Double]`.
    public var swiftName: String {
        switch kind {
        case .bool: "Bool"
        case .int: "Int"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .url: "URL"
        case .duration: "Duration"
        case .date: "Date"
        case .data: "Data"
        case .uuid: "UUID"
        case .json: "SettingValue"
        case .array(let element): "[\(element.swiftName)]"
        case .object(let value): "[String: \(value.swiftName)]"
        case .optional(let wrapped): "\(wrapped.swiftName)?"
        }
    }

    /// The type of non-nil values.
    var withoutOptional: SettingType {
        if case .optional(let wrapped) = kind { wrapped } else { self }
    }

    /// True when Foundation declares the type, or one in it.
    var needsFoundation: Bool {
        switch kind {
        case .url, .date, .data, .uuid: true
        case .bool, .int, .double, .float, .string, .duration, .json: false
        case .array(let inner), .object(let inner), .optional(let inner): inner.needsFoundation
        }
    }
}

extension SettingType {
    /// Infers the type of a value.
    ///
    /// Arrays and objects have one type for all their values; integers mixed with floating-point
    /// numbers are `double`. Without a common type, and for `null` and empty values, it is `json`.
    public init(of value: SettingValue) {
        self.init(ofAll: [value])
    }

    /// Infers a common type of all possible values of a setting; without values, `json`.
    public init(ofAll values: [SettingValue]) {
        self.init(ofAll: values, depth: 0)
    }

    private init(ofAll values: [SettingValue], depth: Int) {
        self = .json
        guard let first = values.first, depth < Self.maximumDepth else { return }
        switch first {
        case .null: break
        case .bool:
            if values.allSatisfy(\.isBool) { self = .bool }
        case .integer, .double:
            let integers = values.filter(\.isInteger)
            if integers.count == values.count {
                self = .int
            } else if values.allSatisfy({ $0.isDouble || $0.isInteger }),
                integers.allSatisfy(\.isExactAsDouble)
            {
                self = .double
            }
        case .string:
            if values.allSatisfy({ $0.stringValue != nil }) { self = .string }
        case .array:
            let elements = values.compactMap(\.arrayValue)
            guard elements.count == values.count else { return }
            self = .array(SettingType(ofAll: elements.flatMap(\.self), depth: depth + 1))
        case .object:
            let members = values.compactMap(\.dictionaryValue)
            guard members.count == values.count else { return }
            self = .object(SettingType(ofAll: members.flatMap(\.values), depth: depth + 1))
        }
    }
}

extension SettingValue {
    fileprivate var isBool: Bool { if case .bool = self { true } else { false } }
    fileprivate var isInteger: Bool { if case .integer = self { true } else { false } }
    fileprivate var isDouble: Bool { if case .double = self { true } else { false } }

    /// For an integer.
    fileprivate var isExactAsDouble: Bool {
        guard case .integer(let value) = self else { return false }
        return Int(exactly: Double(value)) == value
    }
}
