public import Foundation

extension ConfigurationState {
    /// Reads a document of the exchange format, all of FORMAT.
    ///
    /// - Parameter jsonData: The document, UTF-8 JSON.
    /// - Throws: ``ConfigurationFormatError`` with the place and the reason.
    public init(jsonData: Data) throws(ConfigurationFormatError) {
        try self.init(jsonData: jsonData, limits: .default)
    }

    /// Reads a document of the exchange format, within limits of one's own.
    ///
    /// - Parameters:
    ///   - jsonData: The document, UTF-8 JSON.
    ///   - limits: What the document may not exceed.
    /// - Throws: ``ConfigurationFormatError`` with the place and the reason.
    public init(
        jsonData: Data, limits: ConfigurationLimits
    ) throws(ConfigurationFormatError) {
        let result: Result<ConfigurationState, ConfigurationFormatError> =
            unsafe jsonData.withUnsafeBytes { bytes in
                do throws(ConfigurationFormatError) {
                    return .success(unsafe try DocumentReader.read(bytes, limits: limits))
                } catch {
                    return .failure(error)
                }
            }
        self = try result.get()
    }

    /// The document in the exchange format, without ``entityTag``.
    ///
    /// It is compact, its keys are sorted, and it is byte for byte the same for the same
    /// configuration in whatever order that was put together. Configurations that are equal but spelled differently, as `0.0` and `-0.0` or é and e with a
    /// combining accent, keep their spelling.
    ///
    /// A number that JSON has no text for (infinite, or not a number) is written as `null`.
    public func jsonData() -> Data {
        var writer = DocumentWriter()
        writer.write(self)
        return Data(writer.json.bytes)
    }
}
