/// A fault of a JSON text with its place, as reported by ``JSONReader``.
///
/// ```text
/// Line 4, column 17, byte 71, in colors.list[2]: a string holds the control character 0x9; write
/// it as an escape.
/// ```
public struct JSONTextError: Error, Sendable, Hashable {
    /// The kind of fault.
    public let code: JSONFault.Code
    /// The fault and what to do, without the place.
    public let reason: String
    /// The fault's place in the text, in bytes from 0.
    public let byteOffset: Int
    /// The fault's line, from 1.
    public let line: Int
    /// The fault's column in its line, from 1, in Unicode scalars.
    public let column: Int
    /// The path reached, such as `colors.list[2]`; "" at the outermost value.
    public let path: String

    /// Looks up the place of a fault in its text.
    init(_ fault: JSONFault, in text: UnsafeRawBufferPointer) {
        code = fault.code
        reason = fault.reason
        byteOffset = fault.offset
        let before = unsafe UnsafeRawBufferPointer(
            rebasing: text[..<min(fault.offset, text.count)])
        var line = 1
        // Editors do not count a byte order mark as a column.
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
        self.line = line
        self.column = column
        path = code == .tooLarge ? "" : unsafe JSONPath.path(atEndOf: before)
    }
}

extension JSONTextError: CustomStringConvertible {
    /// One sentence with the place, the fault and what to do.
    public var description: String {
        let place = path.isEmpty ? "the document" : path
        return "Line \(line), column \(column), byte \(byteOffset), in \(place): \(reason)."
    }
}

/// Path of a position in a JSON text.
///
/// Found by rereading the text before it, only for an error, so that reading a valid document needs
/// no bookkeeping.
enum JSONPath {
    private enum Step {
        case object(key: String?)
        case array(index: Int)
    }

    /// In characters.
    private static let longestKey = 60

    /// Path at the end of `text`, which is valid so far: `config_sections.Home.list[2]`.
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
