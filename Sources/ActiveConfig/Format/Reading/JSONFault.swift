/// A fault and its byte offset: a ``ConfigurationFormatError`` before its line and path are looked
/// up.
@_spi(JSON)
public struct JSONFault: Error {
    /// The kind of fault.
    public let code: ConfigurationFormatError.Code
    /// The fault's place, in bytes from 0.
    public let offset: Int
    /// The fault and what to do.
    public let reason: String

    /// Creates a fault.
    public init(_ code: ConfigurationFormatError.Code, at offset: Int, _ reason: String) {
        self.code = code
        self.offset = offset
        self.reason = reason
    }

    /// Checks a text's size against its limit, both in bytes (FORMAT 1.4).
    ///
    /// - Throws: ``JSONFault`` when the text is larger.
    public static func check(size: Int, limit: Int) throws(JSONFault) {
        guard size > limit else { return }
        throw JSONFault(
            .tooLarge, at: limit,
            "the document has \(size) bytes, over the limit of \(limit); send less, or raise the "
                + "limit")
    }

    /// Returns the error to throw, with the place in `bytes`.
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

/// Path of a place in a JSON text.
///
/// Found by rereading the text before the place, only for an error, so that reading a sound
/// document does no bookkeeping.
enum JSONPath {
    private enum Step {
        case object(key: String?)
        case array(index: Int)
    }

    /// In characters.
    private static let longestKey = 60

    /// Path at the end of `text`, which is sound so far: `config_sections.Home.list[2]`.
    static func path(atEndOf text: UnsafeRawBufferPointer) -> String {
        var steps: [Step] = []
        var position = 0
        var expectsKey = false
        while position < text.count {
            let byte = unsafe text[position]
            position += 1
            switch byte {
            case UInt8(ascii: "{"):
                steps.append(.object(key: nil))
                expectsKey = true
            case UInt8(ascii: "["):
                steps.append(.array(index: 0))
                expectsKey = false
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = steps.popLast()
                expectsKey = false
            case UInt8(ascii: ","):
                switch steps.last {
                case .object:
                    steps[steps.count - 1] = .object(key: nil)
                    expectsKey = true
                case .array(let index): steps[steps.count - 1] = .array(index: index + 1)
                case nil: break
                }
            case UInt8(ascii: "\""):
                guard let end = unsafe endOfString(in: text, from: position) else {
                    return describe(steps)
                }
                if expectsKey, case .object = steps.last {
                    let key = unsafe String(decoding: text[position..<end], as: UTF8.self)
                    steps[steps.count - 1] = .object(key: key)
                    expectsKey = false
                }
                position = end + 1
            default: break
            }
        }
        return describe(steps)
    }

    /// Offset of the closing quotation mark; nil when the text ends first.
    private static func endOfString(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var position = start
        while position < text.count {
            switch unsafe text[position] {
            case UInt8(ascii: "\\"): position += 2
            case UInt8(ascii: "\""): return position
            default: position += 1
            }
        }
        return nil
    }

    private static func describe(_ steps: [Step]) -> String {
        var path = ""
        for step in steps {
            switch step {
            case .object(key: nil): break
            case .object(let key?):
                if !path.isEmpty { path += "." }
                path += key.count > longestKey ? key.prefix(longestKey) + "…" : key
            case .array(let index): path += "[\(index)]"
            }
        }
        return path
    }
}
