import Foundation

/// Reads settings from property lists, XML or binary.
///
/// Does not use `PropertyListDecoder`, which reads `<real>1.0</real>` as the integer 1.
enum PropertyListReader {
    private static let reader = DictionaryReader(limits: .default, largeIntegerForm: .text)

    /// The settings of a property list, by section.
    ///
    /// - Parameters:
    ///   - data: The property list.
    ///   - sectionName: The section for all settings; nil: the list has a dictionary for each
    ///     section.
    /// - Returns: The settings by section and key.
    /// - Throws: ``ConfigurationFormatError``, or Foundation's error when it is not a property
    ///   list.
    static func sections(
        of data: Data, inSection sectionName: String?
    ) throws -> [String: [String: SettingValue]] {
        let list = unsafe try PropertyListSerialization.propertyList(from: data, format: nil)
        guard let members = list as? [String: Any] else {
            throw ConfigurationFormatError(
                .notAnObject, reason: "the property list is not a dictionary; make it one")
        }
        if let sectionName {
            return [sectionName: try reader.values(of: members, at: "", depth: 1)]
        }
        var sections: [String: [String: SettingValue]] = [:]
        for (name, section) in members {
            guard let settings = section as? [String: Any] else {
                throw ConfigurationFormatError(
                    .unsupportedValue,
                    reason: "this is \(reader.kind(of: section)) where a section is expected, a "
                        + "dictionary of its settings; for a flat list, as Firebase has it, name the "
                        + "section: setDefaults(propertyList:inSection:)",
                    path: name)
            }
            sections[name] = try reader.values(of: settings, at: name, depth: 2)
        }
        return sections
    }
}
