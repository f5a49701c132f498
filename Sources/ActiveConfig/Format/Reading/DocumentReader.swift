import ActiveConfigJSON

/// Reads the exchange format in one pass (FORMAT 1 to 4).
///
/// Settings go straight from the bytes into their section's table. Members that the format ignores
/// are validated as JSON and dropped.
package struct DocumentReader {
    private var json: JSONReader
    private var values = SettingValueReader()
    private var allowance = ShapeProblem.Allowance()
    /// Capacity hint: a document's sections often have similar sizes.
    private var lastSettingCount = 0
    /// Limit of that hint.
    private static let mostReserved = 1_024

    /// A member that must be an object.
    private enum Required<Value> {
        case absent
        case notAnObject(offset: Int)
        case present(Value)
    }

    static func read(
        _ text: some Collection<UInt8>, limits: ConfigurationLimits
    ) throws(ConfigurationFormatError) -> ConfigurationState {
        try JSONReader.read(text, limits: limits) { json throws(JSONFault) in
            var reader = DocumentReader(json: json)
            let state = try reader.readDocument()
            try reader.checkVersion(in: state.meta, documentStart: json.position)
            json = reader.json
            return state
        }
    }

    /// Reads a change of a document: an object with the changed sections as its member `sections`.
    ///
    /// - Returns: The other members, and the sections, of which one that is not an object is nil;
    ///   no sections when they are not an object.
    package static func readChange(
        _ text: some Collection<UInt8>, limits: ConfigurationLimits
    ) throws(ConfigurationFormatError) -> (
        members: [String: SettingValue], sections: [String: ActiveConfigSection?]?
    ) {
        try JSONReader.read(text, limits: limits) { json throws(JSONFault) in
            var reader = DocumentReader(json: json)
            let change = try reader.readChange()
            json = reader.json
            return change
        }
    }

    private init(json: JSONReader) { self.json = json }

    private mutating func readDocument() throws(JSONFault) -> ConfigurationState {
        let start = json.position
        guard json.next == UInt8(ascii: "{") else {
            _ = try values.read(from: &json)
            throw JSONFault(
                .notAnObject, at: start,
                "the document is not an object; wrap it in {\"meta\": …, \"config_sections\": …}")
        }
        var meta: Required<[String: SettingValue]> = .absent
        var sections: Required<[String: ActiveConfigSection]> = .absent
        try json.takeOpeningBracket()
        var isFirst = true
        while try json.nextMember(isFirst: isFirst) {
            isFirst = false
            let key = try json.readStringToken()
            let isMeta = try json.isEqual(key, to: "meta")
            let isSections = try json.isEqual(key, to: "config_sections")
            _ = isMeta || isSections ? "" : try json.makeString(key)
            try json.takeColon()
            let offset = json.position
            if isSections, json.next == UInt8(ascii: "{") {
                sections = .present(
                    try readMembers { (reader, _) throws(JSONFault) in try reader.readSection() })
            } else {
                let value = try values.read(from: &json)
                if isMeta {
                    meta =
                        value.dictionaryValue.map { .present($0) } ?? .notAnObject(offset: offset)
                } else if isSections {
                    sections = .notAnObject(offset: offset)
                }
            }
        }
        try json.expectEnd()
        return ConfigurationState(
            meta: try unwrap(meta, name: "meta", code: .metaMissing, documentStart: start),
            sections: try unwrap(
                sections, name: "config_sections", code: .sectionsMissing, documentStart: start))
    }

    /// - Throws: a fault with its place when the version is too new (FORMAT 2.2).
    private mutating func checkVersion(
        in meta: [String: SettingValue], documentStart: Int
    ) throws(JSONFault) {
        let reason: String
        do throws(ConfigurationFormatError) {
            try FormatVersion.check(meta)
            return
        } catch {
            reason = error.reason
        }
        json.offset = documentStart
        try goToValue(ofMember: "meta")
        try goToValue(ofMember: "format_version_string")
        throw JSONFault(.unsupportedFormatVersion, at: json.position, reason)
    }

    /// Moves to the value of the object's last member `name`.
    ///
    /// The text is known to be valid; only the place of an error is needed.
    private mutating func goToValue(
        ofMember name: StaticString
    ) throws(JSONFault) {
        var offset = json.position
        try json.takeOpeningBracket()
        var isFirst = true
        while try json.nextMember(isFirst: isFirst) {
            isFirst = false
            let key = try json.readStringToken()
            let isName = try json.isEqual(key, to: name)
            try json.takeColon()
            if isName { offset = json.position }
            _ = try values.read(from: &json)
        }
        json.offset = offset
    }

    private func unwrap<Value>(
        _ object: Required<Value>, name: String, code: ConfigurationFormatError.Code,
        documentStart: Int
    ) throws(JSONFault) -> Value {
        switch object {
        case .present(let value): return value
        case .notAnObject(let offset):
            throw JSONFault(code, at: offset, "\"\(name)\" is not an object; make it one")
        case .absent:
            throw JSONFault(
                code, at: documentStart,
                "\"\(name)\" is missing; add it to the document, as an object"
            )
        }
    }

    private mutating func readChange() throws(JSONFault) -> (
        members: [String: SettingValue], sections: [String: ActiveConfigSection?]?
    ) {
        var sections: [String: ActiveConfigSection?]?
        guard json.next == UInt8(ascii: "{") else {
            _ = try values.read(from: &json)
            return ([:], sections)
        }
        let members = try readMembers { (reader, name) throws(JSONFault) -> SettingValue in
            guard name == "sections" else { return try reader.values.read(from: &reader.json) }
            sections = nil
            guard reader.json.next == UInt8(ascii: "{") else {
                return try reader.values.read(from: &reader.json)
            }
            sections = try reader.readMembers { (reader, _) throws(JSONFault) in
                let isObject = reader.json.next == UInt8(ascii: "{")
                let section = try reader.readSection()
                return isObject ? section : nil
            }
            return .null
        }
        return (members, sections)
    }

    /// Of members with one name the last counts.
    private mutating func readMembers<Value>(
        _ readValue: (inout DocumentReader, _ name: String) throws(JSONFault) -> Value
    ) throws(JSONFault) -> [String: Value] {
        var members: [String: Value] = [:]
        try json.takeOpeningBracket()
        var isFirst = true
        while try json.nextMember(isFirst: isFirst) {
            isFirst = false
            let name = try json.readString()
            try json.takeColon()
            members.updateValue(try readValue(&self, name), forKey: name)
        }
        return members
    }

    /// FORMAT 3.2.
    private mutating func readSection() throws(JSONFault) -> ActiveConfigSection {
        guard json.next == UInt8(ascii: "{") else {
            return ActiveConfigSection(
                .section(try values.read(from: &json).kindInJSON), &allowance)
        }
        var section: ActiveConfigSection?
        try json.takeOpeningBracket()
        var isFirst = true
        while try json.nextMember(isFirst: isFirst) {
            isFirst = false
            let key = try json.readStringToken()
            let isSettings = try json.isEqual(key, to: "settings")
            if !isSettings { _ = try json.makeString(key) }
            try json.takeColon()
            if isSettings, json.next == UInt8(ascii: "{") {
                section = try readSettings()
            } else {
                let value = try values.read(from: &json)
                if isSettings {
                    section = ActiveConfigSection(.settings(value.kindInJSON), &allowance)
                }
            }
        }
        return section ?? ActiveConfigSection(.noSettings, &allowance)
    }

    /// FORMAT 3.3.
    private mutating func readSettings() throws(JSONFault) -> ActiveConfigSection {
        var entries: ContiguousArray<NameTable<SettingValue>.Entry> = []
        entries.reserveCapacity(min(lastSettingCount, Self.mostReserved))
        var problems: [ShapeProblem] = []
        // By name: of settings with one name the last counts.
        var rounded: [String: ShapeProblem] = [:]
        values.largeInteger = nil
        let start = json.position
        try json.takeOpeningBracket()
        var isFirst = true
        while try json.nextMember(isFirst: isFirst) {
            isFirst = false
            let token = try json.readStringToken()
            let name = try json.makeString(token)
            let hash =
                token.isASCII && !token.hasEscapes
                ? unsafe NameHash.hash(
                    ofASCII: UnsafeRawBufferPointer(rebasing: json.bytes[token.start..<token.end]))
                : NameHash.hash(name)
            try json.takeColon()
            let first = json.next
            let value = try readSetting()
            if value == nil, allowance.take() {
                problems.append(Self.problem(name, of: first))
            }
            if !rounded.isEmpty { rounded[name] = nil }
            if let digits = values.largeInteger {
                values.largeInteger = nil
                if let value, allowance.takeRounded() {
                    rounded[name] = .rounded(name, value, digits: digits)
                }
            }
            entries.append(
                NameTable.Entry(
                    name: name, value: value ?? .null, hash: hash, isAbsent: value == nil))
        }
        lastSettingCount = entries.count
        // A short section must not keep the capacity reserved for a long one.
        if entries.capacity > 2 * max(entries.count, 2) {
            var exact: ContiguousArray<NameTable<SettingValue>.Entry> = []
            exact.reserveCapacity(entries.count)
            exact.append(contentsOf: entries)
            entries = exact
        }
        let text = unsafe UnsafeRawBufferPointer(rebasing: json.bytes[start..<json.position])
        let table = NameTable(entries)
        if !problems.isEmpty { problems = Self.remaining(problems, besides: table) }
        // Sorted: equal texts have equal problems.
        problems += rounded.values.sorted { $0.settingName.precedes($1.settingName) }
        return ActiveConfigSection(
            table, source: unsafe ByteHash.Fingerprint(of: text), shapeProblems: problems)
    }

    /// The problem of a setting without a value whose text begins with a byte.
    private static func problem(_ name: String, of first: UInt8?) -> ShapeProblem {
        switch first {
        case UInt8(ascii: "{"): .noValue(name)
        case UInt8(ascii: "["): .setting(name, "an array")
        case UInt8(ascii: "\""): .setting(name, "a string")
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .setting(name, "a boolean")
        case UInt8(ascii: "n"): .setting(name, "null")
        default: .setting(name, "a number")
        }
    }

    /// The problems of absent settings: among settings with one name the last counts.
    private static func remaining(
        _ problems: [ShapeProblem], besides table: NameTable<SettingValue>
    ) -> [ShapeProblem] {
        var names: Set<String> = []
        let last = problems.reversed().filter {
            table[$0.settingName] == nil && names.insert($0.settingName).inserted
        }
        return Array(last.reversed().prefix(ShapeProblem.maximumCount))
    }

    /// Nil when the setting has no `value`.
    @inline(__always)
    private mutating func readSetting() throws(JSONFault) -> SettingValue? {
        guard json.next == UInt8(ascii: "{") else {
            _ = try values.read(from: &json)
            return nil
        }
        var result: SettingValue?
        try json.takeOpeningBracket()
        var isFirst = true
        if json.takeValueKey() {
            isFirst = false
            result = try values.read(from: &json)
        }
        while try json.nextMember(isFirst: isFirst) {
            isFirst = false
            let key = try json.readStringToken()
            let isValue = try json.isEqual(key, to: "value")
            if !isValue { _ = try json.makeString(key) }
            try json.takeColon()
            let digits = values.largeInteger
            values.largeInteger = nil
            let value = try values.read(from: &json)
            if isValue { result = value } else { values.largeInteger = digits }
        }
        return result
    }
}

extension JSONReader {
    /// Skips `"value":` and white space after it if these eight bytes are next, as in most
    /// settings.
    @inline(__always)
    fileprivate mutating func takeValueKey() -> Bool {
        guard count &- offset >= 8,
            unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) == valueKey
        else { return false }
        offset &+= 8
        skipWhiteSpace()
        return true
    }
}

private let valueKey = UInt64(littleEndian: 0x3A22_6575_6C61_7622)
