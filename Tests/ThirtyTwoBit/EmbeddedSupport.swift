// Replacements for declarations that the sources need but Embedded Swift cannot compile.

/// `SettingValue` without its conformances.
public enum SettingValue {
    case null
    case bool(Bool)
    case integer(Int)
    case double(Double)
    case string(String)
    case array([SettingValue])
    case object([String: SettingValue])
}

// Without these overloads, the text of an error would be built by a dynamic cast.
extension DefaultStringInterpolation {
    mutating func appendInterpolation(_ scalar: Unicode.Scalar) {
        appendLiteral(String(Character(scalar)))
    }

    mutating func appendInterpolation(_ text: Substring) { appendLiteral(String(text)) }

    mutating func appendInterpolation(_ text: StaticString) {
        text.withUTF8Buffer { appendLiteral(String(decoding: $0, as: UTF8.self)) }
    }
}
