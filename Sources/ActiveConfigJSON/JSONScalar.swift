/// A JSON value that is neither an array nor an object.
public enum JSONScalar: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction and exponent that fits an `Int`.
    case integer(Int)
    /// Another number, rounded to the nearest `Double`.
    case double(Double)
    /// A string with its escapes replaced.
    case string(String)
}

extension JSONReader {
    /// Reads a value that is neither an array nor an object.
    ///
    /// - Returns: The value; ``text(from:)`` has a number's digits.
    /// - Throws: ``JSONFault`` when the value is invalid, or when something else is next.
    @inlinable @inline(__always)
    public mutating func readScalar() throws(JSONFault) -> JSONScalar {
        switch next {
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t"):
            try takeWord("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try takeWord("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try takeWord("null")
            return .null
        case UInt8(ascii: "-"): return try readNumber()
        case let byte? where byte &- UInt8(ascii: "0") < 10: return try readNumber()
        default: throw unexpected("a value")
        }
    }

    @inlinable @inline(__always)
    mutating func takeWord(_ word: StaticString) throws(JSONFault) {
        let count = word.utf8CodeUnitCount
        for index in 0..<count {
            guard next == (unsafe word.utf8Start[index]) else { throw unexpected(word: word) }
            offset &+= 1
        }
    }
}
