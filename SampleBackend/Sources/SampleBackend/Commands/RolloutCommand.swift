import ArgumentParser
import ConfigServer
import HTTPServing
import JSONTree

/// `sample-backend rollout` raises the percentage of a condition by steps.
struct RolloutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollout",
        abstract:
            "Raise the percentage of a condition by steps, as long as apps report no problems.",
        discussion: """
            The server publishes each percentage, and looks at what apps report in between. When \
            they report more new problems, or lose more streams, than the plan allows, it holds the \
            rollout, with --take-back after taking back the last step. When a webhook refuses, it \
            holds it.
            """,
        subcommands: [
            List.self, Show.self, Start.self, Hold.self, Resume.self, TakeBack.self, Stop.self,
        ])

    /// `sample-backend rollout list`.
    struct List: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the rollouts, the last changed one first.")

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let found = try await transport.list(RolloutCommand.path(options), "rollouts")
            if options.json { return Output.print(["rollouts": .array(found)]) }
            Output.printTable(
                ["ID", "CONDITION", "PERCENT", "NEXT", "STATE"],
                found.map { request in
                    let rollout = request["schedule"]?["rollout"]
                    return [
                        request["id"]?.stringValue ?? "", rollout?["condition"]?.stringValue ?? "",
                        rollout?.text("percent") ?? "-", rollout?["nextTime"]?.stringValue ?? "-",
                        request.rolloutState,
                    ]
                })
        }
    }

    /// `sample-backend rollout show`.
    struct Show: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the steps of a rollout, and what apps report.")

        @Argument(help: "The identifier, as \"rollout list\" shows it.")
        var id: String

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await transport.json(
                AdministrationRequest(path: RolloutCommand.path(id, options)))
            RolloutCommand.show(answer, options)
        }
    }

    /// `sample-backend rollout start`.
    struct Start: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Plan a rollout, which starts now or at a time.",
            discussion: """
                The condition has one rule such as percent('beta') <= 5. In a protected project, give \
                --at, a time by which others have approved the plan.
                """)

        @Option(help: "The name of the condition.")
        var condition: String

        @Option(help: "The percentages, rising, such as 1,5,25,50,100.")
        var percents: String

        @Option(help: "The time between two steps: 30m, 12h or 7d.")
        var every: String

        @Option(
            help: "New problems of the users that it reaches, in percent, above which it stops.")
        var maximumProblems: Double?

        @Option(help: "Open streams that may vanish after a step, in percent.")
        var maximumLostStreams: Double?

        @Option(help: "How many clients have to report before each step.")
        var minimumClients: Int?

        @Flag(help: "Take back the last step when there are problems, and then hold.")
        var takeBack = false

        @Option(help: "When to start, such as 2026-12-01T09:00:00+01:00; now if omitted.")
        var at: String?

        @Option(help: "The time zone of the time, such as Europe/Berlin, by which it is checked.")
        var zone: String?

        @Option(help: "The identifier of an open change request that has the condition.")
        var changeRequest: String?

        @Option(help: "The title of a new change request.")
        var title: String?

        @Flag(help: "Roll out the draft of the token's administrator.")
        var draft = false

        @Flag(help: "Show the plan without storing it.")
        var dryRun = false

        @OptionGroup var options: AdministrationOptions

        /// Rejects contradictory options.
        func validate() throws {
            if changeRequest != nil, title != nil || draft {
                throw ValidationError("Give either --change-request, or --title and --draft.")
            }
            if Self.minutes(every) == nil {
                throw ValidationError("Give --every as a whole number with m, h or d, such as 12h.")
            }
            if percents.split(separator: ",").contains(where: { Self.number($0) == nil }) {
                throw ValidationError("Give --percents as numbers, such as 1,5,25,50,100.")
            }
        }

        func run(with transport: any AdministrationTransport) async throws {
            var body: JSONNode = [
                "condition": .string(condition),
                "percents": .array(
                    percents.split(separator: ",").compactMap(Self.number).map { .number($0) }),
                "intervalMinutes": .number("\(Self.minutes(every) ?? 0)"),
            ]
            body.setMember("maximumProblemPercent", maximumProblems.map { .number("\($0)") })
            body.setMember("maximumLostStreamPercent", maximumLostStreams.map { .number("\($0)") })
            body.setMember("minimumClients", minimumClients.map { .number("\($0)") })
            if takeBack { body.setMember("onProblems", "takeBack") }
            body.setMember("at", at.map { .string($0) })
            body.setMember("zone", zone.map { .string($0) })
            body.setMember("changeRequest", changeRequest.map { .string($0) })
            body.setMember("title", title.map { .string($0) })
            if draft { body.setMember("draft", .bool(true)) }
            let answer = try await transport.json(
                AdministrationRequest(
                    method: "POST",
                    path: RolloutCommand.path(options) + (dryRun ? "?validateOnly=true" : ""),
                    ifMatch: changeRequest == nil ? nil : "*", body: body.jsonData()))
            RolloutCommand.show(answer, options, isDryRun: dryRun)
        }

        /// A number as it is written in JSON; nil for another text.
        private static func number(_ text: Substring) -> String? {
            let text = text.trimmingPrefix { $0 == " " }
            return text.wholeMatch(of: #/(0|[1-9][0-9]{0,2})(\.[0-9]{1,6})?/#) == nil
                ? nil : String(text)
        }

        private static func minutes(_ text: String) -> Int? {
            let units: [Character: Int] = ["m": 1, "h": 60, "d": 24 * 60]
            guard let unit = text.last.flatMap({ units[$0] }), let count = Int(text.dropLast()),
                (1...43_200).contains(count)
            else { return nil }
            return count * unit
        }
    }

    /// `sample-backend rollout hold`.
    struct Hold: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Hold a rollout at its present percentage.")

        @Argument(help: "The identifier, as \"rollout list\" shows it.")
        var id: String

        @Option(help: "Why.")
        var reason: String?

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            var body = JSONNode.emptyObject
            body.setMember("reason", reason.map { .string($0) })
            try await RolloutCommand.act(":hold", body, on: id, options, transport)
        }
    }

    /// `sample-backend rollout resume`.
    struct Resume: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Resume a rollout that is held.",
            discussion: """
                The next step is taken when it was to be taken, or now if that is over. When people \
                approved the plan, --now and --ignore-reports need the permission to bypass approvals.
                """)

        @Argument(help: "The identifier, as \"rollout list\" shows it.")
        var id: String

        @Flag(help: "Take the next step now.")
        var now = false

        @Flag(help: "Take the next step whatever apps report.")
        var ignoreReports = false

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            var body = JSONNode.emptyObject
            if now { body.setMember("now", true) }
            if ignoreReports { body.setMember("ignoreReports", true) }
            try await RolloutCommand.act(":resume", body, on: id, options, transport)
        }
    }

    /// `sample-backend rollout take-back`.
    struct TakeBack: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "Publish the percentage before, and hold the rollout.",
            discussion: """
                From the first percentage, all that the rollout's start has changed is taken back, and \
                the rollout ends.
                """)

        @Argument(help: "The identifier, as \"rollout list\" shows it.")
        var id: String

        @Option(help: "Why.")
        var reason: String?

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            var body = JSONNode.emptyObject
            body.setMember("reason", reason.map { .string($0) })
            try await RolloutCommand.act(":takeBack", body, on: id, options, transport)
        }
    }

    /// `sample-backend rollout stop`.
    struct Stop: AdministrationCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a rollout at its present percentage, or cancel its start.")

        @Argument(help: "The identifier, as \"rollout list\" shows it.")
        var id: String

        @OptionGroup var options: AdministrationOptions

        func run(with transport: any AdministrationTransport) async throws {
            let answer = try await transport.json(
                AdministrationRequest(
                    method: "DELETE",
                    path: options.projectPath + "/scheduledPublishes/" + id.percentEncoded,
                    ifMatch: "*"))
            RolloutCommand.show(answer, options)
        }
    }
}

