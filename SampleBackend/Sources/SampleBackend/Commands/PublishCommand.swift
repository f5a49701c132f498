import ArgumentParser
import Foundation
import JSONTree
import Templates

/// `sample-backend publish` publishes a template, or validates it.
struct PublishCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Publish a template, or check it.",
        discussion: """
            A template written by "get" or by Firebase records its version, and replaces only that \
            version, so no change is overwritten. A template without a version needs --if-match or \
            --force, unless nothing is published yet.
            """)

    @Argument(help: "The template, JSON; - is standard input.")
    var file: String

    @OptionGroup var options: AdministrationOptions

    @Option(
        help: ArgumentHelp(
            "The ETag of the version to replace, or * for any.", valueName: "etag"))
    var ifMatch: String?

    @Flag(help: "Replace any version: the same as --if-match '*'.")
    var force = false

    @Flag(help: "Check the template without publishing it.")
    var validateOnly = false

    @Option(help: "The description of this version, at most 1,024 characters.")
    var description: String?

    @Flag(help: "Create the project, if nothing is published in it yet.")
    var createProject = false

    @Flag(
        name: .shortAndLong,
        help: """
            Do not ask, even if more than half of the settings are removed or archived, or one \
            changes its type.
            """)
    var yes = false

    @Option(
        name: .customLong("preview-user"),
        help: ArgumentHelp(
            "Show what changes for this user, and ask for confirmation on a terminal; may be given "
                + "more than once.",
            valueName: "id"))
    var previewUsers: [String] = []

    @OptionGroup(title: "The app of the users of --preview-user")
    var previewApp: SignalOptions

    @OptionGroup var bypass: BypassOptions

    /// Rejects contradictory options.
    func validate() throws {
        if force, ifMatch != nil {
            throw ValidationError("Give either --force or --if-match, not both.")
        }
        if previewUsers.isEmpty, !previewApp.signals.isEmpty {
            throw ValidationError("--signal is for a preview: give --preview-user too.")
        }
    }

    func run(with transport: any AdministrationTransport) async throws {
        var template = try InputFile.json(file)
        let current = try await PublishedTemplate(from: transport, options)
        try checkProject(current)
        var tag = try tag(for: template, current: current)
        let madeFrom = template.versionNumber
        let source = try await source(of: template, current: current, transport: transport)
        if description != nil || source?.hasDescription(of: template) == true {
            // Without --description, the version keeps the description in the file, which "get"
            // wrote.
            var version = JSONNode.emptyObject
            version.setMember("versionNumber", template["version"]?["versionNumber"])
            version.setMember("description", description.map { .string($0) })
            template.setMember("version", version)
        }
        let preview = try await preview(template, transport: transport)
        if !options.json { Self.print(preview) }
        let isConfirmed =
            try !validateOnly && confirm(template, over: tag, current: current)
        // Replace only the version that the user confirmed, even with --force.
        if isConfirmed { tag = currentTag(current) }
        let answer = try await transport.send(
            AdministrationRequest(
                method: "PUT",
                path: options.projectPath + "/remoteConfig"
                    + (validateOnly ? "?validateOnly=true" : bypass.query()),
                ifMatch: tag, body: template.jsonData(), isTrial: validateOnly))
        if answer.status == 412, isConfirmed {
            throw CommandFailure(
                "Another version was published after the question: review it, and publish again.",
                code: Exit.versionMismatch)
        }
        if answer.status == 412, ifMatch == nil {
            let version = madeFrom?.escapedForTerminal ?? "0"
            throw CommandFailure(
                current == nil
                    ? "The file was made from version \(version), but nothing is published here: "
                        + "publish a file from elsewhere with --force."
                    : "The file was made from version \(version), which is not the current one: get "
                        + "that and apply the changes to it, or replace it with --force.",
                code: Exit.versionMismatch)
        }
        guard (200..<300).contains(answer.status) else {
            throw CommandFailure(answer, template: template)
        }
        try report(answer, preview: preview)
    }

    /// Rejects a name without a published version, since it is likely misspelt; accepts `default`,
    /// the project that every app has.
    private func checkProject(_ current: PublishedTemplate?) throws {
        guard current == nil, !createProject, !validateOnly, options.project != "default" else {
            return
        }
        throw CommandFailure(
            "Nothing is published in the project \"\(options.project.escapedForTerminal)\": check "
                + "--project, or create it with --create-project.", code: Exit.notFound)
    }

    /// The version that the file was made from; nil when its description cannot be that version's.
    private func source(
        of template: JSONNode, current: PublishedTemplate?, transport: any AdministrationTransport
    ) async throws -> PublishedTemplate? {
        guard let current, template["version"]?["description"] != nil,
            let version = template.versionNumber
        else { return nil }
        if version == current.versionNumber { return current }
        guard let number = Int(version), number > 0 else { return nil }
        return try await PublishedTemplate(from: transport, options, version: number)
    }

    /// The entity tag of the version to replace.
    private func tag(for template: JSONNode, current: PublishedTemplate?) throws -> String {
        if let ifMatch { return ifMatch.trimmedTag }
        if force { return "*" }
        if let version = template.versionNumber {
            return options.entityTag(ofVersion: version)
        }
        // A created project is empty, so the first publish in it replaces nothing.
        guard let current, current.isPublished else {
            return options.entityTag(ofVersion: current?.versionNumber ?? "0")
        }
        if validateOnly { return current.answer.entityTag ?? "*" }
        throw CommandFailure(
            "The file does not record the version it was made from, and "
                + "\(current.answer.shownTag ?? "a version") is published: give --if-match with the "
                + "version to replace, or --force.",
            code: Exit.versionMismatch)
    }

    /// The entity tag of the published version.
    private func currentTag(_ current: PublishedTemplate?) -> String {
        current?.answer.entityTag ?? options.entityTag(ofVersion: "0")
    }

    /// Asks for confirmation of a publish that was previewed, or that takes settings from apps.
    ///
    /// - Parameters:
    ///   - template: The template.
    ///   - tag: The entity tag of the version to replace.
    ///   - current: The published version.
    /// - Returns: True when the answer is yes; false when no question is needed.
    /// - Throws: A ``CommandFailure`` when the answer is no, when there is no terminal to ask on,
    ///   or with the
    ///   problems of the template.
    private func confirm(
        _ template: JSONNode, over tag: String, current: PublishedTemplate?
    ) throws -> Bool {
        // The server rejects a file that was made from another version than the current one.
        let isStale = tag != "*" && tag.unquotedTag != currentTag(current).unquotedTag
        guard !yes, !isStale else { return false }
        let breaking = current.flatMap { BreakingPublish(by: template, from: $0.template) }
        guard breaking != nil || (!previewUsers.isEmpty && !options.json) else { return false }
        // The server rejects an invalid template, so there is nothing to confirm.
        let problems = TemplateDraft(json: template).problems
        guard problems.isEmpty else { throw CommandFailure(problems, in: template) }
        let question = [breaking.map { "\($0)." }, "Publish?"].compactMap { $0 }
        switch Terminal.confirm(question.joined(separator: " ")) {
        case true?: return true
        case false?: throw CommandFailure("Nothing was published.", code: Exit.failure)
        case nil:
            if let breaking { throw breaking.needsYes }
            return false
        }
    }

    /// The changes for the users of `--preview-user` and for connected clients; nil without these
    /// users.
    private func preview(
        _ template: JSONNode, transport: any AdministrationTransport
    ) async throws -> JSONNode? {
        guard !previewUsers.isEmpty else { return nil }
        let body: JSONNode = [
            "template": template,
            "users": .array(
                previewUsers.map { ["userID": .string($0), "signals": previewApp.json] }),
        ]
        return try await transport.json(
            AdministrationRequest(
                method: "POST", path: options.projectPath + "/remoteConfig:preview",
                body: body.jsonData(), isTrial: true), template: template)
    }

    private static func print(_ preview: JSONNode?) {
        for user in preview?["users"]?.arrayValue ?? [] {
            UserReport(user).printChanges()
        }
        if let connected = preview?["connected"], let count = connected["evaluated"]?.integerValue,
            count > 0
        {
            Terminal.print(
                "Of \(count) connected clients, \(connected["changed"]?.integerValue ?? 0) get "
                    + "a different document.")
        }
    }

    private func report(_ answer: AdministrationAnswer, preview: JSONNode?) throws {
        let version = try answer.json["version"]?["versionNumber"]
        if options.json {
            var node: JSONNode = ["validated": true, "published": .bool(!validateOnly)]
            node.setMember("versionNumber", version)
            node.setMember("etag", answer.shownTag.map { .string($0) })
            node.setMember("warnings", .array(answer.warnings.map { .string($0) }))
            node.setMember("users", preview?["users"])
            node.setMember("connected", preview?["connected"])
            Output.print(node)
            return
        }
        answer.printWarnings()
        Terminal.print(
            validateOnly
                ? "The template can be published."
                : "Published version \(version?.stringValue ?? "?") of \(options.project).")
    }
}
