import ArgumentParser
import JSONTree

/// `sample-backend rollback` publishes an older version again.
struct RollbackCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Publish an older version again, as a new version.",
        discussion: """
            Give --if-match with the version that you reviewed: if another version was published \
            since, the command fails, so it undoes no change that you have not seen. Without it, \
            the command replaces only the version that is current when it starts. When the \
            older version lacks more than half of the settings, or one has another type, the \
            command asks first.
            """)

    @Argument(help: "The version to publish again.")
    var version: Int

    @OptionGroup var options: AdministrationOptions

    @Option(help: "The reason, as the description of the new version; at most 1,024 characters.")
    var description: String?

    @Option(
        help: ArgumentHelp(
            "The ETag of the version to replace, or * for any.", valueName: "etag"))
    var ifMatch: String?

    @Flag(help: "Replace any version: the same as --if-match '*'.")
    var force = false

    @Flag(
        name: .shortAndLong,
        help: """
            Do not ask, even if more than half of the settings are removed, or one changes its type.
            """)
    var yes = false

    /// Rejects contradictory options.
    func validate() throws {
        if force, ifMatch != nil {
            throw ValidationError("Give either --force or --if-match, not both.")
        }
    }

    func run(with transport: any AdministrationTransport) async throws {
        let current = try await PublishedTemplate(from: transport, options)
        var tag = try tag(of: current)
        // The question is about the current version, so only that one is replaced, even with
        // --force.
        if let current, try await confirm(over: tag, current: current, transport: transport) {
            tag = current.answer.entityTag ?? tag
        }
        var body: JSONNode = ["versionNumber": .string("\(version)")]
        body.setMember("description", description.map { .string($0) })
        let template = try await transport.json(
            AdministrationRequest(
                method: "POST", path: options.projectPath + "/remoteConfig:rollback",
                ifMatch: tag, body: body.jsonData()))
        let replaced = tag == "*" || ifMatch != nil ? nil : current?.versionNumber
        if options.json {
            var node: JSONNode = ["version": template["version"] ?? .null]
            node.setMember("replacedVersionNumber", replaced.map { .string($0) })
            Output.print(node)
        } else {
            let number = template["version"]?["versionNumber"]?.stringValue ?? "?"
            let place = replaced.map { ", in place of version \($0)" } ?? ""
            Terminal.print("Published version \(version) again, as version \(number)\(place).")
        }
    }

    /// The tag of the version to replace.
    private func tag(of current: PublishedTemplate?) throws -> String {
        if let ifMatch { return ifMatch.trimmedTag }
        if force { return "*" }
        guard let current else { return options.entityTag(ofVersion: "0") }
        guard let tag = current.answer.entityTag else {
            throw CommandFailure(
                "The server does not say which version is current: check --server.",
                code: Exit.unavailable)
        }
        return tag
    }

    /// Asks for confirmation of a rollback that removes most settings; false when no question is
    /// needed.
    private func confirm(
        over tag: String, current: PublishedTemplate, transport: any AdministrationTransport
    ) async throws -> Bool {
        // The server rejects a stale version, and a number below 1.
        let isStale = tag != "*" && tag.unquotedTag != current.answer.entityTag?.unquotedTag
        guard !yes, !isStale, version > 0,
            let older = try await PublishedTemplate(from: transport, options, version: version),
            let breaking = older.breakingPublish(over: current)
        else { return false }
        switch Terminal.confirm("\(breaking). Publish?") {
        case true?: return true
        case false?: throw CommandFailure("Nothing was published.", code: Exit.failure)
        case nil: throw breaking.needsYes
        }
    }
}
