import ArgumentParser
import JSONTree
import OrderedCollections

/// `sample-backend connections` shows the connected clients and the versions that they acknowledge.
struct ConnectionsCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "connections",
        abstract: "Show the connected clients by version, and the settings that they cannot use.",
        discussion: "ACTIVE and PROBLEMS count the acknowledgements of clients; they need "
            + "\"serve --acknowledgements\".")

    @OptionGroup var options: AdministrationOptions

    func run(with transport: any AdministrationTransport) async throws {
        let answer = try await transport.json(
            AdministrationRequest(path: options.projectPath + "/connections"))
        if options.json {
            Output.print(answer)
            return
        }
        let acknowledged = answer["acknowledgements"]?["versions"]?.arrayValue ?? []
        var rows: [Int: [String]] = [:]
        for (version, count) in answer["versions"]?.objectValue ?? [:] {
            guard let number = Int(version) else { continue }
            rows[number] = [version, Self.text(count), "", ""]
        }
        for version in acknowledged {
            guard let name = version["version"]?.stringValue, let number = Int(name) else {
                continue
            }
            rows[number] = [
                name, rows[number]?[1] ?? "0", Self.text(version["inForce"]),
                Self.text(version["withProblems"]),
            ]
        }
        Output.printTable(
            ["VERSION", "LISTENING", "ACTIVE", "PROBLEMS"],
            rows.sorted { $0.key > $1.key }.map(\.value))
        if let unknown = answer["unknown"] {
            Terminal.print(
                "\(Self.text(unknown)) listening users have a version that the store never made: was it "
                    + "restored? See \"sample-backend raise-versions --help\".")
        }
        let silent = answer["replicas"]?["silentNames"]?.arrayValue ?? []
        if !silent.isEmpty {
            let names = silent.compactMap(\.stringValue).joined(separator: "; ")
            Terminal.print("not counted, no response from these servers: \(names)")
        }
        if let publish = answer["lastPublish"] {
            Terminal.print(
                "version \(publish["version"]?.stringValue ?? "") changed something for "
                    + "\(Self.text(publish["changed"])) of \(Self.text(publish["users"])) users "
                    + "that were connected")
        }
        for version in acknowledged {
            for problem in version["problems"]?.arrayValue ?? [] {
                Terminal.print(Self.sentence(problem, version: version["version"]))
            }
        }
    }

    private static func text(_ node: JSONNode?) -> String { "\(node?.integerValue ?? 0)" }

    /// One line, such as `version 12: 3 clients cannot use Checkout.limits: it is a string`.
    private static func sentence(_ problem: JSONNode, version: JSONNode?) -> String {
        let place = [problem["section"], problem["key"]].compactMap { $0?.stringValue }
            .joined(separator: ".").escapedForTerminal
        let count = problem["clients"]?.integerValue ?? 0
        let message = (problem["message"]?.stringValue ?? "").escapedForTerminal
        return "version \(version?.stringValue ?? ""): \(count) "
            + "\(count == 1 ? "client" : "clients") cannot use \(place)"
            + (message.isEmpty ? "" : ": \(message)")
    }
}
