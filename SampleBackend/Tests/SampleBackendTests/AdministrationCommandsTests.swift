import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// Commands of administrators, each on a server and on a database.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct AdministrationCommandsTests {
    @Test(arguments: AdministrationTarget.Kind.allCases)
    func theCommandsPublishListCompareAndRollBack(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let first = try await target.run(
            "publish", target.template(title: "one"), "--description", "the first")
        #expect(first.exitCode == 0, "\(first)")
        #expect(first.output.contains("Published version 1"), "\(first)")
        let second = try await target.run(
            "publish", target.template(title: "two", version: 1), "--preview-user", "3")
        #expect(second.exitCode == 0, "\(second)")
        #expect(second.output.contains("one for three"), "\(second)")
        #expect(second.output.contains("two for three"), "\(second)")

        let versions = try await target.run("versions")
        let lines = versions.output.split(separator: "\n")
        #expect(lines.count == 3, "\(versions)")
        #expect(lines.first { $0.hasPrefix("1 ") }?.contains("the first") == true)
        let latest = try await target.run("versions", "--limit", "1", "--json")
        let all = try await target.run("versions", "--limit", "1", "--all", "--json")
        #expect(try all.json["versions"]?.arrayValue?.count == 2)
        let listed = try latest.json["versions"]?.arrayValue
        #expect(listed?.compactMap { $0["versionNumber"]?.stringValue } == ["2"])

        let oldest = try await target.run("diff", "0", "1")
        #expect(oldest.exitCode == 0, "\(oldest)")
        #expect(oldest.output.contains("Home"))
        let diff = try await target.run("diff", "1", "2")
        #expect(diff.exitCode == 0)
        #expect(diff.output.contains("~ Home.title"), "\(diff)")
        #expect(diff.output.contains(#"- defaultValue: "one""#), "\(diff)")
        #expect(diff.output.contains(#"+ defaultValue: "two""#), "\(diff)")
        let file = try await target.run(
            "diff", "--file", target.template(title: "three"), "--json")
        #expect(try file.json["parameters"]?.arrayValue?.count == 1)

        let rollback = try await target.run("rollback", "1", "--json")
        #expect(rollback.exitCode == 0, "\(rollback)")
        #expect(try rollback.json["version"]?["rollbackSource"] == "1")
        let current = try await target.run("get")
        #expect(try current.json["version"]?["versionNumber"] == "3")
        #expect(current.output.contains("\"one\""))
        let old = try await target.run("get", "--version", "2", "--json")
        #expect(try old.json["version"]?["versionNumber"] == "2")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aFileThatGetWroteCanBePublished(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        #expect(try await target.run("publish", target.template()).exitCode == 0)
        let file = target.folder.path("got.json")
        #expect(try await target.run("get", "--output", file).exitCode == 0)
        let again = try await target.run("publish", file, "--json")
        #expect(try again.json["versionNumber"] == "2", "\(again)")
        let stale = try await target.run("publish", file)
        #expect(stale.exitCode == 3, "\(stale)")
        #expect(stale.error.contains("made from version 1,"), "\(stale)")
        #expect(stale.error.contains("--force"), "\(stale)")
        #expect(try await target.run("publish", file, "--force").exitCode == 0)
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aPublishThatOnlyValidatesStoresNothing(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let check = try await target.run("publish", target.template(), "--validate-only")
        #expect(check.exitCode == 0, "\(check)")
        #expect(try await target.run("get").exitCode == 4)
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func anEvaluationSaysWhyAUserGetsAValue(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        #expect(try await target.run("publish", target.template()).exitCode == 0)
        let three = try await target.run("evaluate", "--user", "3")
        #expect(three.exitCode == 0, "\(three)")
        #expect(three.output.contains("Hello for three"), "\(three)")
        #expect(three.output.contains("condition \"three\""), "\(three)")
        #expect(three.output.contains("percentile"), "\(three)")
        let other = try await target.run(
            "evaluate", "--user", "4", "--signal", "app.version=1.0", "--json")
        let reason = try other.json["settings"]?["Home"]?["title"]
        #expect(reason?["source"] == "DEFAULT")
        #expect(reason?["falseConditions"] == ["three"])
        let proposed = try await target.run(
            "evaluate", "--user", "3", "--template", target.template(title: "New"), "--json")
        #expect(try proposed.json["changes"]?["Home"] == ["title"])
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func anEvaluationOfAnEarlierTimeSaysItsVersion(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        #expect(try await target.run("publish", target.template()).exitCode == 0)
        let two = try await target.run("publish", target.template(title: "two"), "--force")
        #expect(two.exitCode == 0)
        let versions = try await target.run("versions", "--json").json["versions"]?.arrayValue
        let first = try #require(versions?.last?["updateTime"]?.stringValue)
        let then = try await target.run("evaluate", "--user", "4", "--at", first)
        #expect(then.exitCode == 0, "\(then)")
        #expect(then.output.contains("At \(first): version 1, published \(first)"), "\(then)")
        #expect(then.output.contains("Home\n  title = \"Hello\""), "\(then)")
        let node = try await target.run("evaluate", "--user", "4", "--at", first, "--json").json
        #expect(node["version"]?["versionNumber"] == "1")
        #expect(node["at"]?.stringValue == first)
        #expect(node["pins"] == "known")
        #expect(node["settings"]?["Home"]?["title"]?["value"] == "Hello")
        let template = try target.template()
        let rows = [
            (["--at", String(first.dropLast())], "offset"),
            (["--at", "2001-01-01T00:00:00Z"], "before the first version"),
            (["--at", "9998-01-01T00:00:00Z"], "future"),
            (["--at", first, "--template", template], "not both"),
        ]
        for (arguments, part) in rows {
            let run = try await target.run(["evaluate"] + arguments)
            #expect(run.exitCode == 64, "\(run)")
            #expect(run.error.contains(part), "\(run)")
        }
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func anExportHasTheDefaultValues(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        #expect(try await target.run("publish", target.template()).exitCode == 0)
        let flat = try await target.run("export", "--format", "json")
        #expect(try flat.json["title"] == "Hello", "\(flat)")
        let bootstrap = try await target.run("export", "--format", "activeconfig")
        let settings = try bootstrap.json["config_sections"]?["Home"]?["settings"]
        #expect(settings?["title"]?["value"] == "Hello", "\(bootstrap)")
        let file = target.folder.path("defaults.plist")
        let plist = try await target.run("export", "--format", "plist", "--output", file)
        #expect(plist.exitCode == 0, "\(plist)")
        #expect(plist.output.isEmpty)
        let data = try Data(contentsOf: URL(fileURLWithPath: file))
        let values = try PropertyListDecoder().decode([String: String].self, from: data)
        #expect(values == ["title": "Hello"])
        let xml = try await target.run("export", "--format", "xml")
        #expect(xml.output.contains("<key>title</key>"), "\(xml)")
        #expect(!xml.error.contains("Warning:"), "\(xml)")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aFlatExportWarnsOfASettingThatItLeavesOut(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let group = #"{"parameters":{"title":{"defaultValue":{"value":"x"}}}}"#
        let file = target.folder.path("two.json")
        try Data(#"{"parameterGroups":{"Home":\#(group),"Shop":\#(group)}}"#.utf8)
            .write(to: URL(fileURLWithPath: file))
        #expect(try await target.run("publish", file).exitCode == 0)
        let export = try await target.run("export", "--format", "plist")
        #expect(export.exitCode == 0)
        #expect(export.error.contains("Warning: Shop.title is left out"), "\(export)")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func anOverridePinsAValueForAUser(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        #expect(try await target.run("publish", target.template()).exitCode == 0)
        let user = "ada/é?&%"
        #expect(try await target.run("overrides", "get", user).exitCode == 4)
        let file = try target.folder.write(#"{"Home":{"title":"pinned"}}"#, to: "pinned.json")
        let set = try await target.run("overrides", "set", user, file)
        #expect(set.exitCode == 0, "\(set)")
        let get = try await target.run("overrides", "get", user, "--json")
        #expect(try get.json == ["Home": ["title": "pinned"]], "\(get)")
        let evaluation = try await target.run("evaluate", "--user", user, "--json")
        let reason = try evaluation.json["settings"]?["Home"]?["title"]
        #expect(reason?["source"] == "OVERRIDE")
        #expect(reason?["value"] == "pinned")
        #expect(try await target.run("overrides", "remove", user).exitCode == 0)
        #expect(try await target.run("overrides", "remove", user).exitCode == 4)
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func theAuditTrailListsActorsAndActions(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        for title in ["one", "two"] {
            let run = try await target.run("publish", target.template(title: title), "--force")
            #expect(run.exitCode == 0, "\(run)")
        }
        #expect(try await target.run("rollback", "1").exitCode == 0)
        let audit = try await target.run("audit", "--json")
        let entries = try #require(try audit.json["entries"]?.arrayValue)
        #expect(
            entries.compactMap { $0["action"]?.stringValue }
                == ["ROLLBACK", "PUBLISH", "PUBLISH"])
        #expect(entries.compactMap { $0["subject"]?.stringValue } == ["3", "2", "1"])
        let actor = try #require(entries.first?["actor"]?.stringValue)
        #expect(actor == (kind == .server ? "environment" : "local:\(NSUserName())"))
        let table = try await target.run("audit", "--limit", "1")
        #expect(table.output.contains("ROLLBACK") && !table.output.contains("PUBLISH"))
        let reason = try await target.run("rollback", "2", "--description", "Try it again")
        #expect(reason.exitCode == 0, "\(reason)")
        let filters: [(options: [String], subjects: [String])] = [
            (["--text", "AGAIN try"], ["4"]), (["--action", "ROLLBACK", "--limit", "1"], ["4"]),
            (["--action", "PUBLISH"], ["2", "1"]), (["--actor", "nobody"], []),
            (["--until", "2020-01-01T00:00:00Z"], []),
            (["--since", "2020-01-01T00:00:00Z"], ["4", "3", "2", "1"]),
        ]
        for (options, subjects) in filters {
            let run = try await target.run(["audit", "--json"] + options)
            let entries = try run.json["entries"]?.arrayValue
            #expect(entries?.compactMap { $0["subject"]?.stringValue } == subjects, "\(options)")
        }
        #expect(try await target.run("audit", "--action", "SING_IN").exitCode == 64)
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func theCommandsCreateListAndRevokeTokens(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let made = try await target.run(
            "tokens", "create", "--name", "ci", "--role", "viewer", "--expires", "30d")
        #expect(made.exitCode == 0, "\(made)")
        #expect(made.output.hasPrefix("acfg_"), "\(made)")
        #expect(!made.output.contains("\n"))
        #expect(!made.error.contains(made.output))
        let list = try await target.run("tokens", "list", "--json")
        #expect(!list.output.contains(made.output))
        let token = try #require(try list.json["tokens"]?.arrayValue?.first)
        #expect(token["name"] == "ci")
        #expect(token["role"] == "viewer")
        #expect(token["expirationTime"] != nil)
        let id = try #require(token["id"]?.stringValue)
        #expect(try await target.run("tokens", "revoke", id).exitCode == 0)
        let after = try await target.run("tokens", "list")
        #expect(after.output.contains("revoked"), "\(after)")
        #expect(try await target.run("tokens", "revoke", "none").exitCode == 4)
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func theCommandsAddListAndRemoveWebhooks(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let url = "https://webhook.invalid/hook"
        #expect(try await target.run("webhooks", "add", url).exitCode == 4)
        #expect(try await target.run("publish", target.template()).exitCode == 0)
        let made = try await target.run("webhooks", "add", url)
        #expect(made.exitCode == 0, "\(made)")
        #expect(made.output.hasPrefix("whsec_"), "\(made)")
        #expect(!made.output.contains("\n"))
        #expect(!made.error.contains(made.output))
        #expect(try await target.run("webhooks", "add", "ftp://a").exitCode == 64)
        let list = try await target.run("webhooks", "list", "--json")
        #expect(!list.output.contains(made.output))
        let webhook = try #require(try list.json["webhooks"]?.arrayValue?.first)
        #expect(webhook["url"] == .string(url))
        let id = try #require(webhook["id"]?.stringValue)
        #expect(made.error.contains(id))
        #expect(try await target.run("webhooks", "list").output.contains("never"))
        let file = try target.template(title: "two")
        #expect(try await target.run("publish", file, "--force").exitCode == 0)
        let deliveries = try await target.run("webhooks", "deliveries", id)
        #expect(deliveries.output.contains("PENDING"), "\(deliveries)")
        let json = try await target.run("webhooks", "deliveries", id, "--json").json
        #expect(json["deliveries"]?.arrayValue?.first?["versionNumber"] == "2")
        let steps = try await target.run(
            "webhooks", "add", url, "--event", "publish", "--event", "changeRequest", "--json")
        #expect(try steps.json["events"] == ["publish", "changeRequest"])
        #expect(try await target.run("webhooks", "add", url, "--event", "x").exitCode == 64)
        #expect(try await target.run("webhooks", "remove", id).exitCode == 0)
        for command in ["remove", "deliveries"] {
            #expect(try await target.run("webhooks", command, id).exitCode == 4)
        }
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func theCommandsListProjectsAndSetTheirDetails(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        #expect(try await target.run("projects", "set", "--color", "red").exitCode == 4)
        #expect(try await target.run("publish", target.template()).exitCode == 0)
        let set = try await target.run(
            "projects", "set", "--display-name", "Shop", "--environment", "production", "--color",
            "red")
        #expect(set.exitCode == 0, "\(set)")
        #expect(set.output.contains("default: Shop, PRODUCTION, RED."), "\(set)")
        let list = try await target.run("projects")
        let row = list.output.split(separator: "\n").last?.split(separator: " ").prefix(5)
        #expect(row == ["default", "Shop", "PRODUCTION", "RED", "1"], "\(list)")
        let cleared = try await target.run("projects", "set", "--color", "", "--json")
        #expect(try cleared.json == ["displayName": "Shop", "environment": "PRODUCTION"])
        #expect(try await target.run("projects", "set", "--color", "brown").exitCode == 64)
        #expect(try await target.run("projects", "set").exitCode == 64)
        let projects = try await target.run("projects", "list", "--json").json["projects"]
        #expect(projects?.arrayValue?.first?["displayName"] == "Shop")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func theCommandsCreateArchiveAndDeleteProjects(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let project = ["--project", "shop"]
        func run(_ arguments: String...) async throws -> CommandRun {
            try await target.run(arguments + project)
        }
        let created = try await run("projects", "create", "--environment", "staging")
        #expect(created.exitCode == 0, "\(created)")
        #expect(created.output == "Created the project shop.")
        #expect(try await run("projects", "create").exitCode != 0)
        #expect(try await run("get").json["version"]?["versionNumber"] == "0")
        #expect(try await run("projects", "delete").exitCode == 64)
        #expect(try await run("projects", "delete", "--confirm", "web").exitCode == 64)
        let early = try await run("projects", "delete", "--confirm", "shop")
        #expect(early.exitCode != 0)
        #expect(early.error.contains("archive it first"), "\(early)")
        #expect(try await run("projects", "archive").exitCode == 0)
        let list = try await target.run("projects")
        #expect(list.output.contains("archived"), "\(list)")
        #expect(try await run("publish", target.template(), "--force").exitCode != 0)
        #expect(try await run("projects", "unarchive").exitCode == 0)
        #expect(try await run("publish", target.template()).exitCode == 0)
        #expect(try await run("projects", "archive").exitCode == 0)
        let deleted = try await run("projects", "delete", "--confirm", "shop")
        #expect(deleted.output == "Deleted the project shop.", "\(deleted)")
        #expect(try await run("get").exitCode == 4)
        #expect(try await run("audit").output.contains("DELETE_PROJECT"))
        #expect(try await run("projects", "create").exitCode == 0)
        #expect(try await target.run("projects").output.contains("nothing published"))
        // Its number is not 0, but the file replaces nothing.
        let published = try await run("publish", target.template())
        #expect(published.exitCode == 0, "\(published)")
        #expect(try await !target.run("projects").output.contains("nothing published"))
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aTokenIsLimitedToProjects(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let created = try await target.run(
            "tokens", "create", "--name", "ci", "--in", "shop=editor", "--in", "web=viewer")
        #expect(created.exitCode == 0, "\(created)")
        #expect(try await target.run("tokens", "list").output.contains("shop=editor, web=viewer"))
        for arguments in [["--in", "shop"], ["--in", "shop=owner"], []] {
            let run = try await target.run(["tokens", "create", "--name", "x"] + arguments)
            #expect(run.exitCode == 64, "\(run)")
        }
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func theCommandsWriteNoColoursToAPipe(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let runs = [
            try await target.run("publish", target.template(), "--preview-user", "3"),
            try await target.run("publish", target.template(title: "two"), "--force"),
            try await target.run("evaluate", "--user", "3"),
            try await target.run("versions"), try await target.run("audit"),
            try await target.run("diff", "1", "2"), try await target.run("tokens", "list"),
            try await target.run("doctor"),
        ]
        for run in runs {
            #expect(!run.output.isEmpty, "\(run)")
            #expect(!run.output.contains("\u{1B}") && !run.error.contains("\u{1B}"), "\(run)")
        }
    }
}
