import ActiveConfigJSON
import JSONTree

/// A document or a change being written, with the positions of the user's ID.
struct DocumentText {
    var json = JSONWriter()

    /// The user's ID escaped for JSON, without quotation marks; nil leaves a gap at each position.
    private let userID: String?

    /// Byte offsets of the gaps.
    private(set) var gaps: [Int] = []

    /// The positions of the members of `meta` that entity tags exclude; empty until
    /// ``CompiledMeta`` is written.
    var versionMembers = VersionMembers(time: 0..<0, version: 0..<0)

    /// Creates an empty text with gaps.
    init() { userID = nil }

    /// Creates an empty text for a user; nil means the generic user.
    init(forUserID userID: String?) { self.userID = Self.escaped(userID ?? "") }

    /// A string escaped for JSON, without the quotation marks.
    static func escaped(_ text: String) -> String {
        var json = JSONWriter()
        json.write(text)
        return String(decoding: json.bytes.dropFirst().dropLast(), as: UTF8.self)
    }

    /// Appends the user's ID, or leaves a gap.
    mutating func writeUserID() {
        if let userID { json.write(number: userID) } else { gaps.append(json.bytes.count) }
    }

    /// Appends a section of a document with its settings (FORMAT 3).
    mutating func write(_ settings: [PickedSetting]) {
        json.write(raw: #"{"settings":"#)
        writeObject(settings) { text, value in
            text.json.write(raw: #"{"value":"#)
            value.write(to: &text)
            text.json.write(UInt8(ascii: "}"))
        }
        json.write(UInt8(ascii: "}"))
    }

    /// Appends an object with its members in the given order.
    mutating func writeObject<Value>(
        _ members: some Sequence<(key: String, value: Value)>,
        writeValue: (inout DocumentText, Value) -> Void
    ) {
        json.write(UInt8(ascii: "{"))
        var isFirst = true
        for (key, value) in members {
            if !isFirst { json.write(UInt8(ascii: ",")) }
            isFirst = false
            json.write(key: key)
            writeValue(&self, value)
        }
        json.write(UInt8(ascii: "}"))
    }
}
