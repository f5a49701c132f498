import ArgumentParser

/// A type that is `sample-backend export`: it writes the default values as a file for an app.
struct ExportCommand: AdministrationCommand {
    /// The formats of the file.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case json, plist, xml, activeconfig
    }

    /// The name and the help.
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the default values as a file that an app bundles.",
        discussion: """
            activeconfig is the exchange format, ready as a bootstrap file; json, plist and xml are \
            the flat files of Firebase.
            """)

    /// The format.
    @Option(help: "The format of the file.")
    var format = Format.activeconfig

    /// Where to write.
    @Option(name: .shortAndLong, help: ArgumentHelp("Write to this file.", valueName: "file"))
    var output: String?

    /// Whom to ask, and how to answer.
    @OptionGroup var options: AdministrationOptions

    /// Writes the file.
    func run(with transport: any AdministrationTransport) async throws {
        let answer = try await transport.perform(
            AdministrationRequest(
                path: options.projectPath
                    + "/remoteConfig:downloadDefaults?format=\(format.rawValue.uppercased())"))
        try Output.write(answer.body, to: output)
    }
}
