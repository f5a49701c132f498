import ArgumentParser
import JSONTree

/// `sample-backend rollback` publishes an older version again.
struct RollbackCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Publish an older version again, as a new version.",
        discussion: """
            Give --if-match with the version that you looked at when you decided: when somebody has \
            published since, nothing is done, and nobody's change is undone unseen. Without it, the \
            version that is current when the command starts is replaced, and no other.
            """)

    @Argument(help: "The version to publish again.")
    var version: Int

    @OptionGroup var options: AdministrationOptions

    @Option(
        help: ArgumentHelp(
            "The ETag of the version to replace, or * for whatever there is.", valueName: "etag"))
    var ifMatch: String?

    @Flag(help: "Replace whatever there is: the same as --if-match '*'.")
    var force = false

    /// Rejects contradictory options.
    func validate() throws {
        if force, ifMatch != nil {
            throw ValidationError("Give either --force or --if-match, not both.")
        }
    }

    func run(with transport: any AdministrationTransport) async throws {
        let replaced = try await replaced(transport: transport)
        let body: JSONNode = ["versionNumber": .string("\(version)")]
        let template = try await transport.json(
            AdministrationRequest(
                method: "POST", path: options.projectPath + "/remoteConfig:rollback",
                ifMatch: replaced.tag, body: body.jsonData()))
        if options.json {
            var node: JSONNode = ["version": template["version"] ?? .null]
            node.setMember("replacedVersionNumber", replaced.version.map { .string($0) })
            Output.print(node)
        } else {
            let number = template["version"]?["versionNumber"]?.stringValue ?? "?"
            let place = replaced.version.map { ", in place of version \($0)" } ?? ""
            Terminal.print("Published version \(version) again, as version \(number)\(place).")
        }
    }

    /// The tag of the version to replace, and its number if that is the current version.
    private func replaced(
        transport: any AdministrationTransport
    ) async throws -> (tag: String, version: String?) {
        if let ifMatch { return (ifMatch.trimmedTag, nil) }
        if force { return ("*", nil) }
        let current = try await transport.perform(
            AdministrationRequest(path: options.projectPath + "/remoteConfig"))
        let number = try current.json["version"]?["versionNumber"]?.stringValue
        guard let tag = current.entityTag else {
            throw CommandFailure(
                "The server does not say which version is current: check --server.",
                code: Exit.unavailable)
        }
        return (tag, number)
    }
}
