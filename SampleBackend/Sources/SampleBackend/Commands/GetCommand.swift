import ArgumentParser
import JSONTree

/// `sample-backend get` prints a template.
struct GetCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print the template, the current version or an older one.")

    @OptionGroup var options: AdministrationOptions

    @Option(help: "The version. (default: the current one)")
    var version: Int?

    @Option(name: .shortAndLong, help: ArgumentHelp("Write to this file.", valueName: "file"))
    var output: String?

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
