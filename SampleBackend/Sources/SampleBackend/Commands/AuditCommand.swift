import ArgumentParser
import Foundation
import HTTPServing
import JSONTree

/// `sample-backend audit` lists the actions of administrators.
struct AuditCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "List who did what and when, newest first.",
        discussion: """
            Options select entries that meet all of them. Times are such as 2026-01-31T12:00:00Z.
            """)

    @Option(help: "Maximum number of entries, 1 to 1000.")
    var limit = 50

    @Option(help: "Words that an entry has, in any order and case.")
    var text: String?

    @Option(help: "Part of the name of who did it; \"Admin token\" is the environment's.")
    var actor: String?

    @Option(help: "Actions, separated by commas, such as PUBLISH,ROLLBACK or FAILED_SIGN_IN.")
    var action: String?

    @Option(help: "The first time.")
    var since: String?

    @Option(help: "The time before which entries are listed.")
    var until: String?

    @OptionGroup var options: AdministrationOptions

    /// Rejects values that the server would reject.
    func validate() throws {
        guard (1...1_000).contains(limit) else {
            throw ValidationError("--limit is out of range: give 1 to 1000.")
        }
    }

    func run(with transport: any AdministrationTransport) async throws {
        let answer = try await entries(with: transport)
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

    /// Reads pages until there are enough entries: one answer searches a part of a long trail.
    private func entries(with transport: any AdministrationTransport) async throws -> JSONNode {
        let filters = [
            ("text", text), ("actor", actor), ("action", action), ("startTime", since),
            ("endTime", until),
        ].compactMap { name, value in value.map { "&\(name)=\($0.percentEncoded)" } }.joined()
        var entries: [JSONNode] = []
        var pageToken: String?
        repeat {
            let page = try await transport.json(
                AdministrationRequest(
                    path: options.projectPath + "/audit?pageSize=\(limit - entries.count)\(filters)"
                        + (pageToken.map { "&pageToken=\($0)" } ?? "")))
            entries += page["entries"]?.arrayValue ?? []
            pageToken = page["nextPageToken"]?.stringValue
        } while pageToken != nil && entries.count < limit
        var answer: JSONNode = ["entries": .array(entries)]
        answer.setMember("nextPageToken", pageToken.map { .string($0) })
        return answer
    }
}
