import ArgumentParser
import ConfigServer
import HTTPServing
import JSONTree

/// `sample-backend webhooks` administers the addresses that receive a request for each event.
struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "List, add or remove the addresses that are notified of publishes and change "
            + "requests.",
        subcommands: [List.self, Add.self, Remove.self, Deliveries.self])

    /// `sample-backend webhooks list`.
    struct List: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the webhooks of a project, the oldest first.")

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await transport.json(
                AdministrationRequest(path: options.projectPath + "/webhooks"))
            if options.json {
                Output.print(answer)
                return
            }
            let rows = (answer["webhooks"]?.arrayValue ?? []).map { webhook in
                let last = webhook["lastDelivery"]
                return [
                    webhook["id"]?.stringValue ?? "", webhook["url"]?.stringValue ?? "",
                    (webhook["events"]?.arrayValue ?? []).compactMap(\.stringValue)
                        .joined(separator: ","),
                    last.map(WebhooksCommand.subject(of:)) ?? "",
                    last?["state"]?.stringValue ?? "never",
                ]
            }
            Output.printTable(["ID", "URL", "EVENTS", "VERSION", "LAST DELIVERY"], rows)
        }
    }

    /// `sample-backend webhooks add`.
    struct Add: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a webhook and print its secret once.")

        @Argument(help: "The address, such as https://example.com/webhook.")
        var url: String

        @Option(
            name: .customLong("event"),
            help: ArgumentHelp(
                "An event to notify of: publish, changeRequest, or rolloutStep, which is asked before "
                    + "each step; publish by default. Repeat it for several.", valueName: "event"))
        var events: [String] = []

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            var body: JSONNode = ["url": .string(url)]
            if !events.isEmpty {
                body.setMember("events", .array(events.map { .string($0) }))
            }
            let answer = try await transport.json(
                AdministrationRequest(
                    method: "POST", path: options.projectPath + "/webhooks",
                    body: body.jsonData()))
            if options.json {
                Output.print(answer)
                return
            }
            Terminal.print(answer["secret"]?.stringValue ?? "")
            Terminal.printError(
                "Save it now: it signs the requests to webhook \(answer["id"]?.stringValue ?? ""), "
                    + "and is shown only once.")
        }
    }

    /// `sample-backend webhooks remove`.
    struct Remove: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a webhook with its deliveries.")

        @Argument(help: "The identifier of the webhook, as \"webhooks list\" shows it.")
        var id: String

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await transport.json(
                AdministrationRequest(
                    method: "DELETE", path: options.projectPath + "/webhooks/\(id.percentEncoded)"))
            if options.json {
                Output.print(answer)
            } else {
                Terminal.print("Removed the webhook \(id).")
            }
        }
    }

    /// `sample-backend webhooks deliveries`.
    struct Deliveries: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the deliveries of a webhook, newest first.")

        @Argument(help: "The identifier of the webhook, as \"webhooks list\" shows it.")
        var id: String

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await transport.json(
                AdministrationRequest(
                    path: options.projectPath + "/webhooks/\(id.percentEncoded)/deliveries"))
            if options.json {
                Output.print(answer)
                return
            }
            let rows = (answer["deliveries"]?.arrayValue ?? []).map { delivery in
                [
                    delivery["creationTime"]?.stringValue ?? "",
                    WebhooksCommand.subject(of: delivery),
                    delivery["state"]?.stringValue ?? "",
                    delivery["attempts"]?.description ?? "",
                    delivery["nextAttemptTime"]?.stringValue ?? "",
                    delivery["error"]?.stringValue ?? "",
                ]
            }
            Output.printTable(
                ["CREATED", "VERSION", "STATE", "ATTEMPTS", "NEXT", "ERROR"], rows)
        }
    }

    /// The version of a delivery, or the change request and its step.
    private static func subject(of delivery: JSONNode) -> String {
        delivery["versionNumber"]?.stringValue
            ?? [delivery["changeRequest"], delivery["step"]].compactMap { $0?.stringValue }
            .joined(separator: " ")
    }
}
