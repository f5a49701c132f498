import ArgumentParser
import JSONTree

/// `sample-backend evaluate` prints a user's configuration and the reason for each value.
struct EvaluateCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate", abstract: "Show what a user gets, and why.",
        discussion: ClientOptions.help)

    @OptionGroup var client: ClientOptions

    @Option(
        help: ArgumentHelp(
            "Evaluate this template as if it were published.", valueName: "file"))
    var template: String?

    @OptionGroup var options: AdministrationOptions

    func run(with transport: any AdministrationTransport) async throws {
        let id = client.user.map { JSONNode.string($0) } ?? .null
        var body: JSONNode = ["users": [["userID": id, "signals": client.app.json]]]
        let proposed = try template.map(InputFile.json)
        body.setMember("template", proposed)
        let answer = try await transport.json(
            AdministrationRequest(
                method: "POST", path: options.projectPath + "/remoteConfig:preview",
                body: body.jsonData(), isTrial: true), template: proposed)
        guard let node = answer["users"]?.arrayValue?.first else {
            throw CommandFailure("The server's response names no user.", code: Exit.failure)
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
