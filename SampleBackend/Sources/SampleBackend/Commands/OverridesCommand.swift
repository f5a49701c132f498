import ArgumentParser
import ConfigServer
import Foundation
import HTTPServing
import JSONTree
import Templates

/// `sample-backend overrides` administers the pinned values of one user.
struct OverridesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "overrides", abstract: "Show, pin or remove values for one user.",
        subcommands: [Get.self, Set.self, Remove.self])

    private static func path(of user: String, _ options: AdministrationOptions) -> String {
        options.projectPath + "/users/\(user.percentEncoded)/overrides"
    }

    /// `sample-backend overrides get`.
    struct Get: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a user's pinned values.")

        @Argument(help: "The user's ID.")
        var user: String

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            Output.print(
                try await transport.json(AdministrationRequest(path: path(of: user, options))))
        }
    }

    /// `sample-backend overrides set`.
    struct Set: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Replace a user's pinned values.",
            discussion: """
                The file has values by section and key: {"Home": {"title": "x"}}. The settings \
                must be published, and the values must have their types.
                """)

        @Argument(help: "The user's ID.")
        var user: String

        @Argument(help: "The values, JSON; - is standard input.")
        var file: String

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let data = try InputFile.data(file)
            _ = try InputFile.json(in: data, of: file)
            try await check(data, transport: transport)
            let answer = try await transport.json(
                AdministrationRequest(
                    method: "PUT", path: path(of: user, options), body: data))
            if options.json {
                Output.print(answer)
            } else {
                Terminal.print("Pinned for user \(user).")
            }
        }

        /// Checks the values against the current template.
        ///
        /// - Throws: A ``CommandFailure`` with all problems.
        private func check(_ data: Data, transport: any AdministrationTransport) async throws {
            guard let current = try await PublishedTemplate(from: transport, options) else {
                return
            }
            let problems: [TemplateProblem]
            do throws(TemplateValidationError) {
                problems = try OverridesDocument(jsonData: data).problems(in: current.template)
            } catch {
                problems = error.problems
            }
            if !problems.isEmpty { throw CommandFailure(problems, in: nil) }
        }
    }

    /// `sample-backend overrides remove`.
    struct Remove: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove all pinned values of a user.")

        @Argument(help: "The user's ID.")
        var user: String

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await transport.json(
                AdministrationRequest(method: "DELETE", path: path(of: user, options)))
            if options.json {
                Output.print(answer)
            } else {
                Terminal.print("No values are pinned for user \(user).")
            }
        }
    }
}
