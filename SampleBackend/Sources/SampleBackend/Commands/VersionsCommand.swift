import ArgumentParser
import JSONTree
import Templates

/// `sample-backend versions` lists the versions of the template.
struct VersionsCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions", abstract: "List the versions of the template, newest first.")

    @OptionGroup var options: AdministrationOptions

    @Option(help: "Maximum number of versions, 1 to 300.")
    var limit = 20

    @Flag(help: "List all stored versions, regardless of --limit.")
    var all = false

    /// Rejects values that the server would reject.
    func validate() throws {
        guard (1...300).contains(limit) else {
            throw ValidationError("--limit is out of range: give 1 to 300.")
        }
    }

    func run(with transport: any AdministrationTransport) async throws {
        let answer = try await transport.json(
            AdministrationRequest(
                path: options.projectPath
                    + "/remoteConfig:listVersions?pageSize=\(all ? 300 : limit)"))
        if options.json {
            Output.print(answer)
            return
        }
        let rows = (answer["versions"]?.arrayValue ?? []).map { version in
            [
                version["versionNumber"]?.stringValue ?? "",
                version["updateTime"]?.stringValue ?? "",
                version["updateUser"]?["name"]?.stringValue ?? "", Self.kind(of: version),
                version["description"]?.stringValue ?? "",
            ]
        }
        Output.printTable(["VERSION", "TIME", "BY", "KIND", "DESCRIPTION"], rows)
    }

    /// The kind of a version in words, in place of Firebase's names.
    private static func kind(of version: JSONNode) -> String {
        let name = version["updateType"]?.stringValue ?? ""
        return switch TemplateVersion.UpdateType(rawValue: name) {
        case .incrementalUpdate: "publish"
        case .forcedUpdate: "publish over any version"
        case .undo: "undo of \(version["undoneVersionNumber"]?.stringValue ?? "?")"
        case .rollback: "rollback to \(version["rollbackSource"]?.stringValue ?? "?")"
        default: name
        }
    }
}
