import ArgumentParser
import JSONTree

/// `sample-backend projects` creates, lists, describes, archives and deletes projects.
struct ProjectsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "projects",
        abstract: "Create, list, describe, archive or delete projects.",
        subcommands: [
            List.self, Create.self, Set.self, Archive.self, Unarchive.self, Delete.self,
        ],
        defaultSubcommand: List.self)

    /// The members of a project's details, as the server names them.
    static let members = ["displayName", "environment", "color"]

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
                ["NAME", "SHOWN AS", "ENVIRONMENT", "COLOR", "VERSION", "TIME", "STATE"],
                (answer["projects"]?.arrayValue ?? []).map { project in
                    members.map { project[$0]?.stringValue ?? "" }
                        + [Self.state(of: project)]
                })
        }

        private static func state(of project: JSONNode) -> String {
            [("archived", "archived"), ("unpublished", "nothing published")]
                .filter { project[$0.0]?.boolValue == true }.map(\.1).joined(separator: ", ")
        }
    }

    /// `sample-backend projects set`.
    struct Set: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set the name, colour and environment of the project of --project.",
            discussion: "Omitted options change nothing; an empty text removes a detail. Clients "
                + "do not receive them.")

        @OptionGroup var details: ProjectDetailsOptions
        @OptionGroup var options: AdministrationOptions

        /// Rejects a call that changes nothing.
        func validate() throws {
            if details.given.isEmpty {
                throw ValidationError(
                    "Nothing to set: give --display-name, --environment or --color.")
            }
        }

        func run(with transport: any AdministrationTransport) async throws {
            var body = JSONNode.emptyObject
            details.set(on: &body)
            let answer = try await transport.json(
                AdministrationRequest(
                    method: "PATCH", path: options.projectPath + "/details",
                    body: body.jsonData()))
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
