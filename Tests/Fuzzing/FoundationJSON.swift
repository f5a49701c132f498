import Foundation

/// Foundation's JSON reader as a reference for the fuzzed reader, with their known differences.
enum FoundationJSON {
    /// Value that Foundation reads; nil if it refuses the text.
    static func read(_ text: Data) -> Any? {
        try? JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed)
    }

    /// True if Foundation may accept a text that our reader refused with `error`.
    static func differsOnPurpose(on text: Data, _ error: ConfigurationFormatError) -> Bool {
        // Foundation accepts up to 512 levels.
        if error.code == .tooDeep { return true }
        // Foundation also accepts UTF-16 and UTF-32, which it detects by a byte order mark or by a
        // zero byte at the start.
        let start = text.prefix(4)
        return start.contains(0) || start.starts(with: [0xFF, 0xFE])
            || start.starts(with: [0xFE, 0xFF])
    }

    /// Removes commas before closing brackets, the one leniency (FORMAT 1.2), from an accepted
    /// text.
    static func withoutTrailingCommas(_ text: Data) -> Data {
        var result = Data()
        result.reserveCapacity(text.count)
        var comma: Int?
        var isInString = false
        var isEscaped = false
        for byte in text {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
            } else {
                switch byte {
                case UInt8(ascii: ","): comma = result.count
                case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                    break
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if let comma { result[comma] = UInt8(ascii: " ") }
                    comma = nil
                default:
                    comma = nil
                    isInString = byte == UInt8(ascii: "\"")
                }
            }
            result.append(byte)
        }
        return result
    }

    /// True if Foundation's result equals `value`; a whole number may be of the other kind.
    static func agrees(_ any: Any, with value: SettingValue) -> Bool {
        switch value {
        case .null: return any is NSNull
        case .string(let string):
            return (any as? String).map(withoutMarks) == withoutMarks(string)
        case .bool(let bool):
            guard let number = any as? NSNumber else { return false }
            return number.isBoolean && number.boolValue == bool
        case .integer(let integer):
            guard let number = any as? NSNumber else { return false }
            return !number.isBoolean && number.int64Value == Int64(integer)
        case .double(let double):
            guard let number = any as? NSNumber else { return false }
            // Foundation represents a large integer as a decimal, whose double value is not the
            // nearest.
            let error = abs(number.doubleValue - double)
            return !number.isBoolean && error <= abs(double) * 1e-14
        case .array(let elements):
            guard let other = any as? [Any], other.count == elements.count else { return false }
            return zip(other, elements).allSatisfy { agrees($0, with: $1) }
        case .object(let members):
            guard let other = any as? [String: Any] else { return false }
            // Foundation may treat names that differ only in byte order marks as one name.
            guard Set(members.keys.map(withoutMarks)).count == members.count else { return true }
            guard other.count == members.count else { return false }
            let peers = Dictionary(
                other.map { (withoutMarks($0.key), $0.value) }, uniquingKeysWith: { $1 })
            return members.allSatisfy { key, member in
                peers[withoutMarks(key)].map { agrees($0, with: member) } ?? false
            }
        }
    }

    /// Removes byte order marks, which Foundation drops at the start of a string and after an
    /// escape.
    private static func withoutMarks(_ string: String) -> String {
        String(String.UnicodeScalarView(string.unicodeScalars.filter { $0 != "\u{FEFF}" }))
    }
}
