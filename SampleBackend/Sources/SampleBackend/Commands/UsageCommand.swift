import ArgumentParser
import HTTPServing
import JSONTree

/// `sample-backend usage` shows which apps receive templates, and which settings are used.
struct UsageCommand: AdministrationCommand {
    static let configuration = CommandConfiguration(
        commandName: "usage",
        abstract: "Show which apps receive the template, and which settings are used or stale.",
        discussion: """
            Servers send whole documents, so DELIVERED says that an app got the setting, not that it \
            read it. READ is known only of clients that evaluate single flags (OpenFeature).
            """)

    @Flag(help: "Only the stale settings.")
    var stale = false

    @OptionGroup var options: AdministrationOptions

    func run(with transport: any AdministrationTransport) async throws {
        let path = options.projectPath + "/usage?pageSize=1000" + (stale ? "&stale=true" : "")
        var answer: JSONNode?
        var settings: [JSONNode] = []
        var pageToken: String?
        repeat {
            let token = pageToken.map { "&pageToken=\($0.percentEncoded)" } ?? ""
            let page = try await transport.json(AdministrationRequest(path: path + token))
            settings += page["settings"]?.arrayValue ?? []
            pageToken = page["nextPageToken"]?.stringValue
            answer = answer ?? page
        } while pageToken != nil
        guard var answer else { return }
        answer.setMember("settings", .array(settings))
        answer.setMember("nextPageToken", nil)
        if options.json { return Output.print(answer) }
        if !stale { Self.printApps(answer) }
        Output.printTable(
            ["SECTION", "KEY", "DELIVERED", "READ", "SAME SINCE", "STALE"],
            settings.map(Self.row))
        if !stale { Self.printUnknownNames(answer) }
    }

    private static func printApps(_ answer: JSONNode) {
        let apps = answer["apps"]?.arrayValue ?? []
        if !apps.isEmpty {
            Output.printTable(
                ["APP", "VERSION", "DELIVERED", "TEMPLATE"],
                apps.map { app in
                    [
                        name(of: app), app["version"]?.stringValue ?? "",
                        app["delivered"]?.stringValue ?? "",
                        app["templateVersion"]?.stringValue ?? "",
                    ]
                })
        }
        if let now = answer["now"] {
            Terminal.print(
                "\(now["current"]?.integerValue ?? 0) of \(now["clients"]?.integerValue ?? 0) "
                    + "known clients have version \(now["version"]?.stringValue ?? "")")
        }
        let since = answer["recordedSince"]?.stringValue
        Terminal.print(since.map { "recorded since \($0)" } ?? "nothing is recorded yet")
    }

    private static func name(of app: JSONNode) -> String {
        switch app["kind"]?.stringValue {
        case "SERVICE": "services"
        case "OTHER": "other apps"
        default: app["id"]?.stringValue ?? "unknown app"
        }
    }

    private static func row(_ setting: JSONNode) -> [String] {
        let same = setting["sameForEverybodySince"]
        return [
            setting["section"]?.stringValue ?? "", setting["key"]?.stringValue ?? "",
            setting["delivered"]?.stringValue ?? "-", setting["read"]?.stringValue ?? "",
            same?["date"]?.stringValue ?? "-",
            setting["stale"]?["text"]?.stringValue ?? "",
        ]
    }

    private static func printUnknownNames(_ answer: JSONNode) {
        let names = (answer["unknownNames"]?.arrayValue ?? []).compactMap {
            $0["name"]?.stringValue
        }
        if names.isEmpty { return }
        Terminal.print("asked for, but unknown:")
        for name in names { Terminal.print("  \(name.escapedForTerminal)") }
    }
}