extension RolloutCommand {
    fileprivate static func path(_ options: AdministrationOptions) -> String {
        options.projectPath + "/rollouts"
    }

    fileprivate static func path(_ id: String, _ options: AdministrationOptions) -> String {
        path(options) + "/" + id.percentEncoded
    }

    fileprivate static func act(
        _ verb: String, _ body: JSONNode, on id: String, _ options: AdministrationOptions,
        _ transport: any AdministrationTransport
    ) async throws {
        let answer = try await transport.json(
            AdministrationRequest(
                method: "POST", path: path(id, options) + verb, ifMatch: "*",
                body: body.jsonData()))
        show(answer, options)
    }

    /// Prints a rollout as JSON, or as a sentence and a table of its steps.
    fileprivate static func show(
        _ answer: JSONNode, _ options: AdministrationOptions, isDryRun: Bool = false
    ) {
        if options.json { return Output.print(answer) }
        let rollout = answer["schedule"]?["rollout"]
        let subject =
            isDryRun ? "The rollout" : "The rollout \(answer["id"]?.stringValue ?? "?")"
        let outlook = answer["schedule"]?["outlook"]?.stringValue.map { ", \($0)" } ?? ""
        Terminal.print(
            "\(subject) of \(rollout?["condition"]?.stringValue ?? "?"): "
                + (isDryRun ? "not stored\(outlook)." : "\(answer.rolloutState)\(outlook)."))
        Output.printTable(
            ["PERCENT", "TIME", "VERSION"],
            (rollout?["steps"]?.arrayValue ?? []).map { step in
                let takenBack = step["isTakenBack"] == .bool(true) ? ", taken back" : ""
                return [
                    step.text("percent") ?? "", step["time"]?.stringValue ?? "",
                    (step["versionNumber"]?.stringValue ?? "planned") + takenBack,
                ]
            })
        let reports = rollout?["check"] ?? rollout?["reportsBefore"]
        if let text = reports?["text"]?.stringValue { Terminal.print(text) }
    }
}

extension JSONNode {
    /// The state of a rollout in words.
    fileprivate var rolloutState: String {
        let rollout = self["schedule"]?["rollout"]
        let state = rollout?["state"]?.stringValue ?? ""
        let percent = rollout?.text("percent").map { " at \($0) %" } ?? ""
        let reason = (rollout?["reason"] ?? self["schedule"]?["reason"])?.stringValue
        return state + percent + (reason.map { ": \($0)" } ?? "")
    }

    /// A number as it is written.
    fileprivate func text(_ name: String) -> String? {
        if case .number(let text)? = self[name] { text } else { nil }
    }
}
