import ArgumentParser
import JSONTree

/// A type that is `sample-backend versions`: it lists the versions of the template.
struct VersionsCommand: AdministrationCommand {
    /// The name and the help.
    static let configuration = CommandConfiguration(
        commandName: "versions", abstract: "List the versions of the template, newest first.")

    /// Whom to ask, and how to answer.
    @OptionGroup var options: AdministrationOptions

    /// The most versions to list.
    @Option(help: "The most versions to list, 1 to 300.")
    var limit = 20

    /// Whether to list all that are kept.
    @Flag(help: "List all versions that are kept.")
    var all = false

    /// Refuses what the server would refuse.
    func validate() throws {
        guard (1...300).contains(limit) else {
            throw ValidationError("--limit is out of range: give 1 to 300.")
        }
    }

    /// Lists the versions.
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
            let type = version["updateType"]?.stringValue ?? ""
            let source = version["rollbackSource"]?.stringValue.map { " to \($0)" } ?? ""
            return [
                version["versionNumber"]?.stringValue ?? "",
                version["updateTime"]?.stringValue ?? "",
                version["updateUser"]?["name"]?.stringValue ?? "", type + source,
                version["description"]?.stringValue ?? "",
            ]
        }
        Output.printTable(["VERSION", "TIME", "BY", "KIND", "DESCRIPTION"], rows)
    }
}
