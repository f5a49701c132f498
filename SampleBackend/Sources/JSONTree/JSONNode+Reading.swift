@_spi(JSON) public import ActiveConfig
public import Foundation
import OrderedCollections

extension JSONNode {
    /// Reads JSON text: RFC 8259, with one comma before a closing bracket accepted.
    ///
    /// A key that stands twice in one object is an error: one of the two values would be lost.
    ///
    /// - Parameters:
    ///   - jsonData: The text, UTF-8.
    ///   - limits: What the text may not exceed.
    /// - Throws: `ConfigurationFormatError` with the place and the reason.
    public init(
        jsonData: Data, limits: ConfigurationLimits = .default
    ) throws(ConfigurationFormatError) {
        self = try JSONReader.read(jsonData, limits: limits, readValue: Self.read)
    }

    /// Reads the value that is next; the reader's limit of depth bounds the recursion.
    private static func read(from json: inout JSONReader) throws(JSONFault) -> JSONNode {
        switch json.next {
        case UInt8(ascii: "{"): return try readObject(from: &json)
        case UInt8(ascii: "["): return try readArray(from: &json)
        default:
            let start = json.position
            switch try json.readScalar() {
            case .null: return .null
            case .bool(let value): return .bool(value)
            case .string(let value): return .string(value)
            default:
                let text = unsafe json.bytes[start..<json.position]
                return .number(unsafe String(decoding: text, as: UTF8.self))
            }
        }
    }

    /// Reads the array whose bracket is next.
    private static func readArray(from json: inout JSONReader) throws(JSONFault) -> JSONNode {
        try json.takeOpeningBracket()
        var elements: [JSONNode] = []
        while try json.nextElement(isFirst: elements.isEmpty) {
            elements.append(try read(from: &json))
        }
        return .array(elements)
    }

    /// Reads the object whose bracket is next.
    private static func readObject(from json: inout JSONReader) throws(JSONFault) -> JSONNode {
        try json.takeOpeningBracket()
        var members: OrderedDictionary<String, JSONNode> = [:]
        while try json.nextMember(isFirst: members.isEmpty) {
            let start = json.position
            let key = try json.readString()
            guard members[key] == nil else {
                throw JSONFault(
                    .syntax, at: start,
                    "the key \"\(key)\" stands twice in one object; remove one of the two")
            }
            try json.takeColon()
            members[key] = try read(from: &json)
        }
        return .object(members)
    }
}
