import ArgumentParser
import HTTPServing
import JSONTree

/// The options for the details of a project.
struct ProjectDetailsOptions: ParsableArguments {
    @Option(help: "The name to show, at most 64 characters.")
    var displayName: String?

    @Option(help: "PRODUCTION, STAGING or DEVELOPMENT.")
    var environment: String?

    @Option(help: "RED, ORANGE, GREEN, TEAL, BLUE, PURPLE, PINK or GRAY.")
    var color: String?

    /// The given details by member.
    var given: [(member: String, text: String)] {
        zip(
            ProjectsCommand.members, [displayName, environment?.uppercased(), color?.uppercased()]
        ).compactMap { member, text in text.map { (member, $0) } }
    }

    /// Sets the given details as members of a request; an empty text removes one.
    func set(on body: inout JSONNode) {
        for (member, text) in given {
            body.setMember(member, text.isEmpty ? .null : .string(text))
        }
    }
}

extension ProjectsCommand {
    /// `sample-backend projects create`.
    struct Create: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create the project of --project, which is empty.",
            discussion: "Clients receive documents without settings until the first publish.")

        @OptionGroup var details: ProjectDetailsOptions
        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            var body: JSONNode = ["project": .string(options.project)]
            details.set(on: &body)
            let answer = try await transport.json(
                AdministrationRequest(
                    method: "POST", path: "/v1/projects", body: body.jsonData()))
            if options.json {
                Output.print(answer)
            } else {
                Terminal.print("Created the project \(options.project.escapedForTerminal).")
            }
        }
    }

    /// `sample-backend projects archive`.
    struct Archive: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Archive the project of --project: it can be read, but not changed.",
            discussion: "Clients receive its configurations as before.")

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            try await ProjectsCommand.setArchived(true, options, with: transport)
        }
    }

    /// `sample-backend projects unarchive`.
    struct Unarchive: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make the archived project of --project changeable again.")

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            try await ProjectsCommand.setArchived(false, options, with: transport)
        }
    }

    /// `sample-backend projects delete`.
    struct Delete: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete the archived project of --project with all of its content.",
            discussion: "Its versions, drafts, pinned values and webhooks are lost; the audit "
                + "trail stays. Clients receive 404 from then on.")

        @Option(help: "The name of the project again, as a confirmation.")
        var confirm: String

        @OptionGroup var options: AdministrationOptions

        /// Rejects a confirmation of another project.
        func validate() throws {
            if confirm != options.project {
                throw ValidationError(
                    "--confirm must equal --project, which is \"\(options.project)\".")
            }
        }

        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await transport.json(
                AdministrationRequest(
                    method: "DELETE",
                    path: options.projectPath + "?confirm=\(confirm.percentEncoded)"))
            if options.json {
                Output.print(answer)
            } else {
                Terminal.print("Deleted the project \(options.project.escapedForTerminal).")
            }
        }
    }

    private static func setArchived(
        _ isArchived: Bool, _ options: AdministrationOptions,
        with transport: any AdministrationTransport
    ) async throws {
        let body: JSONNode = ["archived": .bool(isArchived)]
        let answer = try await transport.json(
            AdministrationRequest(
                method: "PATCH", path: options.projectPath + "/details", body: body.jsonData()))
        if options.json {
            Output.print(answer)
            return
        }
        let name = options.project.escapedForTerminal
        Terminal.print(
            isArchived
                ? "Archived the project \(name)." : "The project \(name) can be changed again.")
    }
}
