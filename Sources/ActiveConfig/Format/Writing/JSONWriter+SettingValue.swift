import ActiveConfigJSON

/// Writes compact JSON text, keys sorted by their UTF-8.
extension JSONWriter {
    mutating func write(_ value: SettingValue) {
        guard value.isContainer else { return writeScalar(value) }
        // Not recursive: a value may be nested deeper than the stack allows.
        var outer: [OpenContainer] = []
        var container = begin(value)
        while true {
            if let nested = writeMembers(of: &container) {
                outer.append(container)
                container = begin(nested)
            } else {
                write(container.end)
                guard let last = outer.popLast() else { return }
                container = last
            }
        }
    }

    private mutating func writeScalar(_ value: SettingValue) {
        switch value {
        case .null, .array, .object: write(raw: "null")
        case .bool(let value): write(raw: value ? "true" : "false")
        case .integer(let value): write(integer: value)
        case .double(let value) where value.isFinite:
            // The shortest text that reads back the same, with a fraction or exponent (FORMAT 4.2).
            write(number: value.description)
        case .double: write(raw: "null")
        case .string(let value): write(value)
        }
    }

    private struct OpenContainer {
        var elements: [SettingValue] = []
        /// Sorted by key.
        var members: [(key: String, value: SettingValue)] = []
        /// Number of elements or members written so far.
        var count = 0
        let end: UInt8
    }

    private mutating func begin(_ container: SettingValue) -> OpenContainer {
        switch container {
        case .object(let members):
            write(UInt8(ascii: "{"))
            // Not `sortedByName()`, which makes writing a document a tenth slower.
            return OpenContainer(
                members: members.sorted { $0.key.precedes($1.key) }, end: UInt8(ascii: "}"))
        default:
            write(UInt8(ascii: "["))
            return OpenContainer(elements: container.arrayValue ?? [], end: UInt8(ascii: "]"))
        }
    }

    /// Appends members up to the next nested container, and returns that container.
    private mutating func writeMembers(of container: inout OpenContainer) -> SettingValue? {
        while container.count < container.elements.count {
            if container.count > 0 { write(UInt8(ascii: ",")) }
            let element = container.elements[container.count]
            container.count += 1
            if element.isContainer { return element }
            writeScalar(element)
        }
        while container.count < container.members.count {
            if container.count > 0 { write(UInt8(ascii: ",")) }
            let member = container.members[container.count]
            container.count += 1
            write(key: member.key)
            if member.value.isContainer { return member.value }
            writeScalar(member.value)
        }
        return nil
    }

    mutating func write(_ object: [String: SettingValue]) { write(.object(object)) }

    mutating func writeObject<Value>(
        _ object: [String: Value], writeValue: (inout JSONWriter, Value) -> Void
    ) {
        write(UInt8(ascii: "{"))
        var isFirst = true
        for (key, value) in object.sortedByName() {
            if !isFirst { write(UInt8(ascii: ",")) }
            isFirst = false
            write(key: key)
            writeValue(&self, value)
        }
        write(UInt8(ascii: "}"))
    }
}
