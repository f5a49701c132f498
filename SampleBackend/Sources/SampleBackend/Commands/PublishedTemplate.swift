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

    /// What apps lose when this version replaces the current one; nil when there is no need to ask.
    func breakingPublish(over current: PublishedTemplate) -> BreakingPublish? {
        BreakingPublish(by: json, from: current.template)
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

/// Records that a publish takes settings from apps: it removes or archives more than half of them, or
/// changes the type of one, which an app then cannot read.
struct BreakingPublish: CustomStringConvertible {
    private let removedCount: Int
    private let total: Int
    /// What is done to the settings that are counted.
    private let verb: String
    /// The settings with another type, each with both.
    private let retyped: [String]

    /// Nil when at least half of the settings remain and all of them keep their types.
    init?(by file: JSONNode, from current: RemoteConfigTemplate) {
        let new = TemplateDraft(json: file, limits: .none).template
        let sections = new.withoutArchivedParameters.sections
        verb = new.archivedSettings == current.archivedSettings ? "removes" : "removes or archives"
        let known = current.withoutArchivedParameters.sections
        total = known.values.reduce(0) { $0 + $1.count }
        var (removed, retyped) = (0, [String]())
        for (section, parameters) in known {
            for (key, old) in parameters {
                guard let new = sections[section]?[key] else {
                    removed += 1
                    continue
                }
                let (before, after) = (old.valueType ?? .string, new.valueType ?? .string)
                if before != after {
                    retyped.append(
                        "\(section).\(key) from \(before.rawValue) to \(after.rawValue)")
                }
            }
        }
        (removedCount, self.retyped) = (removed, retyped)
        if !removesMost, retyped.isEmpty { return nil }
    }

    private var removesMost: Bool { removedCount * 2 > total }

    /// The failure when there is no terminal to ask on.
    var needsYes: CommandFailure {
        CommandFailure("\(self): give --yes to confirm.", code: Exit.failure)
    }

    var description: String {
        let shown = retyped.prefix(3).joined(separator: ", ").escapedForTerminal
        let more = retyped.count > 3 ? " and \(retyped.count - 3) more" : ""
        let effects = [
            removesMost ? "\(verb) \(removedCount) of \(total) settings" : nil,
            retyped.isEmpty ? nil : "changes the type of \(shown)\(more)",
        ]
        return "The publish " + effects.compactMap { $0 }.joined(separator: " and ")
    }
}
