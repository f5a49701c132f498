import ArgumentParser
import ConfigServer
import HTTPServing
import JSONTree

/// `sample-backend schedule` publishes change requests at a time.
struct ScheduleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "Publish at a time, and take back at another.",
        discussion: """
            At the time, the server merges the changes into what is current then, and publishes \
            them if the approvals suffice and whoever scheduled them may still publish.
            """,
        subcommands: [List.self, Create.self, Move.self, Cancel.self])

    /// `sample-backend schedule list`.
    struct List: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the scheduled publishes: those that wait by time, then the others.")

        @Flag(help: "Only those that wait for a time.")
        var waiting = false

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let found = try await transport.list(
                ScheduleCommand.path(options) + (waiting ? "?waiting=true" : ""),
                "scheduledPublishes")
            let (waits, ended) = (found.filter(\.waits), found.filter { !$0.waits })
            let listed = waits.sorted { $0.nextTime < $1.nextTime } + (waiting ? [] : ended)
            if options.json { return Output.print(["scheduledPublishes": .array(listed)]) }
            Output.printTable(
                ["ID", "AT", "UNTIL", "STATE", "TITLE"],
                listed.map { request in
                    let schedule = request["schedule"]
                    return [
                        request["id"]?.stringValue ?? "", schedule?["at"]?.stringValue ?? "",
                        schedule?["until"]?.stringValue ?? "-", request.scheduleState,
                        request["title"]?.stringValue ?? "",
                    ]
                })
        }
    }

    /// `sample-backend schedule create`.
    struct Create: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Schedule a change request, a file or the token's draft.",
            discussion: """
                Give --change-request, or --title with --file or --draft. Times are in the format of \
                RFC 3339 with an offset, such as 2026-12-01T09:00:00+01:00.
                """)

        @OptionGroup var times: ScheduleTimes

        @Option(help: "The identifier of an open change request.")
        var changeRequest: String?

        @Option(help: "What a new change request changes.")
        var title: String?

        @Option(
            help: """
                The edited template, a JSON file that "get" wrote; - is standard input. With --after, \
                a file without a version is an edit of the template that comes first.
                """)
        var file: String?

        @Flag(help: "Use the draft of the token's administrator.")
        var draft = false

        @Option(help: "The scheduled publish that has to come first.")
        var after: String?

        @OptionGroup var options: AdministrationOptions

        /// Rejects contradictory options.
        func validate() throws {
            if times.at == nil { throw ValidationError("Give --at, the time.") }
            if changeRequest != nil {
                guard title == nil, file == nil, !draft else {
                    throw ValidationError(
                        "Give either --change-request, or --title with --file or --draft.")
                }
                return
            }
            if title == nil || (file == nil) != draft {
                throw ValidationError(
                    "Give --change-request, or --title with either --file or --draft.")
            }
        }

        func run(with transport: any AdministrationTransport) async throws {
            var body = times.body
            body.setMember("after", after.map { .string($0) })
            body.setMember("title", title.map { .string($0) })
            body.setMember("changeRequest", changeRequest.map { .string($0) })
            if draft { body.setMember("draft", .bool(true)) }
            if let file {
                let template = try InputFile.json(file)
                body.setMember("template", template)
                // Without one, it is an edit of the template that comes first.
                if let version = template.versionNumber {
                    body.setMember("base", .string(options.entityTag(ofVersion: version)))
                } else if after == nil {
                    throw CommandFailure.badInput(
                        "The file \(file) has no version, so its base is not known: edit a file "
                            + "that \"get\" wrote.")
                }
            }
            let answer = try await transport.json(
                AdministrationRequest(
                    method: "POST", path: ScheduleCommand.path(options),
                    ifMatch: changeRequest == nil ? nil : "*", body: body.jsonData()),
                template: body["template"])
            ScheduleCommand.report(answer, options, "Scheduled")
        }
    }

    /// `sample-backend schedule move`.
    struct Move: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move a scheduled publish; approvals for the former time no longer count.",
            discussion: """
                With --until alone, an end that was missed or refused gets another time.
                """)

        @Argument(help: "The identifier, as \"schedule list\" shows it.")
        var id: String

        @OptionGroup var times: ScheduleTimes

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await transport.json(
                AdministrationRequest(
                    method: "PATCH", path: ScheduleCommand.path(id, options), ifMatch: "*",
                    body: times.body.jsonData()))
            ScheduleCommand.report(answer, options, "Moved")
        }
    }

    /// `sample-backend schedule cancel`.
    struct Cancel: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Cancel a scheduled publish; its change request stays open.")

        @Argument(help: "The identifier, as \"schedule list\" shows it.")
        var id: String

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await transport.json(
                AdministrationRequest(
                    method: "DELETE", path: ScheduleCommand.path(id, options), ifMatch: "*"))
            ScheduleCommand.report(answer, options, "Cancelled")
        }
    }
}

