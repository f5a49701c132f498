import ArgumentParser
import JSONTree

/// A type that is `sample-backend get`: it prints a template.
struct GetCommand: AdministrationCommand {
    /// The name and the help.
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print the template, the current version or an older one.")

    /// Whom to ask, and how to answer.
    @OptionGroup var options: AdministrationOptions

    /// The version.
    @Option(help: "The version; the current one when it is left out.")
    var version: Int?

    /// Where to write.
    @Option(name: .shortAndLong, help: ArgumentHelp("Write to this file.", valueName: "file"))
    var output: String?

    /// Prints the template.
    func run(with transport: any AdministrationTransport) async throws {
        let query = version.map { "?versionNumber=\($0)" } ?? ""
        let template = try await transport.json(
            AdministrationRequest(path: options.projectPath + "/remoteConfig" + query))
        if let output, output != "-" {
            try Output.write(template.jsonData(.pretty), to: output)
        } else {
            Output.print(template)
        }
    }
}
