import Foundation
import JSONTree
import SeededRandomness
import TemporaryFolders
import Testing

/// `sample-backend import`.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ImportCommandTests {
    /// A template as Firebase exports it.
    private static let firebase = #"""
        {"conditions": [{"name": "ios", "expression": "device.os == 'ios'"}],
         "parameters": {"title": {"valueType": "STRING", "defaultValue": {"value": "Hi"},
           "conditionalValues": {"ios": {"personalizationValue": {"personalizationId": "p"}}}}},
         "version": {"versionNumber": "41"}}
        """#

    @Test func anImportMakesATemplateOfFirebaseThatCanBePublished() async throws {
        let target = try await AdministrationTarget(.database)
        let file = try target.folder.write(Self.firebase, to: "firebase.json")
        let output = target.folder.path("template.json")
        let run = try await CommandRun(["import", "firebase", file, "--output", output])
        #expect(run.exitCode == 0, "\(run)")
        #expect(run.output.isEmpty)
        #expect(run.error.contains("version 41"), "\(run)")
        #expect(run.error.contains("personalizationValue"), "\(run)")
        let publish = try await target.run("publish", output)
        #expect(publish.exitCode == 0, "\(publish)")
        #expect(publish.error.contains("Warning"), "\(publish)")
        #expect(publish.error.contains("personalizationValue"), "\(publish)")
        let defaults = try await target.run("export", "--format", "json")
        #expect(try defaults.json == ["title": "Hi"])
    }

    @Test func anImportMakesASectionOfTheParametersOfParse() async throws {
        let target = try await AdministrationTarget(.database)
        let file = try target.folder.write(
            #"{"params": {"welcome": "Hi", "count": 3, "on": true}}"#, to: "parse.json")
        let run = try await CommandRun(["import", "parse", file, "--section", "Home", "--json"])
        #expect(run.exitCode == 0, "\(run)")
        let template = try #require(try run.json["template"])
        let parameters = template["parameterGroups"]?["Home"]?["parameters"]
        #expect(parameters?["welcome"]?["defaultValue"]?["value"] == "Hi")
        #expect(parameters?["count"]?["valueType"] == "NUMBER")
        #expect(parameters?["on"]?["valueType"] == "BOOLEAN")
        #expect(try run.json["report"]?.arrayValue != nil)
        let made = try target.folder.write(template.description, to: "template.json")
        #expect(try await target.run("publish", made).exitCode == 0)
    }

    @Test func anImportMakesConditionsOfTheRulesOfLaunchDarkly() async throws {
        let target = try await AdministrationTarget(.database)
        let file = try target.folder.write(
            #"""
            {"flags": {"new-checkout": {"on": true, "variations": [true, false], "offVariation": 1,
              "targets": [{"values": ["42"], "variation": 0}], "fallthrough": {"variation": 1},
              "rules": [{"variation": 0, "clauses": [
                {"attribute": "born", "op": "before", "values": ["2000-01-01T00:00:00Z"]}]}]}}}
            """#, to: "flags.json")
        let output = target.folder.path("template.json")
        let run = try await CommandRun([
            "import", "launchdarkly", file, "--section", "Shop", "--output", output,
        ])
        #expect(run.exitCode == 0, "\(run)")
        #expect(run.output.isEmpty)
        #expect(run.error.contains("renamed to new_checkout"), "\(run)")
        #expect(run.error.contains("the rule is left out: before"), "\(run)")
        #expect(try await target.run("publish", output).exitCode == 0)
        for (user, isOn) in [("42", "true"), ("43", "false")] {
            let values = try await target.run("evaluate", "--user", user)
            #expect(values.output.contains("new_checkout = \(isOn)\n"), "\(values)")
        }
    }

    @Test func anImportRefusesTheFileOfTheOtherService() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(#"{"params": {"welcome": "Hi"}}"#, to: "parse.json")
        let run = try await CommandRun(["import", "firebase", file])
        #expect(run.exitCode == 2, "\(run)")
        #expect(run.error.contains("none of conditions, parameters and parameterGroups"), "\(run)")
    }

    @Test func anImportOfParseSaysThatAFileIsOneOfFirebase() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            #"{"parameters": {"a": {"defaultValue": {"value": "x"}}}, "version": {}}"#,
            to: "firebase.json")
        let run = try await CommandRun(["import", "parse", file])
        #expect(run.exitCode == 2, "\(run)")
        #expect(run.error.contains("import it as one of Firebase"), "\(run)")
        #expect(run.output.isEmpty)
    }

    @Test(arguments: ["configuration", "firebase", "launchdarkly", "parse"])
    func anImportRefusesWhatCannotBeImported(service: String) async throws {
        let folder = try TemporaryFolder()
        let broken = try folder.write("{", to: "broken.json")
        #expect(try await CommandRun(["import", service, broken]).exitCode == 65)
        #expect(try await CommandRun(["import", service, folder.path("none")]).exitCode == 65)
        let wrong = try folder.write("[1]", to: "wrong.json")
        let run = try await CommandRun(["import", service, wrong])
        #expect(run.exitCode == 2, "\(run)")
        #expect(run.output.isEmpty && !run.error.isEmpty)
        #expect(try await CommandRun(["import", "other", wrong]).exitCode == 64)
    }
}
