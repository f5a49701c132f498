/// The path that a reader has reached in a JSON text.
///
/// It is looked up only when an error is made, by reading the text before the fault again, so that
/// reading a sound document does no bookkeeping.
enum JSONPath {
    /// A step of a path.
    private enum Step {
        case object(key: String?)
        case array(index: Int)
    }

    /// The longest part of a key that is shown, in characters.
    private static let longestKey = 60

    /// The path at the end of `text`, which is sound so far: `config_sections.Home.list[2]`.
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

    /// The offset of the quotation mark that closes a string, or nil when the text ends before.
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

    /// The steps as one text.
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
