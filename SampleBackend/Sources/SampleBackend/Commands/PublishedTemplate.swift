import JSONTree
import OrderedCollections
import Templates

/// A published version of a project's template, such as the current one.
struct PublishedTemplate {
    let answer: AdministrationAnswer
    private let json: JSONNode

    /// Reads a version, by default the current one, from the server; nil when there is none.
    ///
    /// - Throws: A ``CommandFailure``.
    init?(
        from transport: any AdministrationTransport, _ options: AdministrationOptions,
        version: Int? = nil
    ) async throws {
        let query = version.map { "?versionNumber=\($0)" } ?? ""
        answer = try await transport.send(
            AdministrationRequest(path: options.projectPath + "/remoteConfig" + query))
        switch answer.status {
        case 200: json = try answer.json
        case 404: return nil
        default: throw CommandFailure(answer)
        }
    }

    /// The settings that are lost when this version replaces the current one; nil when at least
    /// half of them remain.
    func removal(from current: PublishedTemplate) -> MostSettingsRemoved? {
        MostSettingsRemoved(by: json, from: current.template)
    }

    /// The readable parts of the template.
    var template: RemoteConfigTemplate { TemplateDraft(json: json, limits: .none).template }

    var versionNumber: String? { json.versionNumber }

    /// False for the empty template of a project that was only created.
    var isPublished: Bool {
        let type = json["version"]?["updateType"]?.stringValue
        return type != TemplateVersion.UpdateType.unspecified.rawValue
    }

    /// True when a file was made from this version and still has its description.
    func hasDescription(of file: JSONNode) -> Bool {
        guard let current = json["version"], let version = file["version"],
            file.versionNumber == json.versionNumber,
            let description = version["description"]
        else { return false }
        return description == current["description"]
    }
}

extension JSONNode {
    /// The number of the version that a template was made from, given as a string or a number.
    var versionNumber: String? {
        let number = self["version"]?["versionNumber"]
        return number?.stringValue ?? number?.integerValue.map(String.init)
    }
}

/// Records that a publish removes more than half of the settings.
struct MostSettingsRemoved: CustomStringConvertible {
    private let count: Int
    private let total: Int

    /// Nil when at least half of the settings remain.
    init?(by file: JSONNode, from current: RemoteConfigTemplate) {
        let sections = TemplateDraft(json: file, limits: .none).template.sections
        total = current.sections.values.reduce(0) { $0 + $1.count }
        count = current.sections.reduce(0) { sum, section in
            sum + section.value.keys.count { sections[section.key]?[$0] == nil }
        }
        if count * 2 <= total { return nil }
    }

    /// The failure when there is no terminal to ask on.
    var needsYes: CommandFailure {
        CommandFailure("\(self): give --yes to confirm.", code: Exit.failure)
    }

    var description: String { "The publish removes \(count) of \(total) settings" }
}
