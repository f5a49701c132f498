import Crypto
import Foundation
import InMemoryTemplateStore
import SeededRandomness
import TemplateStore
import Templates
import TemporaryFolders
import Testing

/// The file with which a server starts when its store does not answer.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SnapshotFileTests {
    private let folder: TemporaryFolder
    private let file: SnapshotFile

    init() throws {
        folder = try TemporaryFolder()
        file = SnapshotFile(path: folder.path("kept"))
    }

    private func mark(_ storeID: String) -> StoreMark {
        StoreMark(storeID: storeID, place: "/a/", change: "7/x")
    }

    /// A snapshot with versions of two projects, pinned values and details.
    private func snapshot(of storeID: String = "a") async throws -> SnapshotFile.Kept {
        let store = InMemoryTemplateStore()
        for project in ["a", "b"] {
            for _ in 0..<2 {
                var submission = TemplateSubmission.make()
                submission.project = project
                _ = try await store.publish(submission)
            }
        }
        for user in ["1", "", "e\u{301}/\u{0}"] {
            _ = try await store.setOverrides(
                OverridesChange(
                    project: "a", userID: user, content: Data(#"{"A":{"b":1}}"#.utf8),
                    date: Date(), actor: "test"))
        }
        _ = try await store.setProjectDetails(
            ProjectDetailsChange(
                project: "b",
                details: ProjectDetails(displayName: "B", color: .teal, environment: .staging),
                date: Date(), actor: "test"))
        _ = try await store.raiseVersions(VersionRaise(reason: "test"))
        return SnapshotFile.Kept(
            snapshot: try await store.snapshot(), date: Date().roundedToMilliseconds,
            mark: mark(storeID))
    }

    /// Removes temporary files of servers that were killed, but not those of other servers that are
    /// writing.
    @Test func whatKilledServersHaveLeftIsRemoved() async throws {
        for (name, age) in [
            ("kept.new-0123abcd", 3_700.0), ("kept.new-89abcdef", 60), ("kept.new-x", 3_700),
        ] {
            _ = try folder.write("part", to: name)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -age)],
                ofItemAtPath: folder.path(name))
        }
        try file.write(try await snapshot())
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.sorted() == ["kept", "kept.new-89abcdef", "kept.new-x"])
    }

    /// A snapshot of a store that was restored from a backup, or of another store, does not replace
    /// the file.
    @Test func anOlderSnapshotDoesNotReplaceALaterOne() async throws {
        let kept = try await snapshot()
        try file.write(kept)
        let empty = SnapshotFile.Kept(
            snapshot: try await InMemoryTemplateStore().snapshot(), date: Date(), mark: mark("a"))
        let error = #expect(throws: TemplateStoreError.self) { try file.write(empty) }
        #expect(error?.message.contains("move the file away") == true)
        #expect(try file.read() == kept)
        try file.write(kept)
    }

    @Test func theSnapshotOfAnotherStoreIsNotReplaced() async throws {
        let kept = try await snapshot()
        try file.write(kept)
        let other = try await snapshot(of: "b")
        let unmarked = SnapshotFile.Kept(snapshot: other.snapshot, date: other.date, mark: nil)
        for other in [other, unmarked] {
            let error = #expect(throws: TemplateStoreError.self) { try file.write(other) }
            #expect(error?.message.contains("is of another store") == true)
        }
        #expect(try file.read() == kept)
    }

    /// The path may be a link, such as one into a folder that is mounted elsewhere.
    @Test func aLinkStaysAndItsFileIsReplaced() async throws {
        let kept = try await snapshot()
        try FileManager.default.createDirectory(
            atPath: folder.path("there"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: file.path, withDestinationPath: "there/real")
        #expect(try file.read() == nil)
        for _ in 0..<2 {
            try file.checkIsWritable()
            try file.write(kept)
            #expect(try SnapshotFile(path: folder.path("there/real")).read() == kept)
            #expect(try file.read() == kept)
        }
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: file.path) == "there/real")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("there")) == ["real"])
    }

    @Test func aLinkThatLeadsToItselfIsNamed() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: file.path, withDestinationPath: file.path)
        #expect(throws: TemplateStoreError.self) { try file.read() }
        let error = #expect(throws: TemplateStoreError.self) { try file.checkIsWritable() }
        #expect(error?.message.contains(file.path) == true)
    }

    /// Opening a pipe would block until it has a writer.
    @Test func onlyAFileIsReadAndReplaced() throws {
        let result = unsafe mkfifo(file.path, 0o600)
        #expect(result == 0)
        for use in [{ _ = try file.read() }, file.checkIsWritable] {
            let error = #expect(throws: TemplateStoreError.self) { try use() }
            #expect(error?.message.contains(file.path) == true)
        }
    }

    @Test func whatIsWrittenIsRead() async throws {
        #expect(try file.read() == nil)
        for _ in 0..<2 {
            let kept = try await snapshot()
            try file.write(kept)
            #expect(try file.read() == kept)
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["kept"])
    }

    @Test func aDamagedFileIsRefused() async throws {
        try file.write(try await snapshot())
        let whole = try Data(contentsOf: URL(filePath: file.path))
        for position in whole.indices where position < 100 || position.isMultiple(of: 17) {
            var damaged = whole
            damaged[position] ^= 1
            for data in [damaged, whole.prefix(position)] {
                try data.write(to: URL(filePath: file.path))
                let code = #expect(throws: TemplateStoreError.self) { try file.read() }?.code
                #expect(code == .damaged || code == .otherSchema, "byte \(position)")
            }
        }
    }

    /// The next version, or the next change, would have no number.
    @Test func numbersThatNoStoreHasAreLeftOut() async throws {
        let kept = try await snapshot()
        let template = try #require(kept.snapshot.templates.first)
        for (number, revision) in [
            (Int.max, Int64(1)), (-1, 1), (1, .max), (1, -1), (1, .min),
        ] {
            let version = TemplateVersion(number: number, updateTime: template.version.updateTime)
            let stored = StoredTemplate(
                project: "a", version: version, content: template.content,
                revision: StoreRevision(revision))
            let snapshot = TemplateStoreSnapshot(
                templates: [stored, template], overrides: [:], revision: kept.snapshot.revision)
            try? FileManager.default.removeItem(atPath: file.path)
            try file.write(SnapshotFile.Kept(snapshot: snapshot, date: kept.date, mark: kept.mark))
            let read = try #require(try file.read()).snapshot
            #expect(read.templates == [template], "version \(number), revision \(revision)")
            #expect(read.omissions.count == 1)
        }
    }

    /// All other records are served.
    @Test func aRecordThatCannotBeReadIsLeftOut() async throws {
        let kept = try await snapshot()
        try file.write(kept)
        let whole = try Data(contentsOf: URL(filePath: file.path))
        let head = try #require(String(decoding: whole, as: UTF8.self).split(separator: "\n").first)
        for (name, value) in [
            ("templates", #"{"project":"b"}"#), ("overrides", "7"), ("details", #"[""]"#),
        ] {
            let text = String(decoding: whole, as: UTF8.self).split(separator: "\n")[2]
            // The record precedes the others, which are read nevertheless.
            let content = text.replacing("\"\(name)\":[", with: "\"\(name)\":[\(value),")
            try #require(content != text)
            let digest = SHA256.hash(data: Data(content.utf8))
                .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            _ = try folder.write("\(head)\n\(digest)\n\(content)", to: "kept")
            var read = try #require(try file.read()).snapshot
            #expect(read.omissions.count == 1)
            #expect(read.omissions.first?.contains("\(name)[0]") == true, "\(read.omissions)")
            #expect(read.omissions.first?.contains(file.path) == true, "\(read.omissions)")
            read.omissions = []
            #expect(read == kept.snapshot, "\(name)")
        }
    }

    /// The file may be the last copy of the data.
    @Test(arguments: [
        "", "my notes", "SQLite format 3\u{0}", "activeconfig-snapshot 3\nof a newer program",
        "activeconfig-snapshot 2\ndamaged\n{}",
    ])
    func aFileThatCannotBeUsedIsNotReplaced(text: String) async throws {
        _ = try folder.write(text, to: "kept")
        let kept = try await snapshot()
        let error = #expect(throws: TemplateStoreError.self) { try file.write(kept) }
        #expect(
            error?.message.contains("move the file away") == true, "\(String(describing: error))")
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == text)
    }

    /// As with several servers that were given the same file.
    @Test func severalWritersHaveNoPartOfEachOthers() async throws {
        let kept = try await snapshot()
        try await withThrowingTaskGroup { [file] group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<100 {
                        try file.checkIsWritable()
                        try file.write(kept)
                        #expect(try file.read() == kept)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["kept"])
    }

    @Test func anotherFormatIsRefused() throws {
        _ = try folder.write("activeconfig-snapshot 3\nsomething else", to: "kept")
        let error = #expect(throws: TemplateStoreError.self) { try file.read() }
        #expect(error?.code == .otherSchema)
        #expect(error?.message.contains("format 3") == true)
    }

    @Test func aFileThatCannotBeWrittenIsAnError() async throws {
        let other = SnapshotFile(path: folder.path("missing/kept"))
        let kept = try await snapshot()
        #expect(throws: TemplateStoreError.self) { try other.write(kept) }
        #expect(throws: TemplateStoreError.self) { try other.checkIsWritable() }
    }

    /// While the file is written, a temporary file exists next to it.
    @Test func filesOfOthersAreNotRemoved() async throws {
        let beside = file.path + ".new"
        try FileManager.default.createDirectory(
            atPath: beside + "/mine", withIntermediateDirectories: true)
        try Data("activeconfig-snap".utf8).write(to: URL(filePath: beside + "-x"))
        try file.checkIsWritable()
        try file.write(try await snapshot())
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(Set(names) == ["kept", "kept.new", "kept.new-x"])
    }
}
