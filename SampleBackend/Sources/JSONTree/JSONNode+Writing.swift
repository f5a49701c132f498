@_spi(JSON) import ActiveConfig
public import Foundation
import OrderedCollections

extension JSONNode {
    /// A type that says how JSON text is laid out.
    public enum Layout: Sendable, Hashable {
        /// Without any white space.
        case compact
        /// A member a line, indented by two spaces, for people.
        case pretty
    }

    /// The value as JSON text, UTF-8, members in their order.
    ///
    /// - Parameter layout: With or without white space; a pretty text ends with a line feed.
    /// - Returns: The text.
    public func jsonData(_ layout: Layout = .compact) -> Data {
        var writer = JSONWriter()
        write(to: &writer, layout: layout, indentation: 0)
        if layout == .pretty { writer.write(UInt8(ascii: "\n")) }
        return Data(writer.bytes)
    }

    /// Appends the value.
    private func write(to json: inout JSONWriter, layout: Layout, indentation: Int) {
        switch self {
        case .null: json.write(raw: "null")
        case .bool(let value): json.write(raw: value ? "true" : "false")
        case .number(let text): for byte in text.utf8 { json.write(byte) }
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

    /// Goes to where an element or member begins.
    private static func startItem(
        _ index: Int, of json: inout JSONWriter, layout: Layout, indentation: Int
    ) {
        if index > 0 { json.write(UInt8(ascii: ",")) }
        startLine(of: &json, layout, indentation)
    }

    /// Begins a line, in the pretty layout.
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
