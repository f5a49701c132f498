public import Foundation

/// Typed reading, by the table of FORMAT 5. A getter returns nil for a value that it cannot
/// convert.
extension SettingValue {
    /// The text of a string.
    public var stringValue: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// A boolean, a number that is not 0, or one of the words `true yes y t on 1` and
    /// `false no n f off 0` in any case, trimmed.
    public var boolValue: Bool? {
        switch self {
        case .bool(let value): value
        case .integer(let value): value != 0
        case .double(let value): value != 0
        case .string(let value): BooleanWord.meaning(of: value)
        case .null, .array, .object: nil
        }
    }

    /// An integer, a number rounded towards zero if it then fits, a boolean as 0 or 1, or a string
    /// that is wholly a number.
    ///
    /// Nil for an integer beyond 64 bits, also as text, and thus for the double -2⁶³, the nearest
    /// one to the first integers below `Int.min`.
    public var integerValue: Int? {
        switch self {
        case .integer(let value): value
        case .double(let value):
            value == -0x1p63 ? nil : Int(exactly: value.rounded(.towardZero))
        case .bool(let value): value ? 1 : 0
        case .string(let value): NumberText.value(of: value)?.integerValue
        case .null, .array, .object: nil
        }
    }

    /// A number, a boolean as 0 or 1, or a string that is wholly a number.
    ///
    /// An integer beyond 2⁵³ gives the nearest `Double`.
    public var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .bool(let value): value ? 1 : 0
        case .string(let value): NumberText.value(of: value)?.doubleValue
        case .null, .array, .object: nil
        }
    }

    /// The nearest `Float` of ``doubleValue``; nil when it is beyond `Float`'s range.
    public var floatValue: Float? {
        guard let value = doubleValue else { return nil }
        let narrowed = Float(value)
        return narrowed.isFinite || !value.isFinite ? narrowed : nil
    }

    /// The elements of an array.
    public var arrayValue: [SettingValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The elements of an array that are all strings; an empty array is one.
    public var stringArrayValue: [String]? {
        guard case .array(let elements) = self else { return nil }
        var strings: [String] = []
        strings.reserveCapacity(elements.count)
        for element in elements {
            guard case .string(let value) = element else { return nil }
            strings.append(value)
        }
        return strings
    }

    /// The values of an object by name.
    public var dictionaryValue: [String: SettingValue]? {
        guard case .object(let value) = self else { return nil }
        return value
    }

    /// The URL in a string; characters that a URL does not allow are percent-encoded.
    public var urlValue: URL? {
        guard case .string(let value) = self, !value.isEmpty else { return nil }
        return URL(string: value, encodingInvalidCharacters: true)
    }
}

extension SettingValue {
    /// The member of an object; nil when it is absent, or the value is not an object.
    public subscript(name: String) -> SettingValue? { dictionaryValue?[name] }

    /// The element of an array; nil when it is absent, or the value is not an array.
    public subscript(index: Int) -> SettingValue? {
        guard let elements = arrayValue, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}

/// Words that read as a boolean (FORMAT 5).
enum BooleanWord {
    /// Ignores case and surrounding white space.
    static func meaning(of text: String) -> Bool? {
        let text = NumberText.trimmed(text)
        guard text.utf8.count <= 5 else { return nil }
        switch text.lowercased() {
        case "true", "yes", "y", "t", "on", "1": return true
        case "false", "no", "n", "f", "off", "0": return false
        default: return nil
        }
    }
}
