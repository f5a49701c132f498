import ActiveConfigGeneration
import Foundation

/// The program behind the plug-in `GenerateSettings`.
@main
enum ActiveConfigGenerator {
    private static let help = """
        USAGE: ActiveConfigGenerator DOCUMENT [--schema FILE] [--output FILE] [--help]

        Writes Swift: for each section of a configuration in the exchange format a
        type, with a typed key for each setting. A schema says what the document does
        not: types, descriptions, the access level. A setting without "value", and a
        section without "settings", is left out with a warning.

          --schema FILE  The schema (default: none).
          --output FILE  The Swift file, left alone when it would be the same
                         (default: standard output).
          --help         This text.

        Exit codes: 0 all went well, 1 there is an error in a file, 64 wrong usage,
        66 a file cannot be read, 73 the output cannot be written.
        """

    private struct Failure: Error {
        let message: String
        let code: Int32

        init(_ message: String, code: Int32) {
            self.message = message
            self.code = code
        }
    }

    static func main() {
        do throws(Failure) {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("\(error.message)\n".utf8))
            exit(error.code)
        }
    }

    private static func run(_ arguments: [String]) throws(Failure) {
        var documentPath: String?
        var schemaPath: String?
        var outputPath: String?
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                print(help)
                return
            case "--schema": schemaPath = try value(of: argument, &rest)
            case "--output": outputPath = try value(of: argument, &rest)
            default:
                guard documentPath == nil, !argument.hasPrefix("-") else {
                    throw usage("\"\(argument)\" is no option, or one document too many")
                }
                documentPath = argument
            }
        }
        guard let documentPath else { throw usage("the document is missing") }
        let source = try source(documentPath: documentPath, schemaPath: schemaPath)
        if let outputPath {
            try write(source, to: outputPath)
        } else {
            print(source, terminator: "")
        }
    }

    private static func source(
        documentPath: String, schemaPath: String?
    ) throws(Failure) -> String {
        let document = try read(documentPath)
        var schema: Data?
        if let schemaPath { schema = try read(schemaPath) }
        for omission in SettingsModel.omissions(in: document) {
            let warning = omission.diagnostic(path: documentPath, severity: .warning)
            FileHandle.standardError.write(Data("\(warning)\n".utf8))
        }
        do throws(SettingsModelError) {
            return try SettingsModel(document: document, schema: schema).swiftSource()
        } catch {
            let path = error.file == .schema ? schemaPath ?? documentPath : documentPath
            throw Failure(error.diagnostic(path: path), code: EXIT_FAILURE)
        }
    }

    private static func read(_ path: String) throws(Failure) -> Data {
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw Failure(
                "\(path):1:1: error: the file cannot be read; check that it exists and may be read",
                code: EX_NOINPUT)
        }
    }

    private static func write(_ source: String, to path: String) throws(Failure) {
        let data = Data(source.utf8)
        let url = URL(fileURLWithPath: path)
        // An unchanged output is not rewritten, so that its dependents are not rebuilt.
        if let old = try? Data(contentsOf: url), old == data { return }
        do {
            try data.write(to: url, options: .atomic)
        } catch {
            throw Failure(
                "\(path):1:1: error: the file cannot be written; check that its folder exists and "
                    + "may be written", code: EX_CANTCREAT)
        }
    }

    private static func value(
        of option: String, _ rest: inout ArraySlice<String>
    ) throws(Failure) -> String {
        guard let value = rest.popFirst() else { throw usage("\(option) needs a file") }
        return value
    }

    private static func usage(_ reason: String) -> Failure {
        Failure("ActiveConfigGenerator: error: \(reason); see --help", code: EX_USAGE)
    }
}
