/// A writer of compact JSON text, keys sorted by their UTF-8.
@_spi(JSON)
public struct JSONWriter: Sendable {
    /// The text so far.
    public private(set) var bytes: [UInt8] = []
    /// Stack of containers around the one that is being written.
    private var open: [OpenContainer] = []

    /// Creates a writer of an empty text.
    public init() {}

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    /// Appends a byte, such as a bracket or a comma.
    public mutating func write(_ byte: UInt8) { bytes.append(byte) }

    /// Appends text as it is.
    public mutating func write(raw text: StaticString) {
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func write(_ value: SettingValue) {
        guard value.isContainer else { return writeScalar(value) }
        // Not recursive: a value may be nested deeper than the stack allows.
        var container = begin(value)
        while true {
            if let nested = writeMembers(of: &container) {
                open.append(container)
                container = begin(nested)
            } else {
                write(container.end)
                guard let outer = open.popLast() else { return }
                container = outer
            }
        }
    }

    private mutating func writeScalar(_ value: SettingValue) {
        switch value {
        case .null, .array, .object: write(raw: "null")
        case .bool(let value): write(raw: value ? "true" : "false")
        case .integer(let value): bytes.append(contentsOf: value.description.utf8)
        case .double(let value) where value.isFinite:
            // The shortest text that reads back the same, with a fraction or exponent (FORMAT 4.2).
            bytes.append(contentsOf: value.description.utf8)
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
        for (key, value) in object.sorted(by: { $0.key.precedes($1.key) }) {
            if !isFirst { write(UInt8(ascii: ",")) }
            isFirst = false
            write(key: key)
            writeValue(&self, value)
        }
        write(UInt8(ascii: "}"))
    }

    /// Appends a key and its colon.
    public mutating func write(key: String) {
        write(key)
        write(UInt8(ascii: ":"))
    }

    /// Appends a string in quotation marks.
    public mutating func write(_ string: String) {
        write(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { content in
            var runStart = 0
            var index = 0
            while index < content.count {
                // Eight bytes a step, up to the first special one.
                if content.count &- index >= 8 {
                    let marks = JSONReader.marks(
                        in: UInt64(
                            littleEndian: unsafe UnsafeRawBufferPointer(content).loadUnaligned(
                                fromByteOffset: index, as: UInt64.self)))
                    index &+= marks.trailingZeroBitCount / 8
                    if marks == 0 { continue }
                }
                let byte = unsafe content[index]
                if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                    unsafe bytes.append(
                        contentsOf: UnsafeBufferPointer(rebasing: content[runStart..<index]))
                    writeEscape(byte)
                    runStart = index + 1
                }
                index &+= 1
            }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: content[runStart...]))
        }
        write(UInt8(ascii: "\""))
    }

    private mutating func writeEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): write(raw: #"\""#)
        case UInt8(ascii: "\\"): write(raw: #"\\"#)
        case 0x0A: write(raw: #"\n"#)
        case 0x0D: write(raw: #"\r"#)
        case 0x09: write(raw: #"\t"#)
        default:
            let digits = String(byte, radix: 16)
            bytes.append(contentsOf: (digits.count == 1 ? #"\u000"# : #"\u00"#).utf8)
            bytes.append(contentsOf: digits.utf8)
        }
    }
}
