import ArgumentParser
import JSONTree
import TemplateStore

/// `sample-backend protection` shows and sets the approvals that a publish needs.
struct ProtectionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "protection",
        abstract: "Show or set the approvals that a publish in a project needs.",
        subcommands: [Show.self, Set.self])

    private static func path(_ options: AdministrationOptions) -> String {
        options.projectPath + "/protection"
    }

    private static func print(_ answer: JSONNode, _ options: AdministrationOptions) {
        if options.json { return Output.print(answer) }
        let number = answer["requiredApprovals"]?.integerValue ?? 0
        guard number > 0 else { return Terminal.print("The project is not protected.") }
        let parts = [
            "\(number) \(number == 1 ? "approval" : "approvals") to publish",
            answer["selfApproval"] == .bool(true) ? "own ones count" : nil,
            answer["rollbackWithoutApproval"] == .bool(true) ? "rollback without" : nil,
        ]
        Terminal.print(parts.compactMap { $0 }.joined(separator: ", ") + ".")
        let refused = (answer["refusedTokens"]?.arrayValue ?? []).compactMap(\.stringValue)
        guard !refused.isEmpty else { return }
        Terminal.print(
            "These tokens publish only what others have approved: "
                + refused.map(\.escapedForTerminal).joined(separator: ", ") + ".")
    }

    /// `sample-backend protection show`.
    struct Show: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the approvals that a publish needs.")

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            ProtectionCommand.print(
                try await transport.json(
                    AdministrationRequest(path: ProtectionCommand.path(options))), options)
        }
    }

    /// `sample-backend protection set`.
    struct Set: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set the approvals that a publish needs; 0 ends the protection.",
            discussion: "To end or lower it, the token must be one that may bypass approvals.")

        @Argument(help: "The number of people who must approve, 0 to 10.")
        var approvals: Int

        @Flag(help: "Count approvals of those who made or edited a change request.")
        var selfApproval = false

        @Flag(help: "Let the exact content of a version be rolled back without approvals.")
        var rollbackWithoutApproval = false

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let body: JSONNode = [
                "requiredApprovals": .number("\(approvals)"),
                "selfApproval": .bool(selfApproval),
                "rollbackWithoutApproval": .bool(rollbackWithoutApproval),
            ]
            ProtectionCommand.print(
                try await transport.json(
                    AdministrationRequest(
                        method: "PUT", path: ProtectionCommand.path(options), ifMatch: "*",
                        body: body.jsonData())), options)
        }
    }
}
