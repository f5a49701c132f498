import Foundation
import JSONTree
import SeededRandomness
import TemporaryFolders
import Testing

@testable import SampleBackend

/// `sample-backend compare` and `promote`.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct PromoteCommandTests {
    /// Creates a target with a project `default` and a project `staging`.
    private static func target(
        _ kind: AdministrationTarget.Kind
    ) async throws -> AdministrationTarget {
        let target = try await AdministrationTarget(kind)
        let file = try target.folder.write(
            #"""
            {"conditions": [{"name": "half", "expression": "percent <= 5"}],
             "parameterGroups": {"Home": {"parameters": {
               "title": {"defaultValue": {"value": "old"}},
               "kept": {"defaultValue": {"value": "k"},
                        "conditionalValues": {"half": {"value": "h"}}}}}}}
            """#, to: "default.json")
        #expect(try await target.run("publish", file).exitCode == 0)
        let other = try target.folder.write(
            #"""
            {"conditions": [{"name": "three", "expression": "user.id == '3'"},
                            {"name": "half", "expression": "percent <= 50"}],
             "parameterGroups": {"Home": {"parameters": {
               "title": {"defaultValue": {"value": "new"}, "conditionalValues":
                 {"three": {"value": "3"}, "half": {"value": "n"}}},
               "extra": {"defaultValue": {"value": "new"}}}}}}
            """#, to: "staging.json")
        let created = try await target.run(
            "publish", other, "--project", "staging", "--create-project")
        #expect(created.exitCode == 0, "\(created)")
        return target
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aComparisonShowsBothSides(kind: AdministrationTarget.Kind) async throws {
        let target = try await Self.target(kind)
        let run = try await target.run("compare", "staging")
        #expect(run.exitCode == 0, "\(run)")
        #expect(run.output.contains("~ Home.title"), "\(run)")
        #expect(run.output.contains(#"- defaultValue: "old""#), "\(run)")
        #expect(run.output.contains(#"+ defaultValue: "new""#), "\(run)")
        #expect(run.output.contains("+ Home.extra"), "\(run)")
        let json = try await target.run("compare", "staging", "--json").json
        #expect(json["withETag"] == "etag-staging-1")
        #expect(try await target.run("compare", "none").exitCode == 4)
        #expect(try await target.run("compare", "default").exitCode == 64)
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func whatDiffersOnPurposeIsCountedAndNotCopied(kind: AdministrationTarget.Kind) async throws {
        let target = try await Self.target(kind)
        #expect(
            try await target.run("compare", "staging", "--intended", "Home.title").exitCode == 64)
        let unknown = try await target.run(
            "compare", "staging", "--intended", "Home.none", "--note", "n")
        #expect(unknown.exitCode == 1, "\(unknown)")
        for mark in [["--intended", "Home.title"], ["--intended-condition", "half"]] {
            let run = try await target.run(
                ["compare", "staging", "--note", "Why \(mark[1])"] + mark)
            #expect(run.exitCode == 0 && run.output.contains("on purpose now"), "\(run)")
        }
        let short = try await target.run("compare", "staging")
        #expect(!short.output.contains("Home.title"), "\(short)")
        #expect(short.output.contains("2 more differ on purpose"), "\(short)")
        #expect(!short.output.contains("decide about Home.kept"), "\(short)")
        let all = try await target.run("compare", "staging", "--all")
        #expect(all.output.contains("Home.title: Why Home.title ("), "\(all)")
        #expect(all.output.contains("the condition half: Why half ("), "\(all)")
        let copied = try await target.run("promote", "staging")
        #expect(copied.exitCode == 0, "\(copied)")
        #expect(copied.error.contains("on purpose: Home.title"), "\(copied)")
        let draft = try await target.run("draft", "show").json
        let home = draft["parameterGroups"]?["Home"]?["parameters"]
        #expect(home?["title"]?["defaultValue"] == ["value": "old"])
        #expect(home?["extra"]?["defaultValue"] == ["value": "new"])
        let ended = try await target.run("compare", "staging", "--not-intended", "Home.title")
        #expect(ended.exitCode == 0, "\(ended)")
        let again = try await target.run("compare", "staging", "--not-intended", "Home.title")
        #expect(again.exitCode == 4, "\(again)")
        #expect(try await target.run("compare", "staging").output.contains("~ Home.title"))
    }

    /// Several targets have a result each; one that fails does not stop the others.
    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aPromotionToSeveralProjectsHasAResultForEach(
        kind: AdministrationTarget.Kind
    ) async throws {
        let target = try await Self.target(kind)
        let file = try target.folder.write(
            #"{"parameters": {"other": {"defaultValue": {"value": "1"}}}}"#, to: "us.json")
        #expect(
            try await target.run("publish", file, "--project", "us", "--create-project").exitCode
                == 0)
        let run = try await target.run(
            "promote", "staging", "--to", "us", "--to", "none", "--to", "default")
        #expect(run.exitCode == 4, "\(run)")
        #expect(run.error.contains("Nothing was copied to none, default."), "\(run)")
        #expect(run.error.contains("conditions.half: staging has"), "\(run)")
        let draft = try await target.run("draft", "show", "--project", "us").json
        #expect(draft["parameterGroups"]?["Home"]?["parameters"]?["extra"] != nil)
        let json = try await target.run(
            "promote", "staging", "--to", "us", "--to", "default", "--keep", "conditions.half",
            "--replace-draft", "--json"
        ).json
        #expect(json.arrayValue?.map { $0["project"] } == ["us", "default"])
        #expect(json.arrayValue?.allSatisfy { $0["conflicts"] != nil } == true)
        let mistyped = try await target.run(
            "promote", "staging", "--to", "us", "--to", "default", "--keep", "conditions.Half",
            "--keep-rest", "--replace-draft")
        #expect(mistyped.exitCode == 1, "\(mistyped)")
        #expect(mistyped.error.contains("No conflict has the path conditions.Half"), "\(mistyped)")
        #expect(
            try await target.run("promote", "staging", "--to", "us", "--to", "us").exitCode == 64)
        let nothing = try await target.run("promote", "us", "--to", "us2", "--to", "staging")
        #expect(nothing.exitCode == 4, "\(nothing)")
        let file2 = target.folder.url.appending(path: "out.json").path
        let refused = try await target.run(
            "promote", "staging", "--to", "us", "--to", "default", "--output", file2)
        #expect(refused.exitCode == 64, "\(refused)")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aPromotionBecomesADraft(kind: AdministrationTarget.Kind) async throws {
        let target = try await Self.target(kind)
        let asked = try await target.run("promote", "staging")
        #expect(asked.exitCode == 1, "\(asked)")
        #expect(asked.error.contains("conditions.half: staging has"), "\(asked)")
        #expect(try await target.run("draft", "show").exitCode == 4)

        let taken = try await target.run("promote", "staging", "--take", "conditions.half")
        #expect(taken.exitCode == 0, "\(taken)")
        #expect(taken.error.contains("Conditions that differ: half"), "\(taken)")
        #expect(taken.error.contains("single users: three"), "\(taken)")
        #expect(taken.error.contains("These settings can change, too: Home.kept"), "\(taken)")
        let draft = try await target.run("draft", "show").json
        #expect(draft["version"]?["versionNumber"] == "1")
        #expect(draft["version"]?["description"] == "From staging, version 1")
        #expect(
            draft["conditions"]?.arrayValue?.map { $0["expression"] } == ["percent <= 50"])
        #expect(try await target.run("get").json["version"]?["versionNumber"] == "1")

        let second = try await target.run("promote", "staging", "--keep-rest")
        #expect(second.exitCode == 1 && second.error.contains("--replace-draft"), "\(second)")
        let replaced = try await target.run(
            "promote", "staging", "--keep-rest", "--replace-draft", "--json")
        #expect(replaced.exitCode == 0, "\(replaced)")
        #expect(try replaced.json["conditions"]?["different"] == ["half"])
        #expect(try await target.run("draft", "publish").exitCode == 0)
        let current = try await target.run("get").json
        #expect(current["version"]?["description"] == "From staging, version 1")
        let home = current["parameterGroups"]?["Home"]?["parameters"]
        #expect(home?["title"]?["defaultValue"]?["value"] == "new")
        #expect(home?["title"]?["conditionalValues"] == ["half": ["value": "n"]])
        #expect(
            current["conditions"]?.arrayValue?.map { $0["expression"] } == ["percent <= 5"])
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aDecisionForNoConflictIsRefused(kind: AdministrationTarget.Kind) async throws {
        let target = try await Self.target(kind)
        for option in ["--take", "--keep"] {
            let run = try await target.run(
                "promote", "staging", "--keep-rest", option, "conditions.haf")
            #expect(run.exitCode == 1, "\(run)")
            #expect(run.error.contains("No conflict has the path conditions.haf"), "\(run)")
            #expect(run.error.contains("\n  conditions.half"), "\(run)")
        }
        let path = "conditions.half"
        let both = try await target.run("promote", "staging", "--take", path, "--keep", path)
        #expect(both.exitCode == 64, "\(both)")
        #expect(try await target.run("draft", "show").exitCode == 4)
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func openConflictsAreInTheJSON(kind: AdministrationTarget.Kind) async throws {
        let target = try await Self.target(kind)
        let run = try await target.run("promote", "staging", "--json")
        #expect(run.exitCode == 1, "\(run)")
        let failure = try JSONNode(jsonData: Data(run.error.utf8))
        let conflicts = failure["conflicts"]?.arrayValue
        #expect(conflicts?.map { $0["path"] } == ["conditions.half"])
        #expect(conflicts?.first?["theirs"]?["expression"] == "percent <= 5")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aSettingWithADifferentConditionCanBeChosen(
        kind: AdministrationTarget.Kind
    ) async throws {
        let target = try await AdministrationTarget(kind)
        for (project, share) in [("default", 5), ("staging", 50)] {
            let file = try target.folder.write(
                #"""
                {"conditions": [{"name": "half", "expression": "percent <= \#(share)"}],
                 "parameters": {"a": {"conditionalValues": {"half": {"value": "h"}}}}}
                """#, to: "\(project).json")
            let run = try await target.run(
                ["publish", file, "--project", project]
                    + (project == "staging" ? ["--create-project"] : []))
            #expect(run.exitCode == 0, "\(run)")
        }
        let run = try await target.run(
            "promote", "staging", "--setting", "Default.a", "--take", "conditions.half")
        #expect(run.exitCode == 0, "\(run)")
        let draft = try await target.run("draft", "show").json
        #expect(
            draft["conditions"]?.arrayValue?.map { $0["expression"] } == ["percent <= 50"])
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func oneSettingIsPromotedToAFile(kind: AdministrationTarget.Kind) async throws {
        let target = try await Self.target(kind)
        let file = target.folder.path("promoted.json")
        let run = try await target.run(
            "promote", "staging", "--setting", "Home.extra", "--output", file)
        #expect(run.exitCode == 0, "\(run)")
        #expect(try await target.run("draft", "show").exitCode == 4)
        #expect(try await target.run("publish", file).exitCode == 0)
        let home = try await target.run("get").json["parameterGroups"]?["Home"]?["parameters"]
        #expect(home?["extra"]?["defaultValue"]?["value"] == "new")
        #expect(home?["title"]?["defaultValue"]?["value"] == "old")
        // It no longer differs.
        let again = try await target.run("promote", "staging", "--setting", "Home.extra")
        #expect(again.exitCode == 1 && again.error.contains("does not differ"), "\(again)")
    }
}
