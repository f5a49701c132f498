public import Foundation

extension JSONReader {
    /// Reads a text that is one value, from its first byte to its last.
    ///
    /// - Parameters:
    ///   - text: The text, UTF-8 JSON.
    ///   - limits: The limits on the text's size and depth.
    ///   - readValue: Reads the value, white space before it already skipped.
    /// - Returns: The result of `readValue`.
    /// - Throws: ``ConfigurationFormatError`` with the place and the reason.
    public static func read<Value>(
        _ text: Data, limits: ConfigurationLimits,
        readValue: (inout JSONReader) throws(JSONFault) -> Value
    ) throws(ConfigurationFormatError) -> Value {
        let result: Result<Value, ConfigurationFormatError> =
            unsafe text.withUnsafeBytes { bytes in
                do throws(JSONFault) {
                    try JSONFault.check(size: bytes.count, limit: limits.maximumSize)
                    var json = unsafe JSONReader(bytes, maximumDepth: limits.maximumDepth)
                    json.skipByteOrderMark()
                    json.skipWhiteSpace()
                    let value = try readValue(&json)
                    try json.expectEnd()
                    return .success(value)
                } catch {
                    return unsafe .failure(error.located(in: bytes))
                }
            }
        return try result.get()
    }
}
