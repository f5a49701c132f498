import ArgumentParser
import HTTPServing
import JSONTree
import Templates

/// `sample-backend compare` prints the differences between two projects.
struct CompareCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Show what differs between a project and another one.",
        discussion: "The lines with - are of --project, those with + of the other one. Copy from "
            + "the other one with \"promote\".")

    @Argument(help: "The other project.")
    var other: String

    @Option(
        help: ArgumentHelp(
            "Mark this setting, such as Home.url, as different on purpose; needs --note.",
            valueName: "setting"))
    var intended: String?

    @Option(
        help: ArgumentHelp(
            "Mark this condition as different on purpose; needs --note.", valueName: "name"))
    var intendedCondition: String?

    @Option(help: "Why it differs.")
    var note: String?

    @Option(
        help: ArgumentHelp(
            "End the mark of this setting, such as Home.url.", valueName: "setting"))
    var notIntended: String?

    @Option(help: ArgumentHelp("End the mark of this condition.", valueName: "name"))
    var notIntendedCondition: String?

    @Flag(help: "List what differs on purpose, too.")
    var all = false

    @OptionGroup var options: AdministrationOptions

    func validate() throws {
        let marked = [intended, intendedCondition].compactMap { $0 }
        let ended = [notIntended, notIntendedCondition].compactMap { $0 }
        guard marked.count + ended.count <= 1 else {
            throw ValidationError("Mark one difference, or end one mark, at a time.")
        }
        guard marked.isEmpty == (note == nil) else {
            throw ValidationError(
                marked.isEmpty
                    ? "Give --intended or --intended-condition with --note."
                    : "Give --note: why does it differ?")
        }
    }

    func run(with transport: any AdministrationTransport) async throws {
        let marks = IntendedDifferences(other: other, options: options, transport: transport)
        if let note, let mark = intended ?? intendedCondition {
            try await marks.add(mark, isCondition: intended == nil, note: note)
        } else if let mark = notIntended ?? notIntendedCondition {
            try await marks.remove(mark, isCondition: notIntended == nil)
        } else {
            try await compare(transport)
        }
    }

    private func compare(_ transport: any AdministrationTransport) async throws {
        let comparison = try await ProjectComparison(with: other, transport, options)
        if options.json {
            Output.print(comparison.json)
            return
        }
        let json = comparison.json
        let old = try await template(
            of: options.projectPath, json["versionNumber"], transport)
        let new = try await template(
            of: "/v1/projects/\(other.percentEncoded)", json["withVersionNumber"], transport)
        let differences = TemplateDiff(from: old, to: new)
            .separating(Set(comparison.intended.compactMap(ComparedSubject.init(difference:))))
        if comparison.intended.isEmpty || !differences.open.isEmpty {
            differences.open.printLines()
        }
        for setting in ProjectComparison.names(json["affectedSettings"]) {
            Terminal.print("The conditions above decide about \(setting), too.")
        }
        for difference in comparison.outdated { Terminal.print(outdatedLine(difference)) }
        guard !comparison.intended.isEmpty else { return }
        let count = comparison.intended.count
        guard all else {
            let verb = count == 1 ? "differs" : "differ"
            Terminal.print(
                differences.open.isEmpty
                    ? "\(count) \(verb) on purpose, and nothing else: see --all."
                    : "\(count) more \(verb) on purpose: see --all.")
            return
        }
        Terminal.print(Terminal.colored("On purpose", .bold))
        differences.intended.printLines()
        for difference in comparison.intended {
            let name = ComparedSubject(difference: difference)?.shownName ?? "?"
            Terminal.print(
                "\(name): \(ProjectComparison.noteText(difference))".escapedForTerminal)
        }
    }

    private func outdatedLine(_ difference: JSONNode) -> String {
        let name = ComparedSubject(difference: difference)?.shownName ?? "?"
        let who =
            switch difference["mark"]?["changed"]?.stringValue {
            case "THIS": "\(options.project) has changed"
            case "OTHER": "\(other) has changed"
            default: "both have changed"
            }
        let note = ProjectComparison.noteText(difference)
        return "\(name) differed on purpose, but \(who) since: \(note)".escapedForTerminal
    }

    private func template(
        of path: String, _ number: JSONNode?, _ transport: any AdministrationTransport
    ) async throws -> RemoteConfigTemplate {
        let json = try await transport.json(
            AdministrationRequest(
                path: "\(path)/remoteConfig?versionNumber=\(number?.stringValue ?? "0")"))
        return TemplateDraft(json: json, limits: .none).template
    }
}

/// What differs between a project and another one.
struct ProjectComparison {
    /// The response of `remoteConfig:compare`.
    let json: JSONNode

