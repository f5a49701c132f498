import Foundation
import HTTPServing
import JSONTree
import Targeting
import TemplateStore
import Templates

/// Since when the settings of a project's current version exist, and since when everybody gets the
/// same value of them.
struct SettingPasts: VersionDigest {
    /// Maximum total size of the templates to read, in bytes.
    static let maximumSize = 64 << 20

    /// The first of the versions without a gap for which something holds.
    struct Start: Sendable, Hashable {
        let version: Int
        let date: Date

        /// True when it may hold for longer: earlier versions are no longer kept, or were not read.
        var isAtLeast: Bool

        init(_ version: TemplateVersion, isAtLeast: Bool = false) {
            self.version = version.number
            date = version.updateTime
            self.isAtLeast = isAtLeast
        }
    }

    /// The past of one setting.
    struct Setting: Sendable, Hashable {
        /// The first version that has the setting.
        var introduction: Start

        /// What everybody gets now; nil when it depends on the client.
        var common: CommonValue?

        /// The first version with which everybody gets it; nil when it depends on the client.
        var constancy: Start?
    }

    /// The current version; 0 without one.
    private(set) var versionNumber = 0

    /// The settings of the current version, without archived ones: an archived setting that is
    /// restored counts as new.
    private(set) var settings: [UsedSetting: Setting] = [:]

    /// The past of a setting; nil for an archived one.
    subscript(section: String, key: String) -> Setting? {
        settings[UsedSetting(section: section, key: key)]
    }

    static func read(
        from project: some VersionReading, after earlier: SettingPasts?
    ) async throws -> SettingPasts {
        let page = try await project.versions(limit: TemplateStoreLimits.keptVersions)
        if let earlier, let pasts = try await earlier.continued(to: page, in: project) {
            return pasts
        }
        var pasts = SettingPasts()
        guard let newest = page.versions.first,
            let first = try await read(newest, of: project)
        else { return pasts }
        pasts.versionNumber = newest.number
        // All are open: an earlier version can move their starts.
        pasts.settings = first.values.mapValues { common in
            let start = Start(newest, isAtLeast: true)
            return Setting(
                introduction: start, common: common, constancy: common.map { _ in start })
        }
        var size = first.size
        for version in page.versions.dropFirst() where pasts.isOpen {
            // Without the template of a version, nothing is known before the next one.
            guard size <= maximumSize, let older = try await read(version, of: project) else {
                return pasts
            }
            size += older.size
            pasts.prepend(older.values, version)
        }
        if page.nextVersion == nil { pasts.close() }
        return pasts
    }

    /// The pasts with the versions published since; nil when one of them is no longer stored.
    private func continued(
        to page: VersionPage, in project: some VersionReading
    ) async throws -> SettingPasts? {
        guard let known = page.versions.firstIndex(where: { $0.number == versionNumber }) else {
            return nil
        }
        var pasts = self
        for version in page.versions[..<known].reversed() {
            guard let newer = try await Self.read(version, of: project) else { return nil }
            pasts.append(newer.values, version)
        }
        return pasts
    }

    private static func read(
        _ version: TemplateVersion, of project: some VersionReading
    ) async throws -> (values: [UsedSetting: CommonValue?], size: Int)? {
        try Task.checkCancellation()
        guard let stored = try await project.template(version: version.number) else { return nil }
        let template = try ValidatedTemplate(jsonData: stored.content, limits: .none)
        return (template.commonValues, stored.content.count)
    }

    /// True while an earlier version can move a start.
    private var isOpen: Bool {
        settings.values.contains { $0.introduction.isAtLeast || $0.constancy?.isAtLeast == true }
    }

    /// Adds a version that is older than all others so far.
    private mutating func prepend(
        _ values: [UsedSetting: CommonValue?], _ version: TemplateVersion
    ) {
        let start = Start(version, isAtLeast: true)
        for (name, setting) in settings where setting.introduction.isAtLeast {
            var setting = setting
            let older = values[name]
            if older == nil {
                setting.introduction.isAtLeast = false
            } else {
                setting.introduction = start
            }
            if setting.constancy?.isAtLeast == true {
                if let older, older == setting.common {
                    setting.constancy = start
                } else {
                    setting.constancy?.isAtLeast = false
                }
            }
            settings[name] = setting
        }
    }

    /// Ends the search, since there are no earlier versions.
    private mutating func close() {
        settings = settings.mapValues { setting in
            var setting = setting
            setting.introduction.isAtLeast = false
            setting.constancy?.isAtLeast = false
            return setting
        }
    }

    /// Adds a version that is newer than all others so far.
    private mutating func append(
        _ values: [UsedSetting: CommonValue?], _ version: TemplateVersion
    ) {
        let start = Start(version)
        var newer: [UsedSetting: Setting] = [:]
        for (name, common) in values {
            var setting =
                settings[name] ?? Setting(introduction: start, common: common, constancy: start)
            if common == nil {
                setting.constancy = nil
            } else if setting.constancy == nil || setting.common != common {
                setting.constancy = start
            }
            setting.common = common
            newer[name] = setting
        }
        settings = newer
        versionNumber = version.number
    }
}

/// What everybody gets of a setting.
enum CommonValue: Sendable, Hashable {
    /// A value, as text and type.
    case value(ExactText, ParameterValueType)
    /// No value: the app uses its own default.
    case omitted
}

extension ValidatedTemplate {
    /// What everybody gets of each setting that is not archived, without pinned values; nil for a
    /// setting whose value depends on the client.
    var commonValues: [UsedSetting: CommonValue?] {
        var values: [UsedSetting: CommonValue?] = [:]
        for (section, parameters) in template.withoutArchivedParameters.sections {
            for (key, parameter) in parameters {
                values.updateValue(
                    commonValue(of: parameter), forKey: UsedSetting(section: section, key: key))
            }
        }
        return values
    }

    private func commonValue(of parameter: TemplateParameter) -> CommonValue? {
        let type = parameter.valueType ?? .string
        var others: [CommonValue?] = []
        var last = parameter.defaultValue
        for (condition, targeting) in zip(template.conditions, conditions) {
            guard let value = parameter.conditionalValues[condition.name],
                !targeting.isNeverTrue
            else { continue }
            if targeting.isAlwaysTrue {
                last = value
                break
            }
            others.append(CommonValue(value, type))
        }
        guard let common = last.map({ CommonValue($0, type) }) ?? .some(.omitted),
            others.allSatisfy({ $0 == common })
        else { return nil }
        return common
    }
}

extension CommonValue {
    /// Nil for a value that depends on the user, or that this backend does not evaluate.
    fileprivate init?(_ value: ParameterValue, _ type: ParameterValueType) {
        switch value.content {
        case .value(let text):
            guard !text.contains("${user.id}") else { return nil }
            self = .value(ExactText(text), type)
        case .useInAppDefault: self = .omitted
        case .unevaluated: return nil
        }
    }
}
