import ArgumentParser
import JSONTree

/// `sample-backend rollback` publishes an older version again.
struct RollbackCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Publish an older version again, as a new version.",
        discussion: """
            Give --if-match with the version that you looked at when you decided: when somebody has \
            published since, nothing is done, and nobody's change is undone unseen. Without it, the \
            version that is current when the command starts is replaced, and no other. When the \
            older version lacks more than half of the settings, the command asks first.
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

    @Flag(
        name: .shortAndLong,
        help: "Ask nothing: publish also what removes more than half of the settings.")
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
        // The question is about the current version only, also with --force.
        if let current, try await confirm(over: tag, current: current, transport: transport) {
            tag = current.answer.entityTag ?? tag
        }
        let body: JSONNode = ["versionNumber": .string("\(version)")]
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

    /// Asks before a rollback that removes most settings; false when there is nothing to ask.
    private func confirm(
        over tag: String, current: PublishedTemplate, transport: any AdministrationTransport
    ) async throws -> Bool {
        // The server refuses to replace another version than the current one, and a number below 1.
        let isStale = tag != "*" && tag.unquotedTag != current.answer.entityTag?.unquotedTag
        guard !yes, !isStale, version > 0,
            let older = try await PublishedTemplate(from: transport, options, version: version),
            let removal = older.removal(from: current)
        else { return false }
        switch Terminal.confirm("\(removal). Publish?") {
        case true?: return true
        case false?: throw CommandFailure("Nothing was published.", code: Exit.failure)
        case nil: throw removal.needsYes
        }
    }
}
