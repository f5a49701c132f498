import ArgumentParser
import JSONTree
import Templates

/// `sample-backend draft` works with the draft of the token's administrator, which the console
/// shows, too.
struct DraftCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "draft", abstract: "Show, publish or discard your draft.",
        discussion: "A draft belongs to a token: use the one with which you sign in to the "
            + "console.",
        subcommands: [Show.self, Diff.self, Publish.self, Discard.self])

    /// A draft on the server.
    fileprivate struct Draft {
        let template: JSONNode
        /// The number of the version that the draft is based on; "0" for none.
        let baseVersion: String
        let entityTag: String?
        let changes: JSONNode

        init(
            from transport: any AdministrationTransport, _ options: AdministrationOptions
        ) async throws {
            let answer = try await transport.perform(
                AdministrationRequest(path: options.projectPath + "/draft"))
            guard answer.status != 204 else {
                throw CommandFailure(
                    "You have no draft in \(options.project).", code: Exit.notFound)
            }
            let json = try answer.json
            template = json["template"] ?? .emptyObject
            baseVersion = json["baseVersion"]?.stringValue ?? "0"
            entityTag = answer.entityTag
            changes = json["changes"] ?? .null
        }

        /// The template with the number of the base version in `version`.
        var templateWithVersion: JSONNode {
            var version: JSONNode = ["versionNumber": .string(baseVersion)]
            version.setMember("description", template["version"]?["description"])
            var result = template
            result.setMember("version", version)
            return result
        }
    }

    /// `sample-backend draft show`.
    struct Show: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the draft's template.",
            discussion: "The file records the version that the draft is based on; \"publish\" "
                + "replaces only that version.")

        @OptionGroup var options: AdministrationOptions

        @Option(
            name: .shortAndLong, help: ArgumentHelp("Write to this file.", valueName: "file"))
        var output: String?

        func run(with transport: any AdministrationTransport) async throws {
            let template = try await Draft(from: transport, options).templateWithVersion
            if let output, output != "-" {
                try Output.write(template.jsonData(.pretty), to: output)
            } else {
                Output.print(template)
            }
        }
    }

    /// `sample-backend draft diff`.
    struct Diff: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show what the draft changes in the version that it is based on.")

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let draft = try await Draft(from: transport, options)
            if options.json {
                Output.print(draft.changes)
                return
            }
            let base: JSONNode =
                draft.baseVersion == "0"
                ? .emptyObject
                : try await transport.json(
                    AdministrationRequest(
                        path: options.projectPath
                            + "/remoteConfig?versionNumber=\(draft.baseVersion)"))
            TemplateDiff(
                from: TemplateDraft(json: base, limits: .none).template,
                to: TemplateDraft(json: draft.template, limits: .none).template
            ).printLines()
        }
    }

    /// `sample-backend draft publish`.
    struct Publish: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Publish the draft over the version that it is based on, and discard it.")

        @OptionGroup var options: AdministrationOptions

        @Option(help: "The description of this version, at most 1,024 characters.")
        var description: String?

        @Flag(
            name: .shortAndLong,
            help: """
                Do not ask, even if more than half of the settings are removed or archived, or one \
                changes its type.
                """)
        var yes = false

        @OptionGroup var bypass: BypassOptions

        func run(with transport: any AdministrationTransport) async throws {
            let draft = try await Draft(from: transport, options)
            if !yes { try await confirmRemoval(by: draft, transport: transport) }
            var template = draft.template
            if let description {
                template.setMember("version", ["description": .string(description)])
            }
            let answer = try await transport.send(
                AdministrationRequest(
                    method: "PUT",
                    path: options.projectPath + "/remoteConfig" + bypass.query(),
                    ifMatch: options.entityTag(ofVersion: draft.baseVersion),
                    body: template.jsonData()))
            if answer.status == 412 {
                throw CommandFailure(
                    "The draft is based on version \(draft.baseVersion.escapedForTerminal), which is "
                        + "not the current one: update it in the console; or get the current one, "
                        + "apply the changes of \"draft diff\" to the file, and publish that.",
                    code: Exit.versionMismatch)
            }
            guard (200..<300).contains(answer.status) else {
                throw CommandFailure(answer, template: template)
            }
            let version = try answer.json["version"]?["versionNumber"]
            // Edits made since the draft was read are not published, so they keep the draft.
            let discarded = try await transport.send(
                AdministrationRequest(
                    method: "DELETE", path: options.projectPath + "/draft",
                    ifMatch: draft.entityTag))
            let isOver = [200, 404].contains(discarded.status)
            if options.json {
                Output.print([
                    "versionNumber": version ?? .null, "isDraftDiscarded": .bool(isOver),
                ])
                return
            }
            Terminal.print(
                "Published version \(version?.stringValue ?? "?") of \(options.project).")
            if !isOver {
                Terminal.printError(
                    "\(Terminal.colored("Warning:", .yellow)) The draft stays: it was changed "
                        + "during the publish, or the server did not remove it.")
            }
        }

        /// Asks before a publish that removes most settings.
        private func confirmRemoval(
            by draft: Draft, transport: any AdministrationTransport
        ) async throws {
            // The server rejects a draft that is based on another version than the current one.
            guard let current = try await PublishedTemplate(from: transport, options),
                current.versionNumber == draft.baseVersion,
                let breaking = BreakingPublish(by: draft.template, from: current.template)
            else { return }
            switch Terminal.confirm("\(breaking). Publish?") {
            case true?: return
            case false?: throw CommandFailure("Nothing was published.", code: Exit.failure)
            case nil: throw breaking.needsYes
            }
        }
    }

    /// `sample-backend draft discard`.
    struct Discard: AdministrationCommand {
        static let configuration = CommandConfiguration(abstract: "Discard the draft.")

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await transport.json(
                AdministrationRequest(method: "DELETE", path: options.projectPath + "/draft"))
            if options.json {
                Output.print(answer)
            } else {
                Terminal.print("The draft is discarded.")
            }
        }
    }
}
