import JSONTree
package import Rendering

extension SettingReasons {
    /// The setting for a flag key, and its names; nil when there is no such flag.
    ///
    /// A key is `Section.setting` or `Section/setting`, and both names may contain dots and
    /// slashes. For an ambiguous key the dot takes precedence over the slash, then the section with
    /// the shortest name.
    func setting(
        forFlag flagKey: String
    ) -> (section: String, key: String, reason: SettingReason)? {
        let sections = sectionNames.map(\.text).sorted { $0.utf8.count < $1.utf8.count }
        for separator in [".", "/"] {
            for section in sections {
                let prefix = (section + separator).utf8
                guard flagKey.utf8.starts(with: prefix) else { continue }
                let setting = String(Substring(flagKey.utf8.dropFirst(prefix.count)))
                if let reason = reason(forKey: setting, inSection: section) {
                    return (section, setting, reason)
                }
            }
        }
        return nil
    }

    /// All flags, sorted by key, with the settings that ``setting(forFlag:)`` finds.
    package var flags: [(key: String, reason: SettingReason)] {
        var flags: NamedValues<SettingReason> = [:]
        for (section, settings) in all.sorted(by: { $0.key.utf8.count < $1.key.utf8.count }) {
            for (setting, reason) in settings {
                let key = "\(section).\(setting)"
                if flags[key] == nil { flags[key] = reason }
            }
        }
        return flags.sorted { $0.key.precedes($1.key) }
            .map { (key: $0, reason: $1) }
    }
}
