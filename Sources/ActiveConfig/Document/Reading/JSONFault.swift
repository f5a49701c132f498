/// What is wrong with a text and at which byte; a ``ConfigurationFormatError`` before its line and
/// path are looked up.
struct JSONFault: Error {
    /// The kind of fault.
    let code: ConfigurationFormatError.Code
    /// The fault's place, in bytes from 0.
    let offset: Int
    /// What is wrong and what to do.
    let reason: String

    /// Makes a fault.
    init(_ code: ConfigurationFormatError.Code, at offset: Int, _ reason: String) {
        self.code = code
        self.offset = offset
        self.reason = reason
    }

    /// The error to throw, with the place in `bytes`.
    func located(in bytes: UnsafeRawBufferPointer) -> ConfigurationFormatError {
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
