import Foundation
import HTTPServing
import JSONTree
import TemplateStore
import Templates

/// The versions of a project that changed each of its settings.
struct SettingHistory: VersionDigest {
    /// Maximum number of versions to compare, each with its predecessor.
    static let maximumVersions = 100

    /// Maximum total size of the templates to compare, in bytes.
    static let maximumSize = 64 << 20

    /// Maximum number of versions per setting; the newest are kept.
    static let maximumChanges = 20

    private struct Setting: Hashable {
        let section: ExactText
        let key: ExactText

        init(section: String, key: String) {
            self.section = ExactText(section)
            self.key = ExactText(key)
        }
    }

    /// The compared versions, newest first.
    private(set) var versions: [TemplateVersion]

    /// The version with which the oldest of ``versions`` was compared; 0 stands for no template.
    private(set) var baseVersion = 0

    /// The newest version's template.
    private var template: RemoteConfigTemplate

    /// Numbers of versions, newest first.
    private var changes: [Setting: [Int]] = [:]

    var versionNumber: Int { versions.first?.number ?? baseVersion }

    /// Creates a history that contains no changes up to a version.
    private init(template: RemoteConfigTemplate, version: TemplateVersion) {
        versions = []
        baseVersion = version.number
        self.template = template
    }

    /// Reads the history of a project, or continues an earlier history.
    static func read(
        from project: some VersionReading, after earlier: SettingHistory?
    ) async throws -> SettingHistory {
        // The oldest of the compared versions needs its predecessor, too.
        let page = try await project.versions(limit: maximumVersions + 1)
        if let earlier, let history = try await earlier.continued(to: page, in: project) {
            return history
        }
        guard let newest = page.versions.first,
            var (next, size) = try await read(newest, of: project)
        else { throw RequestError.notFound("The project has no version: publish one.") }
        var history = SettingHistory(template: next, version: newest)
        for (version, older) in zip(page.versions, page.versions.dropFirst()) {
            // A concurrent publish may have removed the oldest version.
            guard size <= maximumSize, let (template, bytes) = try await read(older, of: project)
            else { return history }
            size += bytes
            history.prepend(template, older.number, before: next, version)
            next = template
        }
        // The store keeps more versions than are compared, so the oldest one is the project's first.
        if page.nextVersion == nil, page.versions.count <= maximumVersions,
            let first = page.versions.last
        {
            history.prepend(RemoteConfigTemplate(), 0, before: next, first)
        }
        return history
    }

    /// The history extended by the versions published since; nil when one of them is no longer
    /// stored.
    private func continued(
        to page: VersionPage, in project: some VersionReading
    ) async throws -> SettingHistory? {
        guard let known = page.versions.firstIndex(where: { $0.number == versionNumber }) else {
            return nil
        }
        var history = self
        for version in page.versions[..<known].reversed() {
            guard let (template, _) = try await Self.read(version, of: project) else { return nil }
            history.append(template, version)
        }
        return history
    }

    /// A version's template and its stored size in bytes; nil when it is no longer stored.
    private static func read(
        _ version: TemplateVersion, of project: some VersionReading
    ) async throws -> (RemoteConfigTemplate, size: Int)? {
        try Task.checkCancellation()
        guard let stored = try await project.template(version: version.number) else { return nil }
        let template = try ValidatedTemplate(jsonData: stored.content, limits: .none).template
        return (template, stored.content.count)
    }

    /// Adds a version that is newer than all others so far.
    private mutating func append(_ newer: RemoteConfigTemplate, _ version: TemplateVersion) {
        for difference in TemplateDiff(from: template, to: newer).parameters {
            let setting = Setting(section: difference.section, key: difference.key)
            changes[setting, default: []].insert(version.number, at: 0)
            if changes[setting, default: []].count > Self.maximumChanges {
                changes[setting]?.removeLast()
            }
        }
        template = newer
        versions.insert(version, at: 0)
        if versions.count > Self.maximumVersions { removeOldest() }
    }

    /// Removes the oldest version and its changes.
    private mutating func removeOldest() {
        baseVersion = versions.removeLast().number
        for (setting, numbers) in changes where numbers.last == baseVersion {
            changes[setting] = numbers.count > 1 ? numbers.dropLast() : nil
        }
    }

    /// Adds a version that is older than all others so far, by its difference from its predecessor.
    private mutating func prepend(
        _ older: RemoteConfigTemplate, _ number: Int, before newer: RemoteConfigTemplate,
        _ version: TemplateVersion
    ) {
        for difference in TemplateDiff(from: older, to: newer).parameters {
            let setting = Setting(section: difference.section, key: difference.key)
            guard changes[setting, default: []].count < Self.maximumChanges else { continue }
            changes[setting, default: []].append(version.number)
        }
        versions.append(version)
        baseVersion = number
    }

    /// The versions that changed a setting, newest first.
    func versions(thatChanged key: String, inSection section: String) -> [TemplateVersion] {
        let numbers = Set(changes[Setting(section: section, key: key)] ?? [])
        return versions.filter { numbers.contains($0.number) }
    }

    /// The number of the version before one of ``versions``; 0 stands for no template.
    func number(before version: TemplateVersion) -> Int {
        versions.first { $0.number < version.number }?.number ?? baseVersion
    }

    /// The response of the route `remoteConfig:settingHistory` (API 3): those settings of the
    /// newest version that changed, with the versions that changed them.
    var json: JSONNode {
        var named: Set<Int> = []
        var sections = JSONNode.emptyObject
        for (section, parameters) in template.sections {
            var settings = JSONNode.emptyObject
            for key in parameters.names {
                guard let numbers = changes[Setting(section: section, key: key)] else { continue }
                named.formUnion(numbers)
                settings.setMember(key, .array(numbers.map { .string("\($0)") }))
            }
            if settings != .emptyObject { sections.setMember(section, settings) }
        }
        return [
            "versionNumber": .string("\(versionNumber)"),
            "baseVersionNumber": .string("\(baseVersion)"),
            "versions": .array(versions.filter { named.contains($0.number) }.map(\.json)),
            "settings": sections,
        ]
    }
}

/// Reads the versions of a project.
protocol VersionReading: Sendable {
    /// Returns the newest versions.
    ///
    /// - Throws: A ``RequestError`` with status 404 when nothing is published.
    func versions(limit: Int) async throws -> VersionPage

    /// Returns a version; nil when it is no longer stored.
    func template(version: Int) async throws -> StoredTemplate?
}

/// A cache of the most recently requested histories.
typealias SettingHistories = DigestCache<SettingHistory>

extension DigestCache<SettingHistory> {
    /// Returns the history up to the current version.
    func history(
        ofProject name: String, from project: some VersionReading
    ) async throws -> SettingHistory {
        try await digest(ofProject: name, from: project)
    }
}
