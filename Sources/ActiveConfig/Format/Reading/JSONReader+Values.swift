extension JSONReader {
    /// White space before the value is already skipped.
    @inline(__always)
    mutating func readValue() throws(JSONFault) -> SettingValue {
        switch next {
        case UInt8(ascii: "{"), UInt8(ascii: "["): try readContainer()
        default: try readScalar()
        }
    }

    /// Reads a value that is no array and no object.
    @inline(__always)
    public mutating func readScalar() throws(JSONFault) -> SettingValue {
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

    @inline(__always)
    private mutating func takeWord(_ word: StaticString) throws(JSONFault) {
        let count = word.utf8CodeUnitCount
        for index in 0..<count {
            guard next == (unsafe word.utf8Start[index]) else { throw unexpected("\"\(word)\"") }
            position &+= 1
        }
    }

    /// Reads an array or object without recursion.
    mutating func readContainer() throws(JSONFault) -> SettingValue {
        try open()
        var isFirst = true
        while let container = openContainers.last {
            let isOpen =
                container.isObject
                ? try nextMember(isFirst: isFirst) : try nextElement(isFirst: isFirst)
            if isOpen {
                if container.isObject {
                    pendingKeys.append(try readString())
                    try takeColon()
                }
                if next == UInt8(ascii: "{") || next == UInt8(ascii: "[") {
                    try open()
                    isFirst = true
                    continue
                }
                pendingValues.append(try readScalar())
            } else {
                openContainers.removeLast()
                let value = close(container)
                if openContainers.isEmpty { return value }
                pendingValues.append(value)
            }
            isFirst = false
        }
        return .null
    }

    private mutating func open() throws(JSONFault) {
        let isObject = next == UInt8(ascii: "{")
        try takeOpeningBracket()
        openContainers.append(
            OpenContainer(
                isObject: isObject, firstValue: pendingValues.count, firstKey: pendingKeys.count))
    }

    /// Pops the elements of a closed container.
    ///
    /// Holds no slice of a stack while cutting it: the stack would be copied as a whole, and a long
    /// list of small arrays would take quadratic time.
    private mutating func close(_ container: OpenContainer) -> SettingValue {
        let count = pendingValues.count - container.firstValue
        defer { pendingValues.removeLast(count) }
        guard container.isObject else {
            return .array(Array(pendingValues[container.firstValue...]))
        }
        var object: [String: SettingValue] = [:]
        object.reserveCapacity(count)
        for index in 0..<count {
            let key = pendingKeys[container.firstKey + index]
            object[key] = pendingValues[container.firstValue + index]
        }
        pendingKeys.removeLast(count)
        return .object(object)
    }
}