    init(
        with other: String, _ transport: any AdministrationTransport,
        _ options: AdministrationOptions
    ) async throws {
        json = try await transport.json(
            AdministrationRequest(
                path: options.projectPath + "/remoteConfig:compare?with=\(other.percentEncoded)"))
    }

    /// What differs on purpose.
    var intended: [JSONNode] {
        ["conditions", "parameters"].flatMap { json["intended"]?[$0]?.arrayValue ?? [] }
    }

    /// What differed on purpose until one of the projects changed.
    var outdated: [JSONNode] {
        ["conditions", "parameters"].flatMap { json[$0]?.arrayValue ?? [] }
            .filter { $0["mark"] != nil }
    }

    /// The note of a mark with its author and time.
    static func noteText(_ difference: JSONNode) -> String {
        let mark = difference["mark"]
        let texts = ["note", "author", "time"].map { mark?[$0]?.stringValue ?? "" }
        return "\(texts[0]) (\(texts[1]), \(texts[2].prefix(10)))"
    }

    /// The setting with a name such as `Home.title` that differs, or depends on a condition that
    /// does, as the API names it.
    func setting(named name: String) -> JSONNode? {
        let lists = ["parameters", "affectedSettings"].flatMap { json[$0]?.arrayValue ?? [] }
        let found = (lists + intended)
            .first { Self.name($0).map(name.hasSameBytes) ?? false }
        return found.map { ["section": $0["section"] ?? .null, "key": $0["key"] ?? .null] }
    }

    /// The settings of a list of `{"section": "Home", "key": "title"}`, escaped for the terminal.
    static func names(_ settings: JSONNode?) -> [String] {
        (settings?.arrayValue ?? []).compactMap { name($0)?.escapedForTerminal }
    }

    static func name(_ setting: JSONNode) -> String? {
        guard let section = setting["section"]?.stringValue, let key = setting["key"]?.stringValue
        else { return nil }
        return "\(section).\(key)"
    }
}

/// The marks of a project for what differs from another one on purpose.
private struct IntendedDifferences {
    let other: String
    let options: AdministrationOptions
    let transport: any AdministrationTransport

    private var path: String { options.projectPath + "/intendedDifferences" }

    func add(_ name: String, isCondition: Bool, note: String) async throws {
        let comparison = try await ProjectComparison(with: other, transport, options)
        var body: JSONNode
        if isCondition {
            body = ["condition": .string(name)]
        } else if let setting = comparison.setting(named: name) {
            body = setting
        } else {
            throw CommandFailure(
                "\(name) does not differ in the two projects: see \"compare\".",
                code: Exit.failure)
        }
        body.setMember("with", .string(other))
        body.setMember("note", .string(note))
        body.setMember("etag", comparison.json["etag"])
        body.setMember("withETag", comparison.json["withETag"])
        let mark = try await transport.json(
            AdministrationRequest(method: "PUT", path: path, body: body.jsonData()))
        report(mark, "\(name) differs from \(other) on purpose now.")
    }

    func remove(_ name: String, isCondition: Bool) async throws {
        let list = try await transport.json(
            AdministrationRequest(path: path + "?with=\(other.percentEncoded)"))
        let marks = list["intendedDifferences"]?.arrayValue ?? []
        let found = marks.first { mark in
            let marked = isCondition ? mark["condition"]?.stringValue : ProjectComparison.name(mark)
            return marked?.hasSameBytes(as: name) ?? false
        }
        guard let found else {
            throw CommandFailure(
                "\(name) is not marked as different from \(other).", code: Exit.notFound)
        }
        let members = ["section", "key", "condition"].compactMap { member in
            found[member]?.stringValue.map { "&\(member)=\($0.percentEncoded)" }
        }
        _ = try await transport.perform(
            AdministrationRequest(
                method: "DELETE", path: path + "?with=\(other.percentEncoded)" + members.joined()))
        report(found, "\(name) no longer differs from \(other) on purpose.")
    }

    private func report(_ mark: JSONNode, _ text: String) {
        if options.json {
            Output.print(mark)
        } else {
            Terminal.print(text.escapedForTerminal)
        }
    }
}

extension ComparedSubject {
    /// The setting or the condition of a difference in a response.
    init?(difference: JSONNode) {
        if let section = difference["section"]?.stringValue,
            let key = difference["key"]?.stringValue
        {
            self = .setting(SettingPlace(section: section, key: key))
        } else if let name = (difference["name"] ?? difference["condition"])?.stringValue {
            self = .condition(ExactText(name))
        } else {
            return nil
        }
    }
}
