import ActiveConfigJSON
import JSONTree

/// The text of a document or of a change while it is written, with the places of the user's ID.
struct DocumentText {
    var json = JSONWriter()

    /// The user's ID in a JSON string, without the quotation marks; nil leaves a gap in each place.
    private let userID: String?

    /// Offsets of the gaps.
    private(set) var gaps: [Int] = []

    /// The places of the members of `meta` that tags leave out; empty before ``CompiledMeta`` is
    /// written.
    var versionMembers = VersionMembers(time: 0..<0, version: 0..<0)

    /// Creates an empty text with gaps.
    init() { userID = nil }

    /// Creates an empty text for a user; nil is the generic user.
    init(forUserID userID: String?) { self.userID = Self.escaped(userID ?? "") }

    /// A text in a JSON string, without the quotation marks.
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

    /// Appends an object with members in their order.
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
