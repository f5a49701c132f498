import ArgumentParser
import Foundation
import JSONTree
import Templates

/// `sample-backend import` converts the export of another service, or a configuration document, into
/// a template.
struct ImportCommand: AsyncParsableCommand {
    /// The kinds of files that can be read.
    enum Service: String, CaseIterable, ExpressibleByArgument {
        case configuration, firebase, parse
    }

    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a template of a configuration document, or of a file of Firebase or Parse.",
        discussion: """
            configuration reads a document that apps read, such as a bootstrap file, firebase a \
            template as the Firebase CLI and REST interface write it, parse the answer of GET \
            /config with the master key. What does not carry over is named on standard error. \
            Publish the template with "publish".
            """)

    @Argument(help: "What the file is: configuration, firebase or parse.")
    var service: Service

    @Argument(help: "The file, JSON; - is standard input.")
    var file: String

    @Option(help: "The section that Parse's parameters become.")
    var section = RemoteConfigTemplate.defaultSectionName

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write the template to this file.", valueName: "file"))
    var output: String?

    @Flag(help: "Answer with one JSON document of the template and the report, for programs.")
    var json = false

    func run() async throws {
        try await CommandFailure.reported(asJSON: json) {
            let data = try InputFile.data(file)
            let original = try InputFile.json(in: data, of: file)
            let result: any TemplateImport
            do throws(TemplateValidationError) {
                result =
                    switch service {
                    case .configuration: try ConfigurationImport(json: original)
                    case .firebase: try FirebaseImport(jsonData: data)
                    case .parse: try ParseConfigImport(jsonData: data, sectionName: section)
                    }
            } catch {
                throw CommandFailure(error.problems, in: original)
            }
            if json {
                let node: JSONNode = [
                    "template": result.template.json(),
                    "report": .array(
                        result.report.map {
                            ["path": .string($0.path), "message": .string($0.message)]
                        }),
                ]
                try Output.write(node.jsonData(.pretty), to: output)
                return
            }
            for remark in result.report { Terminal.printError("\(remark)") }
            try Output.write(result.template.json().jsonData(.pretty), to: output)
        }
    }
}
