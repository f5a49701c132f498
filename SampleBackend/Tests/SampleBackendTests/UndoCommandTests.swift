import Foundation
import JSONTree
import SeededRandomness
import TemporaryFolders
import Testing

@testable import SampleBackend

/// `sample-backend undo`, which takes back one version.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UndoCommandTests {
    /// Creates a target on which each file is published.
    private static func target(
        _ kind: AdministrationTarget.Kind, _ contents: [String]
    ) async throws -> AdministrationTarget {
        let target = try await AdministrationTarget(kind)
        for (index, content) in contents.enumerated() {
            let file = try target.folder.write(content, to: "\(index).json")
            let run = try await target.run("publish", file, "--force", "--yes")
            #expect(run.exitCode == 0, "\(run)")
        }
        return target
    }

    private static func template(_ values: KeyValuePairs<String, String>) -> String {
        let parameters = values.map { #""\#($0.key)":{"defaultValue":{"value":"\#($0.value)"}}"# }
        return #"{"parameters":{\#(parameters.joined(separator: ","))}}"#
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func anUndoKeepsLaterChangesAndCanBeUndone(kind: AdministrationTarget.Kind) async throws {
        let target = try await Self.target(
            kind,
            [
                Self.template(["a": "1", "b": "1"]), Self.template(["a": "2", "b": "1"]),
                Self.template(["a": "2", "b": "3"]),
            ])
        let undo = try await target.run("undo", "2", "--description", "wrong price")
        #expect(undo.exitCode == 0, "\(undo)")
        #expect(
            undo.output
                == "Took back the changes of version 2, as version 4, in place of version 3.",
            "\(undo)")
        let current = try await target.run("get").json
        #expect(current["parameters"]?["a"]?["defaultValue"]?["value"] == "1")
        #expect(current["parameters"]?["b"]?["defaultValue"]?["value"] == "3")
        let redo = try await target.run("undo", "4", "--json").json
        #expect(redo["version"]?["undoneVersionNumber"] == "4")
        #expect(redo["replacedVersionNumber"] == "4")
        let versions = try await target.run("versions")
        #expect(versions.output.contains("undo of 2"), "\(versions)")
        #expect(versions.output.contains("wrong price"), "\(versions)")
        let audit = try await target.run("audit", "--action", "UNDO", "--json").json
        #expect(
            audit["entries"]?.arrayValue?.map { $0["detail"] }
                == ["version 4 undone", "version 2 undone: wrong price"])
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func anUndoThatCannotBeMergedNamesThePlaces(kind: AdministrationTarget.Kind) async throws {
        let target = try await Self.target(
            kind, ["1", "2", "3"].map { Self.template(["a": $0]) })
        let run = try await target.run("undo", "2")
        #expect(run.exitCode == 1, "\(run)")
        #expect(run.error.contains("parameters.a.defaultValue (version 3"), "\(run)")
        #expect(try await target.run("undo", "9").exitCode == 4)
        #expect(try await target.run("undo", "2", "--if-match", "etag-default-2").exitCode == 3)
        #expect(try await target.run("get").json["version"]?["versionNumber"] == "3")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func allConflictsOfAnUndoAreNamed(kind: AdministrationTarget.Kind) async throws {
        let target = try await Self.target(
            kind,
            ["1", "2", "3"].map {
                Self.template(["a": $0, "b": $0, "c": $0, "d": $0, "e": $0])
            })
        let run = try await target.run("undo", "2")
        #expect(run.exitCode == 1, "\(run)")
        for key in ["a", "b", "c", "d", "e"] {
            #expect(
                run.error.contains("\n  parameters.\(key).defaultValue (version 3"), "\(run)")
        }
        let failure = try await target.run("undo", "2", "--json")
        let json = try JSONNode(jsonData: Data(failure.error.utf8))
        #expect(json["conflicts"]?.arrayValue?.count == 5)
        #expect(json["conflicts"]?.arrayValue?.first?["changedBy"]?["versionNumber"] == "3")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func anUndoThatRemovesMostSettingsNeedsYes(kind: AdministrationTarget.Kind) async throws {
        let target = try await Self.target(
            kind, [Self.template([:]), Self.template(["a": "1", "b": "1"])])
        for options in [[], ["--force"], ["--if-match", "etag-default-2"]] {
            let run = try await target.run(["undo", "2"] + options)
            #expect(run.exitCode == 1, "\(run)")
            #expect(run.error.contains("--yes"), "\(run)")
        }
        #expect(try await target.run("get").json["version"]?["versionNumber"] == "2")
        #expect(try await target.run("undo", "2", "--yes").exitCode == 0)
    }
}
