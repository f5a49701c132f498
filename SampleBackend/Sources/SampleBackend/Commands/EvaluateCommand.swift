import ArgumentParser
import JSONTree

/// A type that is `sample-backend evaluate`: it says what a user gets, and why.
struct EvaluateCommand: AdministrationCommand {
    /// The name and the help.
    static let configuration = CommandConfiguration(
        commandName: "evaluate", abstract: "Say what a user gets, and why.",
        discussion: """
            Signals are what an app says about itself: app.id, app.version, app.build, device.os, \
            device.country, device.language, and custom ones by their own name.
            """)

    /// The user.
    @Option(help: ArgumentHelp("The user's ID; the generic user without it.", valueName: "id"))
    var user: String?

    /// What the user's app says about itself.
    @Option(
        name: .customLong("signal"),
        help: ArgumentHelp("A signal; may be given more than once.", valueName: "name=value"))
    var signals: [String] = []

    /// A template to look at instead of the published one.
    @Option(
        help: ArgumentHelp(
            "Look at this template as if it were published.", valueName: "file"))
    var template: String?

    /// Whom to ask, and how to answer.
    @OptionGroup var options: AdministrationOptions

    /// Refuses signals without a value.
    func validate() throws {
        for signal in signals where !signal.dropFirst().contains("=") {
            throw ValidationError("The signal \"\(signal)\" has no value: give name=value.")
        }
    }

    /// Asks, and prints the answer.
    func run(with transport: any AdministrationTransport) async throws {
        var values = JSONNode.emptyObject
        for signal in signals {
            let parts = signal.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            values.setMember(String(parts[0]), .string(String(parts[1])))
        }
        let id = user.map { JSONNode.string($0) } ?? .null
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
            Console.print(Output.colored("Document", .bold))
            Output.print(node["proposed"] ?? node["current"] ?? .null)
        }
    }
}
