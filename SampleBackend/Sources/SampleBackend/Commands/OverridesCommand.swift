import ArgumentParser
import ConfigServer
import HTTPServing
import JSONTree

/// A type that is `sample-backend overrides`: values that are pinned for one user.
struct OverridesCommand: AsyncParsableCommand {
    /// The name, the help and the subcommands.
    static let configuration = CommandConfiguration(
        commandName: "overrides", abstract: "Show, pin or remove values for one user.",
        subcommands: [Get.self, Set.self, Remove.self])

    /// The path of a user's overrides.
    private static func path(of user: String, _ options: AdministrationOptions) -> String {
        options.projectPath + "/users/\(user.percentEncoded)/overrides"
    }

    /// A type that is `sample-backend overrides get`.
    struct Get: AdministrationCommand {
        /// The name and the help.
        static let configuration = CommandConfiguration(
            abstract: "Print what is pinned for a user.")

        /// The user.
        @Argument(help: "The user's ID.")
        var user: String

        /// Whom to ask, and how to answer.
        @OptionGroup var options: AdministrationOptions

        /// Prints the values.
        func run(with transport: any AdministrationTransport) async throws {
            Output.print(
                try await transport.json(AdministrationRequest(path: path(of: user, options))))
        }
    }

    /// A type that is `sample-backend overrides set`.
    struct Set: AdministrationCommand {
        /// The name and the help.
        static let configuration = CommandConfiguration(
            abstract: "Pin values for a user, in place of those pinned before.",
            discussion: #"The file holds values by section and key: {"Home": {"title": "x"}}."#)

        /// The user.
        @Argument(help: "The user's ID.")
        var user: String

        /// The values.
        @Argument(help: "The values, JSON; - is standard input.")
        var file: String

        /// Whom to ask, and how to answer.
        @OptionGroup var options: AdministrationOptions

        /// Pins the values.
        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await transport.json(
                AdministrationRequest(
                    method: "PUT", path: path(of: user, options),
                    body: try InputFile.data(file)))
            if options.json {
                Output.print(answer)
            } else {
                Terminal.print("Pinned for user \(user).")
            }
        }
    }

    /// A type that is `sample-backend overrides remove`.
    struct Remove: AdministrationCommand {
        /// The name and the help.
        static let configuration = CommandConfiguration(
            abstract: "Pin nothing for a user any more.")

        /// The user.
        @Argument(help: "The user's ID.")
        var user: String

        /// Whom to ask, and how to answer.
        @OptionGroup var options: AdministrationOptions

        /// Removes the values.
        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await transport.json(
                AdministrationRequest(method: "DELETE", path: path(of: user, options)))
            if options.json {
                Output.print(answer)
            } else {
                Terminal.print("Nothing is pinned for user \(user) any more.")
            }
        }
    }
}
