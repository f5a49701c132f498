import ArgumentParser
import HTTPServing
import JSONTree
import Templates

/// `sample-backend compare` prints the differences between two projects.
struct CompareCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Show what differs between a project and another one.",
        discussion: "The lines with - are of --project, those with + of the other one. Copy from "
            + "the other one with \"promote\".")

    @Argument(help: "The other project.")
    var other: String

    @OptionGroup var options: AdministrationOptions

    func run(with transport: any AdministrationTransport) async throws {
        let comparison = try await ProjectComparison(with: other, transport, options)
        if options.json {
            Output.print(comparison.json)
            return
        }
        let json = comparison.json
        let old = try await template(
            of: options.projectPath, json["versionNumber"], transport)
        let new = try await template(
            of: "/v1/projects/\(other.percentEncoded)", json["withVersionNumber"], transport)
        TemplateDiff(from: old, to: new).printLines()
        for setting in ProjectComparison.names(json["affectedSettings"]) {
            Terminal.print("The conditions above decide about \(setting), too.")
        }
    }

    private func template(
        of path: String, _ number: JSONNode?, _ transport: any AdministrationTransport
    ) async throws -> RemoteConfigTemplate {
        let json = try await transport.json(
            AdministrationRequest(
                path: "\(path)/remoteConfig?versionNumber=\(number?.stringValue ?? "0")"))
        return TemplateDraft(json: json, limits: .none).template
    }
}

/// What differs between a project and another one.
struct ProjectComparison {
    /// The response of `remoteConfig:compare`.
    let json: JSONNode

    init(
        with other: String, _ transport: any AdministrationTransport,
        _ options: AdministrationOptions
    ) async throws {
        json = try await transport.json(
            AdministrationRequest(
                path: options.projectPath + "/remoteConfig:compare?with=\(other.percentEncoded)"))
    }

    /// The setting with a name such as `Home.title` that differs, or depends on a condition that
    /// does, as the API names it.
    func setting(named name: String) -> JSONNode? {
        let found = ["parameters", "affectedSettings"].lazy
            .flatMap { json[$0]?.arrayValue ?? [] }
            .first { Self.name($0).map(name.hasSameBytes) ?? false }
        return found.map { ["section": $0["section"] ?? .null, "key": $0["key"] ?? .null] }
    }

    /// The settings of a list of `{"section": "Home", "key": "title"}`, escaped for the terminal.
    static func names(_ settings: JSONNode?) -> [String] {
        (settings?.arrayValue ?? []).compactMap { name($0)?.escapedForTerminal }
    }

    private static func name(_ setting: JSONNode) -> String? {
        guard let section = setting["section"]?.stringValue, let key = setting["key"]?.stringValue
        else { return nil }
        return "\(section).\(key)"
    }
}
