import Foundation

@_spi(JSON) @testable import ActiveConfig

/// JSON texts of any kind, for the internal reader: the public API takes objects only.
enum JSONText {
    /// Value of a whole text.
    static func read(
        _ text: Data, maximumDepth: Int = ConfigurationLimits.default.maximumDepth
    ) throws(ConfigurationFormatError) -> SettingValue {
        let result: Result<SettingValue, ConfigurationFormatError> =
            unsafe text.withUnsafeBytes { bytes in
                do throws(JSONFault) {
                    var reader = unsafe JSONReader(bytes, maximumDepth: maximumDepth)
                    reader.skipByteOrderMark()
                    reader.skipWhiteSpace()
                    let value = try reader.readValue()
                    reader.skipWhiteSpace()
                    guard reader.next == nil else {
                        throw JSONFault(.contentAfterDocument, at: reader.position, "more follows")
                    }
                    return .success(value)
                } catch {
                    return .failure(unsafe error.located(in: bytes))
                }
            }
        return try result.get()
    }
}
