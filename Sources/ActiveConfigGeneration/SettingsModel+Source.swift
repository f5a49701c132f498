import Foundation

extension SettingsModel {
    /// Columns of the source.
    private static let maximumColumn = 100

    /// Returns the Swift source of all sections: a type for each, with a key for each setting.
    ///
    /// Byte by byte the same for the same model. The article *Reading settings* has the rules for
    /// Swift names.
    public func swiftSource() -> String {
        let modifier = accessLevel == .internal ? "" : "\(accessLevel) "
        let settings = sections.values.flatMap(\.settings.values)
        let isFoundationPublic = settings.contains { $0.type.needsFoundation }
        let needsFoundation = isFoundationPublic || settings.contains { $0.defaultValue.isParsed }
        var lines = [
            "// Generated from a configuration; changes made here are lost.", "",
            "\(modifier)import ActiveConfig",
        ]
        if needsFoundation {
            lines.append("\(isFoundationPublic ? modifier : "")import Foundation")
        }
        let names = SwiftNames(sections.keys, .section)
        for (name, section) in sections.sortedByName {
            lines.append("")
            lines += Self.comment(
                section.description, or: "Settings of the section `\(name)`.", indentation: "")
            // The user's module may be isolated to an actor by default.
            lines.append("\(modifier)nonisolated enum \(names[name]) {")
            lines += Self.keys(of: section, named: name, modifier: modifier)
            lines.append("}")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func keys(
        of section: Section, named sectionName: String, modifier: String
    ) -> [String] {
        let names = SwiftNames(section.settings.keys, .setting)
        var lines: [String] = []
        for (name, setting) in section.settings.sortedByName {
            if !lines.isEmpty { lines.append("") }
            lines += comment(
                setting.description, or: "The setting `\(sectionName).\(name)`.",
                indentation: "    ")
            let head =
                "    \(modifier)static let \(names[name]) = SettingKey<\(setting.type.swiftName)>("
            let place = "\(SwiftLiteral.string(sectionName)), \(SwiftLiteral.string(name)),"
            let value = "default: \(setting.defaultValue.text))"
            if head.count + place.count + value.count < maximumColumn {
                lines.append("\(head)\(place) \(value)")
            } else if place.count + value.count + 8 < maximumColumn {
                lines += [head, "        \(place) \(value)"]
            } else {
                lines += [head, "        \(place)", "        \(value)"]
            }
        }
        return lines
    }

    /// A documentation comment of a description, or of a text when it is empty.
    private static func comment(
        _ description: String?, or text: String, indentation: String
    ) -> [String] {
        var lines = lines(of: description ?? "")
        if lines.isEmpty { lines = Self.lines(of: text) }
        return lines.map { $0.isEmpty ? "\(indentation)///" : "\(indentation)/// \($0)" }
    }

    /// The lines of a text up to the last non-empty one, with invisible characters replaced by a
    /// space.
    private static func lines(of text: String) -> [String] {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map { line in
                line.unicodeScalars.map { $0.isInvisible ? " " : String($0) }.joined()
            }
        while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
        return lines
    }
}