/// When something is published, and when it is taken back.
struct ScheduleTimes: ParsableArguments {
    @Option(help: "When to publish, such as 2026-12-01T09:00:00+01:00.")
    var at: String?

    @Option(help: "When to take the changes back; \"never\" removes a time given before.")
    var until: String?

    @Option(help: "The time zone of the times, such as Europe/Berlin, by which they are checked.")
    var zone: String?

    /// The times in a body.
    var body: JSONNode {
        var body = JSONNode.emptyObject
        body.setMember("at", at.map { .string($0) })
        body.setMember("until", until.map { $0 == "never" ? .null : .string($0) })
        body.setMember("zone", zone.map { .string($0) })
        return body
    }
}

extension ScheduleCommand {
    fileprivate static func path(_ options: AdministrationOptions) -> String {
        options.projectPath + "/scheduledPublishes"
    }

    fileprivate static func path(_ id: String, _ options: AdministrationOptions) -> String {
        path(options) + "/" + id.percentEncoded
    }

    /// Prints a scheduled publish as JSON, or in a sentence.
    fileprivate static func report(
        _ answer: JSONNode, _ options: AdministrationOptions, _ verb: String
    ) {
        if options.json { return Output.print(answer) }
        let schedule = answer["schedule"]
        let time = schedule?["at"]?.stringValue ?? "?"
        let end = schedule?["until"]?.stringValue.map { " until \($0)" } ?? ""
        Terminal.print(
            "\(verb) the publish \(answer["id"]?.stringValue ?? "?") for \(time)\(end): "
                + "\(answer.scheduleState).")
    }
}

extension JSONNode {
    private var startState: String { self["schedule"]?["state"]?.stringValue ?? "" }

    private var endState: String? { self["schedule"]?["end"]?["state"]?.stringValue }

    /// True while a rollout waits for its next step.
    private var waitsForStep: Bool {
        startState == "published" && self["schedule"]?["rollout"]?["state"] == "running"
    }

    /// True when a scheduled publish waits for its start, a step of its rollout, or its end.
    fileprivate var waits: Bool {
        startState == "waiting" || waitsForStep
            || startState == "published" && endState == "waiting"
    }

    /// The next time of a scheduled publish in UTC.
    fileprivate var nextTime: String {
        let schedule = self["schedule"]
        let time =
            startState == "waiting"
            ? schedule?["time"]
            : waitsForStep ? schedule?["rollout"]?["nextTime"] : schedule?["untilTime"]
        return time?.stringValue ?? ""
    }

    /// The state of a scheduled publish in words, and what will happen or why nothing did.
    fileprivate var scheduleState: String {
        let schedule = self["schedule"]
        var words = startState
        if let outlook = schedule?["outlook"]?.stringValue { words += ", \(outlook)" }
        if let reason = schedule?["outlookReason"]?.stringValue { words += ": \(reason)" }
        if let number = schedule?["versionNumber"]?.stringValue { words += " as version \(number)" }
        if schedule?["late"] == .bool(true) { words += ", late" }
        if let reason = schedule?["reason"]?.stringValue { words += ": \(reason)" }
        guard startState == "published", let endState else { return words }
        let number = schedule?["end"]?["versionNumber"]?.stringValue.map { " as version \($0)" }
        let reason = schedule?["end"]?["reason"]?.stringValue.map { ": \($0)" }
        let kept = schedule?["end"]?["kept"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let rest = kept.isEmpty ? "" : ", without \(kept.joined(separator: ", "))"
        return words + "; end: \(endState)\(number ?? "")\(rest)\(reason ?? "")"
    }
}
