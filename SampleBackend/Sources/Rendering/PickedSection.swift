import ActiveConfigJSON
import JSONTree

/// A setting of a document; its value is never `omitted`.
typealias PickedSetting = (key: String, value: CompiledValue)

/// The values of a section's settings for the users of a basis.
struct PickedSection {
    /// Sorted by the UTF-8 of their keys.
    let parameters: [CompiledParameter]

    let basis: DocumentBasis

    let overrides: [String: JSONNode]

    /// The settings of a document, sorted by the UTF-8 of their keys.
    var settings: [PickedSetting] {
        let settings = parameters.compactMap { parameter -> PickedSetting? in
            let value = parameter.value(for: basis.results)
            if case .omitted = value { return nil }
            return (parameter.key, value)
        }
        guard !overrides.isEmpty else { return settings }
        var values = Dictionary(settings, uniquingKeysWith: { first, _ in first })
        for (key, value) in overrides { values[key] = CompiledValue(value) }
        return values.sorted { $0.key.precedes($1.key) }
    }

    /// True when another section has the same values.
    func hasSameValues(as other: PickedSection) -> Bool {
        // Most publishes leave the keys unchanged, so no list of settings is built for them.
        if overrides.isEmpty, other.overrides.isEmpty,
            parameters.count == other.parameters.count,
            zip(parameters, other.parameters).allSatisfy({ $0.key == $1.key })
        {
            return zip(parameters, other.parameters).allSatisfy { mine, theirs in
                mine.value(for: basis.results) == theirs.value(for: other.basis.results)
            }
        }
        return settings.elementsEqual(other.settings, by: ==)
    }
}

extension JSONWriter {
    /// Appends a section of a document with its settings (FORMAT 3).
    mutating func write(_ settings: [PickedSetting], forUserID userID: String?) {
        write(raw: #"{"settings":"#)
        writeObject(settings) { json, value in
            json.write(raw: #"{"value":"#)
            value.write(to: &json, forUserID: userID)
            json.write(UInt8(ascii: "}"))
        }
        write(UInt8(ascii: "}"))
    }

    /// Appends an object with members in their order.
    mutating func writeObject<Value>(
        _ members: some Sequence<(key: String, value: Value)>,
        writeValue: (inout JSONWriter, Value) -> Void
    ) {
        write(UInt8(ascii: "{"))
        var isFirst = true
        for (key, value) in members {
            if !isFirst { write(UInt8(ascii: ",")) }
            isFirst = false
            write(key: key)
            writeValue(&self, value)
        }
        write(UInt8(ascii: "}"))
    }
}
