import ArgumentParser
import Foundation
import JSONTree
import Templates

/// `sample-backend import` converts the export of another service, or a configuration document, into
/// a template.
struct ImportCommand: AsyncParsableCommand {
    /// The supported kinds of files.
    enum Service: String, CaseIterable, ExpressibleByArgument {
        case configuration, firebase, launchdarkly, parse
    }

    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract:
            "Convert a configuration document, or a file of Firebase, LaunchDarkly or Parse, to a template.",
        discussion: """
            configuration reads a document for apps, such as a bootstrap file; firebase reads a \
            template from the Firebase CLI or REST interface; launchdarkly reads the response of \
            GET /api/v2/flags/PROJECT?env=ENVIRONMENT&summary=0, to which the items of GET \
            /api/v2/segments/PROJECT/ENVIRONMENT must be joined as "segments", or the data of \
            server-side SDKs; \
            parse reads the response of GET /config with the master key. What cannot be converted is listed on standard error. \
            Publish the template with "publish".
            """)

    @Argument(help: "The kind of the file: configuration, firebase, launchdarkly or parse.")
    var service: Service

    @Argument(help: "The file, JSON; - is standard input.")
    var file: String

    @Option(help: "The section for LaunchDarkly's flags or Parse's parameters.")
    var section = RemoteConfigTemplate.defaultSectionName

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write the template to this file.", valueName: "file"))
    var output: String?

    @Flag(help: "Print one JSON document with the template and the report, for scripts.")
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
                    case .launchdarkly:
                        try LaunchDarklyImport(jsonData: data, sectionName: section)
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
