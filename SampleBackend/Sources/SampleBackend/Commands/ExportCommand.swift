import ActiveConfigGeneration
import ArgumentParser
import Foundation
import Rendering
import Templates

/// `sample-backend export` writes the default values in a format that apps bundle.
struct ExportCommand: AdministrationCommand {
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case json, plist, xml, activeconfig, swift
    }

    /// Access levels of the format `swift`.
    enum AccessLevel: String, CaseIterable, ExpressibleByArgument {
        case `internal`, package, `public`

        var modelLevel: SettingsModel.AccessLevel {
            switch self {
            case .internal: .internal
            case .package: .package
            case .public: .public
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the default values as a file that an app bundles.",
        discussion: """
            activeconfig is the exchange format, for a bootstrap file; swift is a type for each \
            section with typed keys, as the plug-in GenerateSettings generates from that file; \
            json, plist and xml are Firebase's flat files, without sections: of the settings \
            with one name in two sections only the first is written, and a warning names the others.
            """)

    @Option(help: "The format of the file.")
    var format = Format.activeconfig

    @Option(
        name: .customLong("access-level"),
        help: "The access level of the types in format swift. (default: internal)")
    var accessLevel: AccessLevel?

    @Option(name: .shortAndLong, help: ArgumentHelp("Write to this file.", valueName: "file"))
    var output: String?

    @OptionGroup var options: AdministrationOptions

    /// Rejects an access level for a format without types.
    func validate() throws {
        if accessLevel != nil, format != .swift {
            throw ValidationError("--access-level is for --format swift.")
        }
        if options.json, ![.activeconfig, .json].contains(format) {
            throw ValidationError("The format \(format) is not JSON: remove --json.")
        }
    }

    func run(with transport: any AdministrationTransport) async throws {
        guard format != .swift else {
            try Output.write(try await swiftSource(from: transport), to: output)
            return
        }
        let answer = try await transport.perform(
            AdministrationRequest(
                path: options.projectPath
                    + "/remoteConfig:downloadDefaults?format=\(format.rawValue.uppercased())"))
        answer.printWarnings()
        try Output.write(answer.body, to: output)
    }

    private func swiftSource(from transport: any AdministrationTransport) async throws -> Data {
        let answer = try await transport.perform(
            AdministrationRequest(path: options.projectPath + "/remoteConfig"))
        do {
            let validated = try ValidatedTemplate(jsonData: answer.body, limits: .none)
            let version =
                validated.template.version ?? TemplateVersion(number: 0, updateTime: .distantPast)
            let model = try SettingsModel(
                CompiledTemplate(validated, version: version),
                accessLevel: accessLevel?.modelLevel ?? .internal)
            return Data(model.swiftSource().utf8)
        } catch {
            throw CommandFailure("\(error)", code: Exit.failure)
        }
    }
}
