import ActiveConfigJSON
public import Foundation

extension ConfigurationState {
    /// Reads a document of the exchange format.
    ///
    /// - Parameter jsonData: The document, UTF-8 JSON.
    /// - Throws: ``ConfigurationFormatError`` with the place and the reason.
    public init(jsonData: Data) throws(ConfigurationFormatError) {
        try self.init(jsonData: jsonData, limits: .default)
    }

    /// Reads a document of the exchange format, within the given limits.
    ///
    /// - Parameters:
    ///   - jsonData: The document, UTF-8 JSON.
    ///   - limits: The limits on the document's size and depth.
    /// - Throws: ``ConfigurationFormatError`` with the place and the reason.
    public init(
        jsonData: Data, limits: ConfigurationLimits
    ) throws(ConfigurationFormatError) {
        self = try DocumentReader.read(jsonData, limits: limits)
    }

    /// Returns the document in the exchange format, without ``entityTag``.
    ///
    /// Compact, keys sorted, and byte for byte the same for the same configuration, regardless of
    /// the order in which it was built. Configurations that are equal but spelled differently, such
    /// as `0.0` and `-0.0`, or é and e with a combining accent, keep their spelling.
    ///
    /// A number without a JSON form (infinite or NaN) is written as `null`. An integer that
    /// was beyond 64 bits is written as the double that it became.
    public func jsonData() -> Data {
        var writer = DocumentWriter()
        writer.write(self)
        return Data(writer.json.bytes)
    }
}

extension ConfigurationState {
    /// Creates a configuration from a parsed document, as `JSONSerialization` or a property list
    /// returns it.
    ///
    /// `NSNumber` keeps its kind (boolean, integer, floating point), `NSNull` is `null`, a `Date`
    /// is an ISO 8601 string, `Data` a Base64 string. Swift's own values are treated the same. An
    /// integer or whole decimal number beyond 64 bits becomes the nearest double.
    ///
    /// - Parameter dictionary: The document, with `meta` and `config_sections`.
    /// - Throws: ``ConfigurationFormatError`` with the path of the member that is missing or cannot
    ///   be represented.
    public init(dictionary: [String: Any]) throws(ConfigurationFormatError) {
        self = try DictionaryReader(limits: .default).read(dictionary)
    }
}

extension ConfigurationState: Codable {
    private enum CodingKeys: String, CodingKey {
        case meta
        case sections = "config_sections"
    }

    /// Reads a document in the shape of the exchange format from any decoder; for text, the
    /// initializer `init(jsonData:)` is faster, keeps `1.0` apart from `1`, and adds integers beyond
    /// 64 bits to ``problems``.
    ///
    /// - Throws: `DecodingError` when `meta` or `config_sections` is missing or not an object;
    ///   ``ConfigurationFormatError`` when the format's version is newer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let meta = try container.decode([String: SettingValue].self, forKey: .meta)
        let sections = try container.decode([String: SettingValue].self, forKey: .sections)
        try FormatVersion.check(meta)
        var allowance = ShapeProblem.Allowance()
        self.init(
            meta: meta,
            sections: sections.mapValues { ActiveConfigSection(ofFormat: $0, &allowance) })
    }

    /// Writes the shape of the exchange format, without ``entityTag``.
    ///
    /// - Throws: The encoder's errors.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(meta, forKey: .meta)
        let sections = sections.mapValues { section in
            let settings = Dictionary(
                uniqueKeysWithValues: section.table.settings.entries.map {
                    ($0.name, SettingValue.object(["value": $0.value]))
                })
            return SettingValue.object(["settings": .object(settings)])
        }
        try container.encode(sections, forKey: .sections)
    }
}

extension ConfigurationState {
    /// - Throws: when the document is nested too deeply to be read with any limits.
    func checkDepth() throws(ConfigurationFormatError) {
        let limit = ConfigurationLimits.depthLimit
        // The levels outside of a value: the document and `meta`.
        for (name, value) in meta where value.isNested(deeperThan: limit - 2) {
            throw tooDeep(at: "meta.\(name)")
        }
        for (name, section) in sections {
            // Levels outside: document, `config_sections`, section, `settings`, setting.
            for entry in section.table.settings.entries
            where entry.value.isNested(deeperThan: limit - 5) {
                throw tooDeep(at: "config_sections.\(name).settings.\(entry.name).value")
            }
        }
    }

    private func tooDeep(at path: String) -> ConfigurationFormatError {
        ConfigurationFormatError(
            .tooDeep,
            reason: "arrays and objects are nested deeper than "
                + "\(ConfigurationLimits.depthLimit); flatten the value",
            path: path)
    }
}

/// The version of a document's format (FORMAT 2.2).
enum FormatVersion {
    enum Verdict {
        /// Readable.
        case supported
        /// Not a version: the document is readable, and a line is logged.
        case notAVersion
        /// A newer major version, which must not be misread.
        case unsupported
    }

    static let newestMajorVersion = 1

    /// The major version is the digits up to a full stop or the end.
    static func verdict(on version: String) -> Verdict {
        if version.isEmpty { return .supported }
        let major = version.utf8.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        let rest = version.utf8[major.endIndex...]
        guard !major.isEmpty, rest.isEmpty || rest.first == UInt8(ascii: ".") else {
            return .notAVersion
        }
        // Digits that overflow an integer are a greater version too.
        let number = Int(Substring(major)) ?? .max
        return number > newestMajorVersion ? .unsupported : .supported
    }

    /// - Throws: when a document with this `meta` is of a newer major version.
    static func check(
        _ meta: [String: SettingValue]
    ) throws(ConfigurationFormatError) {
        let key = ConfigurationState.MetaKey.formatVersion
        guard case .string(let version) = meta[key], verdict(on: version) == .unsupported else {
            return
        }
        throw ConfigurationFormatError(
            .unsupportedFormatVersion,
            reason: "format version \"\(version.prefix(40))\" is newer than version "
                + "\(newestMajorVersion), the newest that is read; update the framework, or have "
                + "the server send the older format",
            path: "meta.\(key)")
    }
}

extension ConfigurationState {
    /// ``creationTime`` as a date; nil if it is not a valid date (FORMAT 2.3).
    public var creationDate: Date? {
        meta[MetaKey.creationTime].flatMap(SettingText.date)
    }
}
