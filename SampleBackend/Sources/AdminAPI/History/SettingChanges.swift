import HTTPServing
import JSONTree
import TemplateStore
import Templates

/// The changes of one setting, with what each of them changed in it.
struct SettingChanges: Sendable {
    /// Maximum size of the differences in one answer, in bytes; an answer omits those beyond.
    private static let maximumBytes = 1 << 20

    let section: String
    let key: String

    /// Newest first.
    private(set) var changes: [(version: TemplateVersion, difference: JSONNode?)] = []

    /// Reads the templates of the versions that changed a setting.
    static func read(
        section: String, key: String, in history: SettingHistory,
        from project: some VersionReading
    ) async throws -> SettingChanges {
        var result = SettingChanges(section: section, key: key)
        let versions = history.versions(thatChanged: key, inSection: section)
        var templates = RemainingTemplates(bytes: SettingHistory.maximumSize)
        var remainingBytes = maximumBytes
        var newer: RemoteConfigTemplate?
        for (index, version) in versions.enumerated() {
            var after = newer
            if after == nil { after = try await templates.read(version.number, of: project) }
            // In between the setting does not change.
            let previous =
                index + 1 < versions.count
                ? versions[index + 1].number : history.number(before: version)
            let before = try await templates.read(previous, of: project)
            newer = before
            var difference: JSONNode?
            if let before, let after {
                let all = TemplateDiff(from: before, to: after).parameters
                difference =
                    all.first {
                        $0.section.hasSameBytes(as: section) && $0.key.hasSameBytes(as: key)
                    }?.json
            }
            if let bytes = difference?.jsonData().count {
                if bytes > remainingBytes { difference = nil } else { remainingBytes -= bytes }
            }
            result.changes.append((version, difference))
        }
        return result
    }

    /// The `changes` of the route `remoteConfig:settingHistory` (API 3).
    var json: JSONNode {
        .array(
            changes.map { version, difference in
                var node: JSONNode = ["version": version.json]
                node.setMember("change", difference?["change"])
                node.setMember("parts", difference?["parts"])
                return node
            })
    }
}

/// Reads templates up to a total size.
private struct RemainingTemplates {
    var bytes: Int

    /// A version's template; nil when it is no longer stored, or does not fit.
    mutating func read(
        _ number: Int, of project: some VersionReading
    ) async throws -> RemoteConfigTemplate? {
        try Task.checkCancellation()
        if number == 0 { return RemoteConfigTemplate() }
        guard bytes > 0, let stored = try await project.template(version: number) else {
            return nil
        }
        bytes -= stored.content.count
        return try ValidatedTemplate(jsonData: stored.content, limits: .none).template
    }
}
