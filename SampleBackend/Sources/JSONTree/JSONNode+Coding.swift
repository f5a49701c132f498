public import ActiveConfig
public import ActiveConfigJSON
public import Foundation

extension JSONNode {
    /// The treatment of keys in JSON text.
    public enum KeyRule: Sendable, Hashable {
        /// A duplicate key in an object is an error, since one of its values would be lost, and so
        /// is a key with more than 256 consecutive combining marks.
        case strict
        /// Any key is accepted; the last of duplicate keys wins, as in a document (FORMAT 1.3).
        case lastCounts
    }

    /// Reads JSON text (RFC 8259), and accepts one comma before a closing bracket.
    ///
    /// - Parameters:
    ///   - jsonData: The text, UTF-8.
    ///   - limits: The limits on the text's size and depth.
    ///   - keys: The treatment of keys.
    /// - Throws: `ConfigurationFormatError` with the position and the reason.
    public init(
        jsonData: Data, limits: ConfigurationLimits = .default, keys: KeyRule = .strict
    ) throws(ConfigurationFormatError) {
        do throws(JSONTextError) {
            self = try JSONReader.read(
                jsonData, maximumSize: limits.maximumSize, maximumDepth: limits.maximumDepth
            ) { json throws(JSONFault) in
                try Self.read(from: &json, keys)
            }
        } catch {
            throw ConfigurationFormatError(error)
        }
    }

    /// Reads the next value; the reader's depth limit bounds the recursion.
    private static func read(
        from json: inout JSONReader, _ keys: KeyRule
    ) throws(JSONFault) -> JSONNode {
        switch json.next {
        case UInt8(ascii: "{"): return try readObject(from: &json, keys)
        case UInt8(ascii: "["): return try readArray(from: &json, keys)
        default:
            let start = json.position
            switch try json.readScalar() {
            case .null: return .null
            case .bool(let value): return .bool(value)
            case .string(let value): return .string(value)
            case .integer, .double: return .number(json.text(from: start))
            }
        }
    }

    private static func readArray(
        from json: inout JSONReader, _ keys: KeyRule
    ) throws(JSONFault) -> JSONNode {
        try json.takeOpeningBracket()
        var elements: [JSONNode] = []
        while try json.nextElement(isFirst: elements.isEmpty) {
            elements.append(try read(from: &json, keys))
        }
        return .array(elements)
    }

    private static func readObject(
        from json: inout JSONReader, _ keys: KeyRule
    ) throws(JSONFault) -> JSONNode {
        try json.takeOpeningBracket()
        var members: NamedValues<JSONNode> = [:]
        while try json.nextMember(isFirst: members.isEmpty) {
            let start = json.position
            let key = try json.readString()
            guard key.hasBoundedMarks else {
                throw JSONFault(
                    .syntax, at: start,
                    "the key \"\(key.shortened)\" has more than 256 combining marks in a row; "
                        + "remove some")
            }
            guard keys == .lastCounts || members[key] == nil else {
                throw JSONFault(
                    .syntax, at: start,
                    "the key \"\(key)\" occurs twice in one object; remove one of the two")
            }
            try json.takeColon()
            members[key] = try read(from: &json, keys)
        }
        return .object(members)
    }
}

extension JSONNode {
    /// White space in JSON text.
    public enum Layout: Sendable, Hashable {
        /// Without any white space.
        case compact
        /// One member per line, indented by two spaces, for people.
        case pretty
    }

    /// Returns the value as JSON text, UTF-8, with the members in order.
    ///
    /// - Parameter layout: With or without white space; a pretty text ends with a line feed.
    /// - Returns: The text.
    public func jsonData(_ layout: Layout = .compact) -> Data {
        var writer = JSONWriter()
        write(to: &writer, layout: layout, indentation: 0)
        if layout == .pretty { writer.write(UInt8(ascii: "\n")) }
        return Data(writer.bytes)
    }

    /// Appends the value as compact JSON text, with the members in order.
    ///
    /// - Parameter json: The text so far.
    public func write(to json: inout JSONWriter) {
        write(to: &json, layout: .compact, indentation: 0)
    }

    private func write(to json: inout JSONWriter, layout: Layout, indentation: Int) {
        switch self {
        case .null: json.write(raw: "null")
        case .bool(let value): json.write(raw: value ? "true" : "false")
        case .number(let text): json.write(number: text)
        case .string(let text): json.write(text)
        case .array(let elements):
            json.write(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                Self.startItem(index, of: &json, layout: layout, indentation: indentation + 1)
                element.write(to: &json, layout: layout, indentation: indentation + 1)
            }
            if !elements.isEmpty { Self.startLine(of: &json, layout, indentation) }
            json.write(UInt8(ascii: "]"))
        case .object(let members):
            json.write(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                Self.startItem(index, of: &json, layout: layout, indentation: indentation + 1)
                json.write(key: member.key)
                if layout == .pretty { json.write(UInt8(ascii: " ")) }
                member.value.write(to: &json, layout: layout, indentation: indentation + 1)
            }
            if !members.isEmpty { Self.startLine(of: &json, layout, indentation) }
            json.write(UInt8(ascii: "}"))
        }
    }

    /// Writes the comma and the white space before an element or a member.
    private static func startItem(
        _ index: Int, of json: inout JSONWriter, layout: Layout, indentation: Int
    ) {
        if index > 0 { json.write(UInt8(ascii: ",")) }
        startLine(of: &json, layout, indentation)
    }

    /// Begins an indented line in the pretty layout.
    private static func startLine(
        of json: inout JSONWriter, _ layout: Layout, _ indentation: Int
    ) {
        guard layout == .pretty else { return }
        json.write(UInt8(ascii: "\n"))
        for _ in 0..<(2 * indentation) { json.write(UInt8(ascii: " ")) }
    }
}

extension JSONNode: CustomStringConvertible {
    /// The value as compact JSON text.
    public var description: String { String(decoding: jsonData(), as: UTF8.self) }
}
