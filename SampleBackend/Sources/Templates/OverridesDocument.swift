public import ActiveConfig
public import Foundation
public import JSONTree
import OrderedCollections

/// The pinned values of one user, by section and key (HTTP 3).
///
/// ```json
/// {"Home": {"title": "x", "count": 3}}
/// ```
public struct OverridesDocument: Sendable, Hashable {
    /// The most bytes of the text.
    public static let maximumBytes = 65_536

    /// The values by section and key; any JSON value.
    public let sections: [String: [String: SettingValue]]

    /// Reads overrides.
    ///
    /// - Parameter jsonData: The text, UTF-8 JSON.
    /// - Throws: ``TemplateValidationError`` with every problem.
    public init(jsonData: Data) throws(TemplateValidationError) {
        guard jsonData.count <= Self.maximumBytes else {
            throw TemplateValidationError(problems: [
                TemplateProblem(
                    path: "",
                    message: "the overrides have \(jsonData.count) bytes; use at most "
                        + "\(Self.maximumBytes)")
            ])
        }
        var found = ProblemCollector()
        var sections: [String: [String: SettingValue]] = [:]
        do throws(ConfigurationFormatError) {
            let json = try JSONNode(
                jsonData: jsonData,
                limits: ConfigurationLimits(maximumDepth: TemplateLimits.maximumValueDepth + 2))
            for (section, node) in found.object(json, .root) {
                let path = TemplatePath.root.member(section)
                found.checkLength(of: section, path, TemplateLimits.default.maximumNameLength)
                let settings = found.object(node, path)
                for key in settings.keys {
                    found.checkLength(
                        of: key, path.member(key), TemplateLimits.default.maximumNameLength)
                }
                sections[section] = settings.reduce(into: [:]) { settings, member in
                    settings[member.key] = member.value.settingValue
                }
            }
        } catch {
            throw TemplateValidationError(error)
        }
        guard found.problems.isEmpty else {
            throw TemplateValidationError(problems: found.problems)
        }
        self.sections = sections
    }

    /// The values as JSON, sections and keys sorted.
    public var json: JSONNode {
        JSONNode(.object(sections.mapValues { .object($0) }))
    }
}
