/// The version of a document's format (FORMAT 2.2).
enum FormatVersion {
    /// What a document of some version is to this framework.
    enum Verdict {
        /// It can be read.
        case supported
        /// The text is not a version: it can be read, and is worth a line in the log.
        case notAVersion
        /// A newer major version: it must not be half understood.
        case unsupported
    }

    /// The newest major version that is read.
    static let newestMajorVersion = 1

    /// What a document of `version` is.
    ///
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

    /// Throws when a document with this `meta` is of a newer major version.
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
