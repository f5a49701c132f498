import ActiveConfigJSON
public import Foundation

extension SettingValue {
    /// Reads any JSON value.
    ///
    /// ```swift
    /// let value = try SettingValue(jsonData: Data(#"{"limits": [1, 2.5]}"#.utf8))
    /// value.dictionaryValue?["limits"]?.arrayValue?.count  // 2
    /// ```
    ///
    /// The rules are those of the exchange format: RFC 8259; a comma before a closing bracket is
    /// accepted, and of two equal keys the last counts (FORMAT 1, 4). An integer that does not fit
    /// 64 bits becomes the nearest `.double`.
    ///
    /// - Parameters:
    ///   - jsonData: The value's text, UTF-8 JSON.
    ///   - limits: The limits on the text's size and depth.
    /// - Throws: ``ConfigurationFormatError`` with the place and the reason.
    public init(
        jsonData: Data, limits: ConfigurationLimits = .default
    ) throws(ConfigurationFormatError) {
        self = try JSONReader.read(jsonData, limits: limits) { json throws(JSONFault) in
            var values = SettingValueReader()
            return try values.read(from: &json)
        }
    }

    /// Returns the value as compact JSON text, keys sorted, byte for byte the same for the same
    /// value.
    ///
    /// A `.double` keeps a fraction or exponent (FORMAT 4.2). A number without a JSON form
    /// (infinite or NaN) is written as `null`.
    public func jsonData() -> Data {
        var writer = JSONWriter()
        writer.write(self)
        return Data(writer.bytes)
    }
}

extension SettingValue {
    /// Counts this value as the first level.
    func isNested(deeperThan levels: Int) -> Bool {
        var level = isContainer ? [self] : []
        var depth = 0
        while !level.isEmpty {
            depth += 1
            if depth > levels { return true }
            var next: [SettingValue] = []
            for container in level {
                switch container {
                case .array(let elements): next += elements.lazy.filter(\.isContainer)
                case .object(let members): next += members.values.lazy.filter(\.isContainer)
                case .null, .bool, .integer, .double, .string: break
                }
            }
            level = next
        }
        return false
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

extension SettingValue {
    /// The value for an error message: a scalar itself, shortened, or the kind of a container.
    package var excerpt: String {
        switch self {
        case .null, .array, .object: return kindDescription
        case .bool(let value): return "\(value)"
        case .double(let value) where !value.isFinite: return "the number \(value)"
        case .integer, .double: return "the number \(self)"
        case .string(let text):
            let scalars = text.unicodeScalars
            let isLong = scalars.count > 60
            let shown = SettingValue.string(String(String.UnicodeScalarView(scalars.prefix(60))))
            return "the string \(shown)\(isLong ? "…" : "")"
        }
    }
}
