/// What is wrong with a text and at which byte; a ``ConfigurationFormatError`` before its line and
/// path are looked up.
@_spi(JSON)
public struct JSONFault: Error {
    /// The kind of fault.
    public let code: ConfigurationFormatError.Code
    /// The fault's place, in bytes from 0.
    public let offset: Int
    /// What is wrong and what to do.
    public let reason: String

    /// Makes a fault.
    public init(_ code: ConfigurationFormatError.Code, at offset: Int, _ reason: String) {
        self.code = code
        self.offset = offset
        self.reason = reason
    }

    /// Throws when a text has more bytes than its limit (FORMAT 1.4).
    public static func check(size: Int, limit: Int) throws(JSONFault) {
        guard size > limit else { return }
        throw JSONFault(
            .tooLarge, at: limit,
            "the document has \(size) bytes, over the limit of \(limit); send less, or raise the "
                + "limit")
    }

    /// The error to throw, with the place in `bytes`.
    public func located(in bytes: UnsafeRawBufferPointer) -> ConfigurationFormatError {
        let before = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<min(offset, bytes.count)])
        var line = 1
        // No editor counts a byte order mark as a column.
        var column = unsafe before.starts(with: [0xEF, 0xBB, 0xBF]) ? 0 : 1
        for index in 0..<before.count {
            let byte = unsafe before[index]
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        let path = code == .tooLarge ? "" : unsafe JSONPath.path(atEndOf: before)
        return ConfigurationFormatError(
            code, reason: reason, path: path, byteOffset: offset, line: line, column: column)
    }
}
