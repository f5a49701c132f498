import ArgumentParser
import ConfigServer
import HTTPServing
import JSONTree

/// `sample-backend change-requests` makes, reviews and publishes change requests.
struct ChangeRequestsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-requests",
        abstract: "Make, review and publish change requests.",
        discussion: """
            In a protected project, templates are published by change requests that people have \
            approved. A vote needs a token with an owner, so not --store.
            """,
        subcommands: [
            List.self, Show.self, Create.self, Approve.self, RequestChanges.self, Comment.self,
            Close.self, Publish.self,
        ])

    /// `sample-backend change-requests list`.
    struct List: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the change requests, the last changed one first.")

        @Option(
            help: """
                Only those that are open, changesRequested, approved, needsAttention, published, \
                closed or expired.
                """)
        var state: String?

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let filter = state.map { "?state=\($0.percentEncoded)" } ?? ""
            let found = try await transport.list(
                options.projectPath + "/changeRequests" + filter, "changeRequests")
            if options.json { return Output.print(["changeRequests": .array(found)]) }
            let rows = found.map { request in
                let author = request["author"]
                return [
                    request["id"]?.stringValue ?? "", request["state"]?.stringValue ?? "",
                    author?["person"]?.stringValue ?? author?["actor"]?.stringValue ?? "",
                    request["updateTime"]?.stringValue ?? "", request["title"]?.stringValue ?? "",
                ]
            }
            Output.printTable(["ID", "STATE", "AUTHOR", "CHANGED", "TITLE"], rows)
        }
    }

    /// `sample-backend change-requests show`.
    struct Show: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a change request, and what it changes, as JSON.")

        @Argument(help: "The identifier of the request.")
        var id: String

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            Output.print(
                try await transport.json(
                    AdministrationRequest(path: ChangeRequestsCommand.path(id, options))))
        }
    }

    /// `sample-backend change-requests create`.
    struct Create: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a change request of a file, or of the token's draft.")

        @Argument(help: "What the request changes.")
        var title: String

        @Option(help: "The edited template, a JSON file that \"get\" wrote; - is standard input.")
        var file: String?

        @Flag(help: "Use the draft of the token's administrator.")
        var draft = false

        @Option(help: "Why the request changes it.")
        var text: String?

        @OptionGroup var options: AdministrationOptions

        /// Rejects contradictory options.
        func validate() throws {
            if (file == nil) != draft {
                throw ValidationError("Give either --file or --draft.")
            }
        }

        func run(with transport: any AdministrationTransport) async throws {
            var body: JSONNode = ["title": .string(title)]
            body.setMember("text", text.map { .string($0) })
            if let file {
                let template = try InputFile.json(file)
                guard let version = template.versionNumber else {
                    throw CommandFailure.badInput(
                        "The file \(file) has no version, so its base is not known: edit a file "
                            + "that \"get\" wrote.")
                }
                body.setMember("template", template)
                body.setMember("base", .string(options.entityTag(ofVersion: version)))
            } else {
                body.setMember("draft", .bool(true))
            }
            let answer = try await transport.json(
                AdministrationRequest(
                    method: "POST", path: options.projectPath + "/changeRequests",
                    body: body.jsonData()), template: body["template"])
            if options.json { return Output.print(answer) }
            let id = answer["id"]?.stringValue ?? "?"
            Terminal.print("Made the change request \(id).")
        }
    }
}

extension ChangeRequestsCommand {
    fileprivate static func path(_ id: String, _ options: AdministrationOptions) -> String {
        options.projectPath + "/changeRequests/" + id.percentEncoded
    }

    /// Sends an act for the state of the request that this command reads first.
    fileprivate static func act(
        _ name: String, on target: ChangeRequestOptions, comment: String? = nil,
        approves: Bool = false, query: String = "", with transport: any AdministrationTransport
    ) async throws -> JSONNode {
        let options = target.options
        let path = path(target.id, options)
        var tag = target.ifMatch?.trimmedTag
        var body = JSONNode.emptyObject
        body.setMember("comment", comment.map { .string($0) })
        body.setMember("approve", approves ? .bool(true) : nil)
        if tag == nil {
            let seen = try await transport.perform(AdministrationRequest(path: path))
            tag = seen.entityTag
            if approves || ["approve", "requestChanges"].contains(name) {
                body.setMember("liveVersionNumber", try seen.json["liveVersionNumber"])
            }
        }
        return try await transport.json(
            AdministrationRequest(
                method: "POST", path: "\(path):\(name)\(query)", ifMatch: tag,
                body: body.jsonData()))
    }

