public import ActiveConfigJSON

extension ConfigurationFormatError {
    /// Creates the error for a fault found by the module ActiveConfigJSON's `JSONReader`.
    ///
    /// It has the same place, reason and code.
    ///
    /// - Parameter error: The fault and its place.
    public init(_ error: JSONTextError) {
        self.init(
            Code(error.code), reason: error.reason, path: error.path, byteOffset: error.byteOffset,
            line: error.line, column: error.column)
    }
}

extension JSONFault {
    /// A fault with a code of the exchange format.
    init(_ code: ConfigurationFormatError.Code, at offset: Int, _ reason: String) {
        self.init(code.base, at: offset, reason)
    }
}

extension JSONReader {
    static func read<Value>(
        _ text: some Collection<UInt8>, limits: ConfigurationLimits,
        readValue: (inout JSONReader) throws(JSONFault) -> Value
    ) throws(ConfigurationFormatError) -> Value {
        do throws(JSONTextError) {
            return try read(
                text, maximumSize: limits.maximumSize, maximumDepth: limits.maximumDepth,
                readValue: readValue)
        } catch {
            throw ConfigurationFormatError(error)
        }
    }
}
