import ArgumentParser
import JSONTree

/// A type that is `sample-backend evaluate`: it says what a user gets, and why.
struct EvaluateCommand: AdministrationCommand {
    /// The name and the help.
    static let configuration = CommandConfiguration(
        commandName: "evaluate", abstract: "Say what a user gets, and why.",
        discussion: ClientOptions.help)

    /// As whom to ask.
    @OptionGroup var client: ClientOptions

    /// A template to look at instead of the published one.
    @Option(
        help: ArgumentHelp(
            "Look at this template as if it were published.", valueName: "file"))
    var template: String?

    /// Whom to ask, and how to answer.
    @OptionGroup var options: AdministrationOptions

    /// Asks, and prints the answer.
    func run(with transport: any AdministrationTransport) async throws {
        var values = JSONNode.emptyObject
        for (name, value) in client.signalValues { values.setMember(name, .string(value)) }
        let id = client.user.map { JSONNode.string($0) } ?? .null
        var body: JSONNode = ["users": [["userID": id, "signals": values]]]
        let proposed = try template.map(InputFile.json)
        body.setMember("template", proposed)
        let answer = try await transport.json(
            AdministrationRequest(
                method: "POST", path: options.projectPath + "/remoteConfig:preview",
                body: body.jsonData()), template: proposed)
        guard let node = answer["users"]?.arrayValue?.first else {
            throw CommandFailure("The server answered for no user.", code: Exit.failure)
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