    /// Prints the answer to an act as JSON, or its sentence.
    fileprivate static func report(
        _ answer: JSONNode, _ target: ChangeRequestOptions, _ sentence: String
    ) {
        if target.options.json { return Output.print(answer) }
        let state = answer["state"]?.stringValue.map { " It is \($0)." } ?? ""
        Terminal.print("\(sentence) the change request \(target.id.escapedForTerminal).\(state)")
    }

    /// `sample-backend change-requests approve`.
    struct Approve: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Approve a change request.",
            discussion: "Give --if-match with the ETag that you have reviewed.")

        @OptionGroup var target: ChangeRequestOptions

        @Option(help: "A comment.")
        var comment: String?

        var options: AdministrationOptions { target.options }

        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await ChangeRequestsCommand.act(
                "approve", on: target, comment: comment, with: transport)
            ChangeRequestsCommand.report(answer, target, "Approved")
        }
    }

    /// `sample-backend change-requests request-changes`.
    struct RequestChanges: AdministrationCommand {
        static let configuration = CommandConfiguration(
            commandName: "request-changes",
            abstract: "Prevent the publish of a change request until you approve it.")

        @OptionGroup var target: ChangeRequestOptions

        @Option(help: "What should change.")
        var comment: String?

        var options: AdministrationOptions { target.options }

        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await ChangeRequestsCommand.act(
                "requestChanges", on: target, comment: comment, with: transport)
            ChangeRequestsCommand.report(answer, target, "Requested changes of")
        }
    }

    /// `sample-backend change-requests close`.
    struct Close: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Close a change request without a publish.")

        @OptionGroup var target: ChangeRequestOptions

        @Option(help: "The reason.")
        var comment: String?

        var options: AdministrationOptions { target.options }

        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await ChangeRequestsCommand.act(
                "close", on: target, comment: comment, with: transport)
            ChangeRequestsCommand.report(answer, target, "Closed")
        }
    }

    /// `sample-backend change-requests comment`.
    struct Comment: AdministrationCommand {
        static let configuration = CommandConfiguration(abstract: "Comment on a change request.")

        @Argument(help: "The identifier of the request.")
        var id: String

        @Argument(help: "The comment.")
        var text: String

        @Option(help: "The setting or condition that it is about.")
        var path: String?

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            var body: JSONNode = ["text": .string(text)]
            body.setMember("path", path.map { .string($0) })
            let answer = try await transport.json(
                AdministrationRequest(
                    method: "POST",
                    path: ChangeRequestsCommand.path(id, options) + "/comments",
                    body: body.jsonData()))
            if options.json { return Output.print(answer) }
            Terminal.print("Commented on the change request \(id.escapedForTerminal).")
        }
    }

    /// `sample-backend change-requests publish`.
    struct Publish: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Publish the changes of a request, merged into the current version.")

        @OptionGroup var target: ChangeRequestOptions

        @Flag(help: "Approve it, too; without a publish the approval is not stored either.")
        var approve = false

        @Option(help: "A comment, for the version or the approval.")
        var comment: String?

        @OptionGroup var bypass: BypassOptions

        var options: AdministrationOptions { target.options }

        func run(with transport: any AdministrationTransport) async throws {
            let template = try await ChangeRequestsCommand.act(
                "publish", on: target, comment: comment, approves: approve,
                query: bypass.query(), with: transport)
            if options.json {
                return Output.print(["version": template["version"] ?? .null])
            }
            let number = template["version"]?["versionNumber"]?.stringValue ?? "?"
            Terminal.print(
                "Published the change request \(target.id.escapedForTerminal) as version "
                    + "\(number).")
        }
    }
}

/// The request of an act, and the state of it that the administrator has seen.
struct ChangeRequestOptions: ParsableArguments {
    @Argument(help: "The identifier of the request, as \"change-requests list\" shows it.")
    var id: String

    @Option(
        help: ArgumentHelp(
            "The ETag of the state that you have seen; without it, the newest state.",
            valueName: "etag"))
    var ifMatch: String?

    @OptionGroup var options: AdministrationOptions
}
