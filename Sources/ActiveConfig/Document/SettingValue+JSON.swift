public import Foundation

extension SettingValue {
    /// Reads any JSON value.
    ///
    /// ```swift
    /// let value = try SettingValue(jsonData: Data(#"{"limits": [1, 2.5]}"#.utf8))
    /// value.dictionaryValue?["limits"]?.arrayValue?.count  // 2
    /// ```
    ///
    /// The rules are those of the exchange format: RFC 8259, one comma before a closing bracket
    /// accepted, of two equal keys the last one counts (FORMAT 1, 4).
    ///
    /// - Parameters:
    ///   - jsonData: The value's text, UTF-8 JSON.
    ///   - limits: What the text may not exceed.
    /// - Throws: ``ConfigurationFormatError`` with the place and the reason.
    public init(
        jsonData: Data, limits: ConfigurationLimits = .default
    ) throws(ConfigurationFormatError) {
        self = try JSONReader.read(jsonData, limits: limits) {
            (json) throws(JSONFault) in try json.readValue()
        }
    }

    /// The value as compact JSON text, keys sorted, byte for byte the same for the same value.
    ///
    /// A `.double` keeps a fraction or an exponent (FORMAT 4.2). A number that JSON has no text for
    /// (infinite, or not a number) is written as `null`.
    public func jsonData() -> Data {
        var writer = JSONWriter()
        writer.write(self)
        return Data(writer.bytes)
    }
}
