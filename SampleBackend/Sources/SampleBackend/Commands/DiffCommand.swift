import ArgumentParser
import Foundation
import JSONTree
import Templates

/// `sample-backend diff` prints the differences between two versions.
struct DiffCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show the differences between two versions, or between a version and a file.")

    @Argument(help: "The older version; 0 is an empty template. (default with --file: the current)")
    var from: Int?

    @Argument(help: "The newer version. (default: the current one)")
    var to: Int?

    @Option(help: ArgumentHelp("Compare with this template instead.", valueName: "file"))
    var file: String?

    @OptionGroup var options: AdministrationOptions

    /// Rejects combinations that leave nothing to compare.
    func validate() throws {
        if from == nil, file == nil {
            throw ValidationError("Give the number of a version, or --file.")
        }
        if to != nil, file != nil {
            throw ValidationError("Give either a second version or --file, not both.")
        }
    }

    func run(with transport: any AdministrationTransport) async throws {
        let old = try await template(version: from, transport: transport)
        let new: RemoteConfigTemplate
        if let file {
            let json = try InputFile.json(file)
            do {
                new = try ValidatedTemplate(json: json).template
            } catch {
                throw CommandFailure(error.problems, in: json)
            }
        } else {
            new = try await template(version: to, transport: transport)
        }
        let diff = TemplateDiff(from: old, to: new)
        if options.json {
            Output.print(diff.json)
            return
        }
        diff.printLines()
    }

    private func template(
        version: Int?, transport: any AdministrationTransport
    ) async throws -> RemoteConfigTemplate {
        // As the state before the first version, which HTTP names so too.
        if version == 0 { return RemoteConfigTemplate() }
        let query = version.map { "?versionNumber=\($0)" } ?? ""
        let answer = try await transport.perform(
            AdministrationRequest(path: options.projectPath + "/remoteConfig" + query))
        do {
            return try ValidatedTemplate(jsonData: answer.body, limits: .none).template
        } catch {
            throw CommandFailure("\(error)", code: Exit.failure)
        }
    }
}

extension TemplateDiff {
    /// Prints the differences as text.
    func printLines() {
        if isEmpty { Terminal.print("Nothing differs.") }
        for line in lines {
            switch line.kind {
            case .heading: Terminal.print(Terminal.colored(line.text, .bold))
            case .old: Terminal.print(Terminal.colored(line.text, .red))
            case .new: Terminal.print(Terminal.colored(line.text, .green))
            }
        }
    }
}
