import ArgumentParser
import JSONTree

/// `sample-backend audit` lists the actions of administrators.
struct AuditCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "List who did what and when, newest first.")

    @Option(help: "Maximum number of entries, 1 to 1000.")
    var limit = 50

    @OptionGroup var options: AdministrationOptions

    /// Rejects values that the server would reject.
    func validate() throws {
        guard (1...1_000).contains(limit) else {
            throw ValidationError("--limit is out of range: give 1 to 1000.")
        }
    }

    func run(with transport: any AdministrationTransport) async throws {
        let answer = try await transport.json(
            AdministrationRequest(path: options.projectPath + "/audit?pageSize=\(limit)"))
        if options.json {
            Output.print(answer)
            return
        }
        let rows = (answer["entries"]?.arrayValue ?? []).map { entry in
            ["time", "actor", "action", "subject", "detail"].map {
                entry[$0]?.stringValue ?? ""
            }
        }
        Output.printTable(["TIME", "BY", "WHAT", "TO", "DETAIL"], rows)
    }
}
