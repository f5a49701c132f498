import ActiveConfigJSON

/// Reads values, nested ones without recursion.
struct SettingValueReader {
    // Stacks reused from one value to the next: elements, keys, and their containers.
    private var pendingValues: [SettingValue] = []
    private var pendingKeys: [String] = []
    private var openContainers: [OpenContainer] = []
    /// The first integer beyond `Int` in the values read since this was nil.
    var largeInteger: String?

    private struct OpenContainer {
        let isObject: Bool
        /// Index into `pendingValues`.
        let firstValue: Int
        /// Index into `pendingKeys`.
        let firstKey: Int
    }

    /// Leading white space is already skipped.
    @inline(__always)
    mutating func read(from json: inout JSONReader) throws(JSONFault) -> SettingValue {
        switch json.next {
        case UInt8(ascii: "{"), UInt8(ascii: "["): try readContainer(from: &json)
        default: try readScalar(from: &json)
        }
    }

    @inline(__always)
    private mutating func readScalar(
        from json: inout JSONReader
    ) throws(JSONFault) -> SettingValue {
        let start = json.position
        switch try json.readScalar() {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .double(let value):
            // No integer beyond `Int` is nearer to zero.
            if value.magnitude >= -Double(Int.min), largeInteger == nil {
                largeInteger = json.largeInteger(from: start)
            }
            return .double(value)
        case .string(let value): return .string(value)
        }
    }

    private mutating func readContainer(
        from json: inout JSONReader
    ) throws(JSONFault) -> SettingValue {
        try open(&json)
        var isFirst = true
        while let container = openContainers.last {
            let isOpen =
                container.isObject
                ? try json.nextMember(isFirst: isFirst) : try json.nextElement(isFirst: isFirst)
            if isOpen {
                if container.isObject {
                    pendingKeys.append(try json.readString())
                    try json.takeColon()
                }
                if json.next == UInt8(ascii: "{") || json.next == UInt8(ascii: "[") {
                    try open(&json)
                    isFirst = true
                    continue
                }
                pendingValues.append(try readScalar(from: &json))
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

    private mutating func open(_ json: inout JSONReader) throws(JSONFault) {
        let isObject = json.next == UInt8(ascii: "{")
        try json.takeOpeningBracket()
        openContainers.append(
            OpenContainer(
                isObject: isObject, firstValue: pendingValues.count, firstKey: pendingKeys.count))
    }

    /// Pops the elements of a closed container.
    ///
    /// Holds no slice of a stack while truncating it, which would copy the whole stack: a long list
    /// of small arrays would take quadratic time.
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

extension JSONReader {
    /// The text from `start` to the current position if it is an integer beyond `Int`; nil for any
    /// other scalar.
    @inline(never)
    fileprivate func largeInteger(from start: Int) -> String? {
        let text = text(from: start)
        return NumberText.isLargeInteger(text) ? text : nil
    }
}
