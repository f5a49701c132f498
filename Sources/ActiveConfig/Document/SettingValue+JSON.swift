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
        let result: Result<SettingValue, ConfigurationFormatError> =
            unsafe jsonData.withUnsafeBytes { bytes in
                do throws(JSONFault) {
                    return .success(unsafe try Self.read(bytes, limits: limits))
                } catch {
                    return unsafe .failure(error.located(in: bytes))
                }
            }
        self = try result.get()
    }

    /// Reads the value that is the whole of a text.
    private static func read(
        _ bytes: UnsafeRawBufferPointer, limits: ConfigurationLimits
    ) throws(JSONFault) -> SettingValue {
        try JSONFault.check(size: bytes.count, limit: limits.maximumSize)
        var json = unsafe JSONReader(bytes, maximumDepth: limits.maximumDepth)
        json.skipByteOrderMark()
        json.skipWhiteSpace()
        let value = try json.readValue()
        try json.expectEnd()
        return value
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
