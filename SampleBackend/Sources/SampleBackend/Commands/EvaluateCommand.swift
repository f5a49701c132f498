import ArgumentParser
import JSONTree

/// `sample-backend evaluate` prints a user's configuration and the reason for each value.
struct EvaluateCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate", abstract: "Show what a user gets, and why.",
        discussion: ClientOptions.help + """


            --at shows what the user got at an earlier time: by the version of then, with the values \
            that were pinned then, and conditions on dateTime as of then. The last 300 versions are \
            kept. Signals of then are not: give them.
            """)

    @OptionGroup var client: ClientOptions

    @Option(
        help: ArgumentHelp(
            "Evaluate this template as if it were published.", valueName: "file"))
    var template: String?

    @Option(
        help: ArgumentHelp(
            "Evaluate as of this time, with an offset, such as 2026-01-31T12:00:00+09:00.",
            valueName: "time"))
    var at: String?

    @OptionGroup var options: AdministrationOptions

    /// Rejects contradictory options.
    func validate() throws {
        if at != nil, template != nil {
            throw ValidationError("Give either --at or --template, not both.")
        }
    }

    func run(with transport: any AdministrationTransport) async throws {
        let id = client.user.map { JSONNode.string($0) } ?? .null
        var body: JSONNode = ["users": [["userID": id, "signals": client.app.json]]]
        let proposed = try template.map(InputFile.json)
        body.setMember("template", proposed)
        body.setMember("at", at.map { .string($0) })
        let answer = try await transport.json(
            AdministrationRequest(
                method: "POST", path: options.projectPath + "/remoteConfig:preview",
                body: body.jsonData(), isTrial: true), template: proposed)
        guard var node = answer["users"]?.arrayValue?.first else {
            throw CommandFailure("The server's response names no user.", code: Exit.failure)
        }
        if at != nil {
            node.setMember("at", answer["at"])
            node.setMember("version", answer["version"])
        }
        if options.json {
            Output.print(node)
        } else {
            UserReport(node).printReasons()
            Terminal.print(Terminal.colored("Document", .bold))
            Output.print(node["proposed"] ?? node["current"] ?? .null)
        }
    }
}
