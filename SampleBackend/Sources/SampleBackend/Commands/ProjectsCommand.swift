import ArgumentParser
import JSONTree

/// `sample-backend projects` lists the projects, and sets the details that distinguish them.
struct ProjectsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "projects",
        abstract: "List the projects, or set the name, colour and environment of one.",
        subcommands: [List.self, Set.self], defaultSubcommand: List.self)

    /// The members of a project's details, as the server names them.
    private static let members = ["displayName", "environment", "color"]

    /// `sample-backend projects list`.
    struct List: AdministrationCommand {
        static let configuration = CommandConfiguration(abstract: "List the projects by name.")

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await transport.json(AdministrationRequest(path: "/v1/projects"))
            if options.json {
                Output.print(answer)
                return
            }
            let members = ["name"] + ProjectsCommand.members + ["versionNumber", "updateTime"]
            Output.printTable(
                ["NAME", "SHOWN AS", "ENVIRONMENT", "COLOR", "VERSION", "TIME"],
                (answer["projects"]?.arrayValue ?? []).map { project in
                    members.map { project[$0]?.stringValue ?? "" }
                })
        }
    }

    /// `sample-backend projects set`.
    struct Set: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set the name, colour and environment of the project of --project.",
            discussion: "Omitted options change nothing; an empty text removes a detail. Clients "
                + "do not receive them.")

        @Option(help: "The name to show, at most 64 characters.")
        var displayName: String?

        @Option(help: "PRODUCTION, STAGING or DEVELOPMENT.")
        var environment: String?

        @Option(help: "RED, ORANGE, GREEN, TEAL, BLUE, PURPLE, PINK or GRAY.")
        var color: String?

        @OptionGroup var options: AdministrationOptions

        /// Rejects a call that changes nothing.
        func validate() throws {
            if displayName == nil, environment == nil, color == nil {
                throw ValidationError(
                    "Nothing to set: give --display-name, --environment or --color.")
            }
        }

        func run(with transport: any AdministrationTransport) async throws {
            let path = options.projectPath + "/details"
            let current = try await transport.perform(AdministrationRequest(path: path))
            var details = try current.json
            let given = [displayName, environment?.uppercased(), color?.uppercased()]
            for (member, text) in zip(ProjectsCommand.members, given) {
                guard let text else { continue }
                details.setMember(member, text.isEmpty ? .null : .string(text))
            }
            let answer = try await transport.json(
                AdministrationRequest(
                    method: "PUT", path: path, ifMatch: current.entityTag,
                    body: details.jsonData()))
            if options.json {
                Output.print(answer)
                return
            }
            let texts = ProjectsCommand.members.compactMap { answer[$0]?.stringValue }
            Terminal.print(
                "\(options.project): "
                    + (texts.isEmpty ? "nothing is set" : texts.joined(separator: ", "))
                    .escapedForTerminal + ".")
        }
    }
}
