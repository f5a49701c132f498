import ArgumentParser

/// `sample-backend export` writes the default values in a file format that apps bundle.
struct ExportCommand: AdministrationCommand {
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case json, plist, xml, activeconfig
    }

    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the default values as a file that an app bundles.",
        discussion: """
            activeconfig is the exchange format, ready as a bootstrap file; json, plist and xml are \
            the flat files of Firebase.
            """)

    @Option(help: "The format of the file.")
    var format = Format.activeconfig

    @Option(name: .shortAndLong, help: ArgumentHelp("Write to this file.", valueName: "file"))
    var output: String?

    @OptionGroup var options: AdministrationOptions

    func run(with transport: any AdministrationTransport) async throws {
        let answer = try await transport.perform(
            AdministrationRequest(
                path: options.projectPath
                    + "/remoteConfig:downloadDefaults?format=\(format.rawValue.uppercased())"))
        try Output.write(answer.body, to: output)
    }
}
