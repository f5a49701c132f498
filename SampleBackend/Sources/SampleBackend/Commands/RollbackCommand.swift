import ArgumentParser
import JSONTree

/// A type that is `sample-backend rollback`: it publishes an older version again.
struct RollbackCommand: AdministrationCommand {
    /// The name and the help.
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Publish an older version again, as a new version.")

    /// The version to publish again.
    @Argument(help: "The version to publish again.")
    var version: Int

    /// Whom to ask, and how to answer.
    @OptionGroup var options: AdministrationOptions

    /// Publishes the version again.
    func run(with transport: any AdministrationTransport) async throws {
        let body: JSONNode = ["versionNumber": .string("\(version)")]
        let template = try await transport.json(
            AdministrationRequest(
                method: "POST", path: options.projectPath + "/remoteConfig:rollback",
                body: body.jsonData()))
        if options.json {
            Output.print(["version": template["version"] ?? .null])
        } else {
            let number = template["version"]?["versionNumber"]?.stringValue ?? "?"
            Console.print("Published version \(version) again, as version \(number).")
        }
    }
}
