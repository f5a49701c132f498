import ActiveConfigJSON

struct DocumentWriter {
    var json = JSONWriter()

    /// In bytes; an estimate for reserving capacity.
    private static let usualSettingSize = 64

    mutating func write(_ state: ConfigurationState) {
        let count = state.sections.values.reduce(0) { $0 + $1.table.settings.entries.count }
        json.reserve(count * Self.usualSettingSize)
        json.write(raw: #"{"config_sections":"#)
        json.writeObject(state.sections) { json, section in
            json.write(raw: #"{"settings":{"#)
            Self.write(section.table, to: &json)
            json.write(raw: "}}")
        }
        json.write(raw: #","meta":"#)
        json.write(state.meta)
        json.write(UInt8(ascii: "}"))
    }

    /// The fingerprint of a section's text, as it would be written.
    static func fingerprint(of table: SettingTable) -> ByteHash.Fingerprint {
        var json = JSONWriter()
        write(table, to: &json)
        return unsafe json.bytes.withUnsafeBytes { unsafe ByteHash.Fingerprint(of: $0) }
    }

    /// Sorted by name.
    private static func write(_ table: SettingTable, to json: inout JSONWriter) {
        let entries = table.settings.entries
        let order = entries.indices.sorted { entries[$0].name.precedes(entries[$1].name) }
        var isFirst = true
        for number in order {
            if !isFirst { json.write(UInt8(ascii: ",")) }
            isFirst = false
            json.write(key: entries[number].name)
            json.write(raw: #"{"value":"#)
            json.write(entries[number].value)
            json.write(UInt8(ascii: "}"))
        }
    }
}
