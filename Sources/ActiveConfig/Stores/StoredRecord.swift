import ActiveConfigJSON
package import Foundation

/// A stored configuration: user, entity tag, document, and a checksum over all of it.
///
/// ```text
/// ActiveConfig record 1 9f86d081884c7d65\n
/// {"entity_tag":"\"a1\"","template_version":7,"user_id":"1"}\n
/// {"config_sections":{…},"meta":{…}}
/// ```
///
/// The checksum, 16 hexadecimal digits, covers everything after the first line. For a configuration
/// with an original, the document is the server's, byte for byte, and the header has the answer's
/// header fields, and those of the answer that confirmed a later version, if there was one. For any
/// other configuration the header has the problems found when it was read, if any.
package struct StoredRecord {
    /// Why bytes are not a valid record of the user.
    package struct Damage: Error, CustomStringConvertible {
        package let description: String
    }

    private static let name = "ActiveConfig record "
    private static let prefix = "\(name)1 "
    private static let digits = 16
    /// In bytes.
    private static let firstLineCount = prefix.utf8.count + digits + 1
    /// Limits with which everything that ``encode(_:of:)`` accepts can be read.
    package static let limits = ConfigurationLimits(
        maximumSize: .max, maximumDepth: ConfigurationLimits.depthLimit)

    /// - Throws: ``ConfigurationFormatError`` when it is too deeply nested to be read back.
    package static func encode(
        _ configuration: ConfigurationState, of userID: UserID
    ) throws(ConfigurationFormatError) -> Data {
        try configuration.checkDepth()
        var header: [String: SettingValue] = [:]
        header["user_id"] = userID.string.map { .string($0) }
        header["entity_tag"] = configuration.entityTag.map { .string($0) }
        header["template_version"] = configuration.meta["template_version"]
        header["replaced_version"] = configuration.replacedVersion.map { .integer($0) }
        let body = configuration.original?.body
        if body != nil {
            header["header_fields"] = configuration.original.map {
                SettingValue(texts: $0.headerFields)
            }
            header["confirmation"] = configuration.original?.confirmation.map {
                SettingValue(texts: $0)
            }
        }
        if body == nil { header["problems"] = configuration.storedProblems }
        var writer = DocumentWriter()
        writer.writeLine(header)
        if body == nil { writer.write(configuration) }
        let content = writer.json.bytes + (body.map { Array($0) } ?? [])
        let sum = unsafe content.withUnsafeBytes {
            unsafe ByteHash.hash($0, seed: ByteHash.checksumSeed)
        }
        let hexadecimal = String(sum, radix: 16)
        let padding = String(repeating: "0", count: digits - hexadecimal.count)
        var data = Data(capacity: firstLineCount + content.count)
        data.append(contentsOf: "\(prefix)\(padding)\(hexadecimal)\n".utf8)
        data.append(contentsOf: content)
        return data
    }

    /// The whole record.
    let data: Data
    private let header: Header
    /// In the exchange format, not parsed yet.
    private let document: Data

    /// True for a record of a later version of the framework, which this version cannot read.
    static func isOfNewerVersion(_ data: Data) -> Bool {
        guard data.starts(with: name.utf8), !data.starts(with: prefix.utf8) else { return false }
        // The version has at most as many digits as an integer.
        let version = data.dropFirst(name.utf8.count).prefix(20).prefix { $0 != UInt8(ascii: " ") }
        return Int(String(decoding: version, as: UTF8.self)).map { $0 > 1 } ?? false
    }

    /// - Throws: ``Damage`` when `data` is not a valid record, or belongs to another user.
    package init(_ data: Data, of userID: UserID) throws(Damage) {
        try Self.check(data)
        guard let (header, document) = Self.split(data) else {
            throw Damage(description: "it has no header")
        }
        guard header.userID == userID else { throw Damage(description: "it is another user's") }
        self.data = data
        self.header = header
        self.document = document
    }

    /// The line before the document.
    private struct Header {
        let userID: UserID
        let entityTag: String?
        let templateVersion: SettingValue?
        let replacedVersion: Int?
        /// Of the answer with the document; nil unless the document is byte for byte the server's.
        let headerFields: [String: String]?
        let confirmation: [String: String]?
        let problems: SettingValue?
    }

    /// The entity tag in `head`, the first bytes of a record; nil when there is none, when the
    /// record belongs to another user, or when its header is longer than `head`.
    ///
    /// Does not verify the checksum, which covers the document.
    static func entityTag(inHead head: Data, of userID: UserID) -> String? {
        guard head.starts(with: prefix.utf8), let (header, _) = split(head),
            header.userID == userID
        else { return nil }
        return header.entityTag
    }

    /// The template version in an unverified record; nil when there is none.
    static func templateVersion(in data: Data) -> Int? {
        guard case .integer(let version)? = split(data)?.0.templateVersion else { return nil }
        return version
    }

    /// Header and document of a record, or of its first bytes; nil when the header is incomplete.
    private static func split(_ data: Data) -> (Header, document: Data)? {
        let content = data.dropFirst(firstLineCount)
        guard let lineEnd = content.firstIndex(of: UInt8(ascii: "\n")),
            let value = try? SettingValue(jsonData: content[..<lineEnd], limits: limits)
        else { return nil }
        let members = value.dictionaryValue ?? [:]
        let header = Header(
            userID: UserID(members["user_id"]?.stringValue),
            entityTag: members["entity_tag"]?.stringValue,
            templateVersion: members["template_version"],
            replacedVersion: members["replaced_version"]?.integerValue,
            headerFields: members["header_fields"]?.texts,
            confirmation: members["confirmation"]?.texts, problems: members["problems"])
        return (header, content[(lineEnd + 1)...])
    }

    /// - Throws: when this version of the framework cannot read the document.
    package func configuration() throws(ConfigurationFormatError) -> ConfigurationState {
        var state = try ConfigurationState(jsonData: document, limits: Self.limits)
        state.addProblems(stored: header.problems)
        state.entityTag = header.entityTag
        let original = header.headerFields.map { fields in
            OriginalDocument.stored(
                body: document, headerFields: fields, entityTag: header.entityTag,
                confirmation: header.confirmation
            ).read(as: state)
        }
        if header.confirmation != nil {
            state.meta[ConfigurationState.MetaKey.templateVersion] = header.templateVersion
        }
        state.original = original
        state.replacedVersion = header.replacedVersion
        return state
    }

    private static func check(_ data: Data) throws(Damage) {
        guard data.count > firstLineCount, data.prefix(prefix.utf8.count).elementsEqual(prefix.utf8)
        else { throw Damage(description: "it does not start as a record does") }
        let line = data.prefix(firstLineCount)
        let written = String(decoding: line.dropFirst(prefix.utf8.count).dropLast(), as: UTF8.self)
        let sum = unsafe data.withUnsafeBytes { bytes in
            unsafe ByteHash.hash(
                UnsafeRawBufferPointer(rebasing: bytes[firstLineCount...]),
                seed: ByteHash.checksumSeed)
        }
        // Compared as text, so that no changed byte goes undetected.
        let hexadecimal = String(sum, radix: 16)
        let expected = String(repeating: "0", count: digits - hexadecimal.count) + hexadecimal
        guard written == expected, line.last == UInt8(ascii: "\n") else {
            throw Damage(description: "its checksum does not fit its content")
        }
    }
}

extension DocumentWriter {
    fileprivate mutating func writeLine(_ object: [String: SettingValue]) {
        json.write(object)
        json.write(UInt8(ascii: "\n"))
    }
}

extension SettingValue {
    fileprivate init(texts: [String: String]) { self = .object(texts.mapValues { .string($0) }) }

    /// The string members of an object; nil for another value.
    fileprivate var texts: [String: String]? { dictionaryValue?.compactMapValues(\.stringValue) }
}
