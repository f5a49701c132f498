import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// Templates that `publish` refuses, and those that it asks about.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct PublishCommandTests {
    private static let document = #"""
        {"meta": {"format_version_string": "1.0"},
         "config_sections": {"Home": {"settings": {"title": {"value": "Hi"}, "size": {"value": 2}}}}}
        """#

    /// Text of a template with numbered parameters, the first of which are archived.
    private static func template(_ count: Int, archived: Int = 0) -> String {
        let parameters = (0..<count).map {
            #""p\#($0)": {"defaultValue": {"value": ""}, "archived": \#($0 < archived)}"#
        }
        return #"{"parameters": {\#(parameters.joined(separator: ","))}}"#
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aPublishThatArchivesMostSettingsNeedsYes(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let four = try target.folder.write(Self.template(4), to: "four.json")
        let archived = try target.folder.write(Self.template(4, archived: 3), to: "archived.json")
        let one = try target.folder.write(Self.template(1), to: "one.json")
        #expect(try await target.run("publish", four).exitCode == 0)
        let refused = try await target.run("publish", archived, "--force")
        #expect(refused.exitCode == 1, "\(refused)")
        #expect(refused.error.contains("removes or archives 3 of 4 settings"), "\(refused)")
        #expect(try await target.run("publish", archived, "--force", "--yes").exitCode == 0)
        // Apps have lost the archived ones already.
        let another = try await target.run("publish", one, "--force")
        #expect(another.error.contains("1 of 1 settings"), "\(another)")
        #expect(try await target.run("publish", archived, "--force").exitCode == 0)
    }

    static let noTemplates: [NamedRow<String>] = [
        .init("a configuration document", document), .init("an empty object", "{}"),
        .init("the defaults that an app bundles", #"{"welcome": "hi"}"#),
    ]

    @Test(arguments: AdministrationTarget.Kind.allCases, noTemplates)
    func aFileThatIsNoTemplateIsNotPublished(
        kind: AdministrationTarget.Kind, row: NamedRow<String>
    ) async throws {
        let target = try await AdministrationTarget(kind)
        #expect(try await target.run("publish", target.template()).exitCode == 0)
        let file = try target.folder.write(row.value, to: "file.json")
        for options in [["--force"], ["--force", "--yes"], ["--force", "--description", "x"]] {
            let run = try await target.run(["publish", file] + options)
            #expect(run.exitCode == 2, "\(run)")
            #expect(
                run.error.contains("import configuration") == (row.value == Self.document), "\(run)"
            )
        }
        let current = try await target.run("get")
        #expect(try current.json["version"]?["versionNumber"] == "1")
        #expect(try current.json["parameterGroups"]?["Home"] != nil)
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func anImportedConfigurationDocumentCanBePublished(
        kind: AdministrationTarget.Kind
    ) async throws {
        let target = try await AdministrationTarget(kind)
        let file = try target.folder.write(Self.document, to: "bootstrap.json")
        let made = target.folder.path("template.json")
        let run = try await CommandRun(["import", "configuration", file, "--output", made])
        #expect(run.exitCode == 0, "\(run)")
        #expect(try await target.run("publish", made).exitCode == 0)
        let exported = try await target.run("export", "--format", "activeconfig")
        let home = try exported.json["config_sections"]?["Home"]?["settings"]
        #expect(home == ["size": ["value": 2], "title": ["value": "Hi"]], "\(exported)")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aPublishThatRemovesMostSettingsNeedsYes(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let four = try target.folder.write(Self.template(4), to: "four.json")
        let two = try target.folder.write(Self.template(2), to: "two.json")
        let none = try target.folder.write(Self.template(0), to: "none.json")
        #expect(try await target.run("publish", four).exitCode == 0)
        let check = try await target.run("publish", none, "--validate-only")
        #expect(check.exitCode == 0, "\(check)")
        let refused = try await target.run("publish", none, "--force")
        #expect(refused.exitCode == 1, "\(refused)")
        #expect(refused.error.contains("4 of 4 settings"), "\(refused)")
        #expect(refused.error.contains("--yes"), "\(refused)")
        #expect(try await target.run("get").json["version"]?["versionNumber"] == "1")
        // Exactly half is not the majority.
        #expect(try await target.run("publish", two, "--force").exitCode == 0)
        #expect(try await target.run("publish", none, "--force").exitCode == 1)
        #expect(try await target.run("publish", none, "--force", "--yes").exitCode == 0)
        #expect(try await target.run("publish", none, "--force").exitCode == 0)
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aPublishThatChangesATypeNeedsYes(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        func file(_ type: String) throws -> String {
            try target.folder.write(
                #"{"parameters":{"limit":{"valueType":"\#(type)","defaultValue":{"value":"1"}}}}"#,
                to: "\(type).json")
        }
        #expect(try await target.run("publish", file("STRING")).exitCode == 0)
        let refused = try await target.run("publish", file("NUMBER"), "--force")
        #expect(refused.exitCode == 1, "\(refused)")
        #expect(refused.error.contains("limit from STRING to NUMBER: give --yes"), "\(refused)")
        #expect(
            try await target.run("publish", file("NUMBER"), "--force", "--yes").exitCode == 0)
        let back = try await target.run("rollback", "1")
        #expect(back.exitCode == 1 && back.error.contains("--yes"), "\(back)")
        let versions = try await target.run("versions")
        #expect(versions.output.contains("publish over any version"), "\(versions)")
        #expect(!versions.output.contains("_UPDATE"), "\(versions)")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aFileOfAnEarlierVersionIsRefusedWithoutAQuestion(
        kind: AdministrationTarget.Kind
    ) async throws {
        let target = try await AdministrationTarget(kind)
        let four = try target.folder.write(Self.template(4), to: "four.json")
        for _ in 1...2 {
            #expect(try await target.run("publish", four, "--force").exitCode == 0)
        }
        let old = #"{"parameters": {}, "version": {"versionNumber": 1}}"#
        let file = try target.folder.write(old, to: "old.json")
        let refused = try await target.run("publish", file)
        #expect(refused.exitCode == 3, "\(refused)")
        #expect(refused.error.contains("from version 1"), "\(refused)")
        #expect(!refused.error.contains("--yes"), "\(refused)")
        let current = try target.folder.write(
            old.replacing(": 1}", with: ": 2}"), to: "current.json")
        let blank = try await target.run("publish", current, "--if-match", "etag-default-2 \r\n")
        #expect(blank.exitCode == 1 && blank.error.contains("--yes"), "\(blank)")
        let question = try await target.run("publish", current)
        #expect(question.exitCode == 1 && question.error.contains("--yes"), "\(question)")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func anEntityTagIsPrintedWithoutQuotationMarks(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let first = try await target.run("publish", target.template(), "--json")
        #expect(try first.json["etag"] == "etag-default-1", "\(first)")
        let refused = try await target.run("publish", target.template(title: "two"))
        #expect(refused.exitCode == 3, "\(refused)")
        #expect(refused.error.contains("and etag-default-1 is published"), "\(refused)")
        let next = try await target.run(
            "publish", target.template(title: "two"), "--if-match", "etag-default-1")
        #expect(next.exitCode == 0, "\(next)")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aNewProjectIsMadeOnlyOnDemand(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let file = try target.template()
        let refused = try await target.run("publish", file, "--project", "typo")
        #expect(refused.exitCode == 4, "\(refused)")
        #expect(refused.error.contains("\"typo\""), "\(refused)")
        #expect(refused.error.contains("--create-project"), "\(refused)")
        #expect(try await target.run("publish", file, "--project", "typo", "--force").exitCode == 4)
        let check = try await target.run("publish", file, "--project", "typo", "--validate-only")
        #expect(check.exitCode == 0, "\(check)")
        #expect(try await target.run("get", "--project", "typo").exitCode == 4)
        let made = try await target.run("publish", file, "--project", "typo", "--create-project")
        #expect(made.exitCode == 0, "\(made)")
        #expect(try await target.run("publish", file, "--project", "typo", "--force").exitCode == 0)
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func anEditedFileDoesNotRepeatTheDescription(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let first = try await target.run("publish", target.template(), "--description", "first")
        #expect(first.exitCode == 0, "\(first)")
        let file = target.folder.path("got.json")
        #expect(try await target.run("get", "--output", file).exitCode == 0)
        #expect(try await target.run("publish", file).exitCode == 0)
        #expect(try await target.run("get").json["version"]?["description"] == nil)
        // Keeps a description from the file.
        let own = #"{"parameters": {}, "version": {"description": "own"}}"#
        let path = try target.folder.write(own, to: "own.json")
        #expect(try await target.run("publish", path, "--force", "--yes").exitCode == 0)
        #expect(try await target.run("get").json["version"]?["description"] == "own")
        #expect(try await target.run("get", "--output", file).exitCode == 0)
        #expect(try await target.run("publish", file, "--description", "new").exitCode == 0)
        #expect(try await target.run("get").json["version"]?["description"] == "new")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aFileOfAnOlderVersionDoesNotRepeatItsDescription(
        kind: AdministrationTarget.Kind
    ) async throws {
        let target = try await AdministrationTarget(kind)
        let file = target.folder.path("got.json")
        let first = try target.template()
        #expect(try await target.run("publish", first, "--description", "first").exitCode == 0)
        #expect(try await target.run("get", "--output", file).exitCode == 0)
        #expect(try await target.run("publish", first, "--force").exitCode == 0)
        for options in [["--force"], ["--if-match", "*"]] {
            let run = try await target.run(["publish", file] + options)
            #expect(run.exitCode == 0, "\(run)")
            #expect(try await target.run("get").json["version"]?["description"] == nil)
        }
        // Keeps an edited description.
        let edited = try String(contentsOfFile: file, encoding: .utf8)
            .replacing("first", with: "second")
        let path = try target.folder.write(edited, to: "edited.json")
        #expect(try await target.run("publish", path, "--force").exitCode == 0)
        #expect(try await target.run("get").json["version"]?["description"] == "second")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aPreviewOfAPublishTakesSignals(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let old = #"""
            {"conditions": [{"name": "new", "expression": "app.version.>=(['2'])"}],
             "parameters": {"title": {"defaultValue": {"value": "old"},
              "conditionalValues": {"new": {"value": "one"}}}}}
            """#
        let file = try target.folder.write(old, to: "old.json")
        #expect(try await target.run("publish", file).exitCode == 0)
        let changed = try target.folder.write(old.replacing("one", with: "two"), to: "new.json")
        let run = try await target.run(
            "publish", changed, "--force", "--preview-user", "1", "--signal", "app.version=2.1")
        #expect(run.exitCode == 0, "\(run)")
        #expect(run.output.contains("one") && run.output.contains("two"), "\(run)")
        let wrong = try await target.run("publish", changed, "--signal", "app.version=2.1")
        #expect(wrong.exitCode == 64, "\(wrong)")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func pinnedValuesAreCheckedByTheTemplate(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        #expect(try await target.run("publish", target.template()).exitCode == 0)
        for (values, place) in [
            (#"{"Hom": {"title": "x"}}"#, "Hom"), (#"{"Home": {"titel": "x"}}"#, "Home.titel"),
            (#"{"Home": {"title": 3}}"#, "Home.title"),
        ] {
            let file = try target.folder.write(values, to: "values.json")
            let run = try await target.run("overrides", "set", "1", file)
            #expect(run.exitCode == 2, "\(run)")
            #expect(run.error.contains("In \(place):"), "\(run)")
        }
        let hidden = #"""
            {"parameters": {"a": {"defaultValue": {"value": ""}, "masterKeyOnly": true}}}
            """#
        let template = try target.folder.write(hidden, to: "hidden.json")
        #expect(try await target.run("publish", template, "--force", "--yes").exitCode == 0)
        let pin = try target.folder.write(#"{"Default": {"a": "x"}}"#, to: "pin.json")
        let refused = try await target.run("overrides", "set", "1", pin)
        #expect(refused.exitCode == 2 && refused.error.contains("hidden from"), "\(refused)")
        #expect(try await target.run("overrides", "get", "1").exitCode == 4)
    }
}
