import ActiveConfigJSON

/// Reads values, nested ones without recursion.
struct SettingValueReader {
    // Stacks that are kept from one value to the next: elements, keys, and the containers that they
    // belong to.
    private var pendingValues: [SettingValue] = []
    private var pendingKeys: [String] = []
    private var openContainers: [OpenContainer] = []

    private struct OpenContainer {
        let isObject: Bool
        /// Index into `pendingValues`.
        let firstValue: Int
        /// Index into `pendingKeys`.
        let firstKey: Int
    }

    /// White space before the value is already skipped.
    @inline(__always)
    mutating func read(from json: inout JSONReader) throws(JSONFault) -> SettingValue {
        switch json.next {
        case UInt8(ascii: "{"), UInt8(ascii: "["): try readContainer(from: &json)
        default: SettingValue(try json.readScalar())
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
                pendingValues.append(SettingValue(try json.readScalar()))
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

extension SettingValue {
    @inline(__always)
    fileprivate init(_ scalar: consuming JSONScalar) {
        switch scalar {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        }
    }
}
