import ArgumentParser
import Foundation
import JSONTree

/// `sample-backend publish` publishes a template, or validates it.
struct PublishCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Publish a template, or check it.",
        discussion: """
            A template that was written by "get" or by Firebase knows its version, and is published \
            over that version only: so nobody's change is lost. Without a version, --if-match or \
            --force says what is meant to be replaced, unless nothing is published yet.
            """)

    @Argument(help: "The template, JSON; - is standard input.")
    var file: String

    @OptionGroup var options: AdministrationOptions

    @Option(
        help: ArgumentHelp(
            "The ETag of the version to replace, or * for whatever there is.", valueName: "etag"))
    var ifMatch: String?

    @Flag(help: "Replace whatever there is: the same as --if-match '*'.")
    var force = false

    @Flag(help: "Only check the template.")
    var validateOnly = false

    @Option(help: "What to say about this version, at most 1,024 characters.")
    var description: String?

    @Option(
        name: .customLong("preview-user"),
        help: ArgumentHelp(
            "Show first what changes for this user; may be given more than once.",
            valueName: "id"))
    var previewUsers: [String] = []

    /// Rejects contradictory options.
    func validate() throws {
        if force, ifMatch != nil {
            throw ValidationError("Give either --force or --if-match, not both.")
        }
    }

    func run(with transport: any AdministrationTransport) async throws {
        var template = try InputFile.json(file)
        let tag = try await tag(for: template, transport: transport)
        if let description { template.setMember("version", ["description": .string(description)]) }
        let preview = try await preview(template, transport: transport)
        let answer = try await transport.send(
            AdministrationRequest(
                method: "PUT",
                path: options.projectPath + "/remoteConfig"
                    + (validateOnly ? "?validateOnly=true" : ""),
                ifMatch: tag, body: template.jsonData()))
        if answer.status == 412, ifMatch == nil {
            throw CommandFailure(
                "The file was made from version \(Self.version(of: template)?.escapedForTerminal ?? "0"), which is not "
                    + "the current one: get that and apply the changes to it, or replace it with "
                    + "--force.", code: Exit.versionMismatch)
        }
        guard (200..<300).contains(answer.status) else {
            throw CommandFailure(answer, template: template)
        }
        try report(answer, preview: preview)
    }

    /// The number of the version that a file was made from.
    private static func version(of template: JSONNode) -> String? {
        let number = template["version"]?["versionNumber"]
        return number?.stringValue ?? number?.integerValue.map(String.init)
    }

    /// The entity tag of the version to replace.
    private func tag(
        for template: JSONNode, transport: any AdministrationTransport
    ) async throws -> String {
        if let ifMatch { return ifMatch }
        if force { return "*" }
        if let version = Self.version(of: template) { return "etag-\(options.project)-\(version)" }
        let current = try await transport.send(
            AdministrationRequest(path: options.projectPath + "/remoteConfig"))
        switch current.status {
        case 404: return "etag-\(options.project)-0"
        case 200 where validateOnly: return current.entityTag ?? "*"
        case 200:
            throw CommandFailure(
                "The file does not say which version it was made from, and "
                    + "\(current.entityTag ?? "a version") is published: give --if-match with the "
                    + "version that is meant to be replaced, or --force.",
                code: Exit.versionMismatch)
        default: throw CommandFailure(current)
        }
    }

    /// The changes for the users of `--preview-user` and for connected clients; nil without such
    /// users.
    private func preview(
        _ template: JSONNode, transport: any AdministrationTransport
    ) async throws -> JSONNode? {
        guard !previewUsers.isEmpty else { return nil }
        let body: JSONNode = [
            "template": template,
            "users": .array(previewUsers.map { ["userID": .string($0)] }),
        ]
        return try await transport.json(
            AdministrationRequest(
                method: "POST", path: options.projectPath + "/remoteConfig:preview",
                body: body.jsonData()), template: template)
    }

    private func report(_ answer: AdministrationAnswer, preview: JSONNode?) throws {
        let version = try answer.json["version"]?["versionNumber"]
        if options.json {
            var node: JSONNode = ["validated": true, "published": .bool(!validateOnly)]
            node.setMember("versionNumber", version)
            node.setMember("etag", answer.entityTag.map { .string($0) })
            node.setMember("warnings", .array(answer.warnings.map { .string($0) }))
            node.setMember("users", preview?["users"])
            node.setMember("connected", preview?["connected"])
            Output.print(node)
            return
        }
        for user in preview?["users"]?.arrayValue ?? [] {
            UserReport(user).printChanges()
        }
        if let connected = preview?["connected"], let count = connected["evaluated"]?.integerValue,
            count > 0
        {
            Terminal.print(
                "Of \(count) clients that listen, \(connected["changed"]?.integerValue ?? 0) get "
                    + "another document.")
        }
        for warning in answer.warnings {
            Terminal.printError("\(Terminal.colored("Warning:", .yellow)) \(warning)")
        }
        Terminal.print(
            validateOnly
                ? "The template can be published."
                : "Published version \(version?.stringValue ?? "?") of \(options.project).")
    }
}
