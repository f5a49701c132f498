import ArgumentParser
import JSONTree
import Templates

/// `sample-backend promote` copies settings of another project into a draft.
struct PromoteCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote",
        abstract:
            "Copy settings of another project, with the conditions that they need, to a draft.",
        discussion: """
            Nothing is published: look at the result with "draft diff", and publish it with "draft \
            publish". Without --setting and --section, everything is copied. Conditions with \
            the same name and another expression, and an order of conditions that is not clear, must \
            be decided with --take or --keep. What differs on purpose is copied only if --setting \
            names it, a condition only by --take; see "compare". Pinned values, drafts, tokens and \
            webhooks are never copied. The same seeds choose the same users in both projects.
            """)

    @Argument(help: "The project to copy from.")
    var source: String

    @Option(help: "Copy this setting, such as Home.title; may be repeated.")
    var setting: [String] = []

    @Option(help: "Copy this section; may be repeated.")
    var section: [String] = []

    @Flag(help: "Remove what the other project does not have.")
    var deletions = false

    @Flag(help: "Copy conditions that name single users, too.")
    var userConditions = false

    @Option(
        help: ArgumentHelp(
            "Take the other project's side of this conflict; may be repeated.", valueName: "path"))
    var take: [String] = []

    @Option(
        help: ArgumentHelp(
            "Keep this project's side of this conflict; may be repeated.", valueName: "path"))
    var keep: [String] = []

    @Flag(help: "Keep this project's side of all conflicts without --take.")
    var keepRest = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write the template to this file instead of a draft.", valueName: "file"))
    var output: String?

    @Flag(help: "Replace your draft of the project, if you have one.")
    var replaceDraft = false

    @Option(
        help: ArgumentHelp(
            "Copy to this project instead of --project; may be repeated, with a result for each.",
            valueName: "project"))
    var to: [String] = []

    @OptionGroup var options: AdministrationOptions

    func validate() throws {
        guard to.count < 2 || output == nil else {
            throw ValidationError("--output is the file of one project: give --to once.")
        }
        guard to.exactNames.count == to.count, !to.exactNames.contains(name: source) else {
            throw ValidationError("Give each project of --to once, and not the one to copy from.")
        }
        let kept = keep.exactNames
        if let path = take.first(where: kept.contains(name:)) {
            throw ValidationError("Give either --take or --keep for \(path), not both.")
        }
    }

    func run(with transport: any AdministrationTransport) async throws {
        guard to.count > 1 else {
            try await result(for: to.first ?? options.project, transport).get().print(options)
            return
        }
        var results: [(project: String, result: Result<Copy, CommandFailure>)] = []
        for project in to {
            let result = try await result(for: project, transport)
            results.append((project, result))
            if !options.json { printResult(result, for: project) }
        }
        if options.json {
            Output.print(
                .array(
                    results.map { project, result in
                        var node: JSONNode =
                            switch result {
                            case .success(let copy): copy.report
                            case .failure(let failure): failure.json
                            }
                        node.setMember("project", .string(project))
                        return node
                    }))
        }
        let failures = results.compactMap { project, result in
            if case .failure(let failure) = result { (project, failure) } else { nil }
        }
        guard let first = failures.first else {
            try checkPaths(
                among: results.flatMap {
                    (try? $0.result.get())?.report["conflicts"]?.arrayValue ?? []
                })
            return
        }
        throw CommandFailure(
            "Nothing was copied to \(failures.map(\.0).joined(separator: ", "))."
                .escapedForTerminal, code: first.1.code)
    }

    private func printResult(_ result: Result<Copy, CommandFailure>, for project: String) {
        Terminal.printError(Terminal.colored(project.escapedForTerminal, .bold))
        switch result {
        case .success(let copy): copy.print(options)
        case .failure(let failure): Terminal.printError(failure.description)
        }
    }

    /// What was copied to one project.
    private struct Copy {
        /// The response, without the template, which is in the draft or the file.
        let report: JSONNode
        /// Lines about it.
        let lines: [String]
        /// True when the template was written to standard output.
        let isPrinted: Bool

        func print(_ options: AdministrationOptions) {
            if options.json {
                if !isPrinted { Output.print(report) }
            } else {
                for line in lines { Terminal.printError(line) }
            }
        }
    }

    /// Copies to one project.
    private func result(
        for project: String, _ transport: any AdministrationTransport
    ) async throws -> Result<Copy, CommandFailure> {
        var command = self
        command.options.project = project
        do {
            return .success(try await command.copy(transport))
        } catch let failure as CommandFailure {
            return .failure(failure)
        }
    }

    private func copy(_ transport: any AdministrationTransport) async throws -> Copy {
        let comparison = try await ProjectComparison(with: source, transport, options)
        let nothing = "There is nothing to copy to \(options.project): no draft was stored."
            .escapedForTerminal
        guard let body = try body(comparison) else {
            return Copy(report: ["from": .string(source)], lines: [nothing], isPrinted: false)
        }
        let promotion = try await transport.json(
            AdministrationRequest(
                method: "POST", path: options.projectPath + "/remoteConfig:promote",
                ifMatch: comparison.json["etag"]?.stringValue,
                body: body.jsonData(), isTrial: true))
        let conflicts = promotion["conflicts"]?.arrayValue ?? []
        // A conflict of one project need not be one of another: see above for several.
        if to.count < 2 { try checkPaths(among: conflicts) }
        try check(conflicts)
        let problems = promotion["problems"]?.arrayValue ?? []
        guard problems.isEmpty else {
            throw CommandFailure(
                problems.map(CommandFailure.problem), in: promotion["template"])
        }
        let changes = promotion["changes"]
        let changesNothing = ["conditions", "groups", "parameters"]
            .allSatisfy { changes?[$0]?.arrayValue?.isEmpty ?? true }
        let place =
            changesNothing && output == nil ? nothing : try await store(promotion, transport)
        var report = promotion
        report.removeMember("template")
        return Copy(
            report: report, lines: lines(on: promotion) + [place], isPrinted: output == "-")
    }

    /// The request; nil when the project has all chosen settings already.
    private func body(_ comparison: ProjectComparison) throws -> JSONNode? {
        var body: JSONNode = ["from": .string(source)]
        body.setMember("fromETag", comparison.json["withETag"])
        if !setting.isEmpty {
            let settings = try setting.compactMap { name -> JSONNode? in
                guard let setting = comparison.setting(named: name) else {
                    // One of several projects may have it already.
                    if to.count > 1 { return nil }
                    throw CommandFailure(
                        "\(name) does not differ in the two projects: see \"compare\".",
                        code: Exit.failure)
                }
                return setting
            }
            if settings.isEmpty, section.isEmpty { return nil }
            body.setMember("settings", .array(settings))
        }
        if !section.isEmpty {
            body.setMember("sections", .array(section.map { .string($0) }))
        }
        body.setMember("deletions", .bool(deletions))
        body.setMember("userConditions", .bool(userConditions))
        var resolutions = JSONNode.emptyObject
        for path in keep { resolutions.setMember(path, "theirs") }
        for path in take { resolutions.setMember(path, "mine") }
        body.setMember("resolutions", resolutions)
        return body
    }

    /// - Throws: A ``CommandFailure`` that lists the conflicts when a decision is for none of them.
    private func checkPaths(among conflicts: [JSONNode]) throws {
        let paths = conflicts.compactMap { $0["path"]?.stringValue }
        let known = paths.exactNames
        let unknown = (take + keep).filter { !known.contains(name: $0) }
        guard !unknown.isEmpty else { return }
        let list = unknown.joined(separator: ", ").escapedForTerminal
        let lines = paths.map { "\n  " + $0.escapedForTerminal }.joined()
        throw CommandFailure(
            "No conflict has the path \(list). "
                + (lines.isEmpty ? "There are no conflicts." : "The conflicts are:" + lines),
            code: Exit.failure, conflicts: conflicts)
    }

    /// - Throws: A ``CommandFailure`` that lists the conflicts without a decision.
    private func check(_ conflicts: [JSONNode]) throws {
        let open = conflicts.filter { $0["resolution"] == nil }
        guard !keepRest, !open.isEmpty else { return }
        let lines = open.map { conflict in
            let path = conflict["path"]?.stringValue ?? "?"
            let sides = ["mine", "theirs"].map { conflict[$0].map(\.description) ?? "nothing" }
            return "  \(path): \(source) has \(sides[0]), \(options.project) has \(sides[1])"
                .escapedForTerminal
        }
        throw CommandFailure(
            "Decide with --take or --keep and the path, or give --keep-rest:\n"
                + lines.joined(separator: "\n"), code: Exit.failure, conflicts: open)
    }

    private func lines(on promotion: JSONNode) -> [String] {
        let conditions = promotion["conditions"]
        let texts = [
            ("added", "Added conditions"), ("reused", "Conditions that both have"),
            ("different", "Conditions that differ"),
            ("omitted", "Not copied, since they name single users"),
        ]
        var lines: [String] = texts.compactMap { member, text in
            let names = (conditions?[member]?.arrayValue ?? []).compactMap(\.stringValue)
            return names.isEmpty
                ? nil : "\(text): \(names.joined(separator: ", ").escapedForTerminal)"
        }
        let intended = (promotion["intended"]?.arrayValue ?? [])
            .compactMap { ComparedSubject(difference: $0)?.shownName.escapedForTerminal }
        if !intended.isEmpty {
            lines.append(
                "Not copied, since they differ on purpose: \(intended.joined(separator: ", "))")
        }
        let affected = ProjectComparison.names(promotion["affectedSettings"])
        if !affected.isEmpty {
            lines.append("These settings can change, too: \(affected.joined(separator: ", "))")
        }
        for doubt in promotion["doubts"]?.arrayValue ?? [] {
            let parts = ["condition", "rule", "message"].map { doubt[$0]?.stringValue ?? "" }
            lines.append(
                "\(parts[0]): \(parts[1]) is probably never true. \(parts[2])".escapedForTerminal)
        }
        return lines
    }

    /// Stores the template, and returns a sentence that says where.
    private func store(
        _ promotion: JSONNode, _ transport: any AdministrationTransport
    ) async throws -> String {
        let template = promotion["template"] ?? .emptyObject
        let base = promotion["versionNumber"] ?? "0"
        if let output {
            var file = template
            var version = template["version"] ?? .emptyObject
            version.setMember("versionNumber", base)
            file.setMember("version", version)
            try Output.write(file.jsonData(.pretty), to: output)
            return "Nothing was published: check the file with \"diff --file\", and publish it."
        }
        let path = options.projectPath + "/draft"
        let draft = try await transport.perform(AdministrationRequest(path: path))
        let isNew = draft.status == 204
        guard isNew || replaceDraft else {
            throw CommandFailure(
                "You have a draft in \(options.project): publish or discard it, or give "
                    + "--replace-draft.", code: Exit.failure)
        }
        let body: JSONNode = ["baseVersion": base, "template": template]
        _ = try await transport.perform(
            AdministrationRequest(
                method: "PUT", path: path, ifMatch: isNew ? nil : draft.entityTag,
                isNew: isNew, body: body.jsonData()))
        return "It is your draft in \(options.project): see \"draft diff\", then \"draft publish\"."
    }
}
