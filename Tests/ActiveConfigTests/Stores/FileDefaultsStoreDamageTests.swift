import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Damaged files of a store.
///
/// Whatever happens to a file, a read returns a whole document, the user's or a fallback, and never
/// throws.
@Suite(.onOneThread)
struct FileDefaultsStoreDamageTests {
    private let folder = TemporaryFolder()
    private let recorder = RecordingLog()
    private static let user = "user-1"

    private var store: FileDefaultsStore {
        FileDefaultsStore(
            directory: folder.url, bootstrap: .state(Self.document("bootstrap")), log: recorder.log)
    }

    private static func document(_ text: String) -> ConfigurationState {
        let settings: [String: SettingValue] = [
            "text": .string(text), "list": [1, 2.5, nil, true],
        ]
        return ConfigurationState(
            meta: ["format_version_string": "1.0"],
            sections: ["S": ActiveConfigSection(settings: settings)])
    }

    /// File of the user's newest version.
    private func currentFile() throws -> URL {
        let name = folder.fileNames.first { $0.hasPrefix("user-") && $0.hasSuffix(".activeconfig") }
        return folder.file(try #require(name))
    }

    /// Checks each damaged form of a file.
    ///
    /// The previous version is read, the damaged file is put aside, and the log names it.
    private func check(_ forms: [(String, Data)]) throws {
        let store = store
        try store.persistConfiguration(Self.document("previous"), forUserID: Self.user)
        try store.persistConfiguration(Self.document("last"), forUserID: Self.user)
        let file = try currentFile()
        for (name, data) in forms {
            try data.write(to: file)
            let read = store.lastKnownActiveConfiguration(forUserID: Self.user)
            #expect(read == Self.document("previous"), "\(name)")
            #expect(!folder.fileNames.contains(file.lastPathComponent), "\(name)")
            #expect(try Data(contentsOf: file.appendingPathExtension("damaged")) == data, "\(name)")
        }
        #expect(recorder.messages.count == forms.count)
        #expect(recorder.messages.allSatisfy { $0.text.contains(file.lastPathComponent) })
    }

    /// Bytes of an intact file.
    private func soundBytes(_ text: String = "last") throws -> Data {
        try store.persistConfiguration(Self.document(text), forUserID: Self.user)
        return try Data(contentsOf: currentFile())
    }

    @Test func theStoreSurvivesAFileThatIsCutAtAnyLength() throws {
        let sound = try soundBytes()
        try check((0..<sound.count).map { ("cut at \($0)", sound.prefix($0)) })
    }

    @Test func theStoreSurvivesEachByteFlipped() throws {
        let sound = try soundBytes()
        try check(
            sound.indices.flatMap { index in
                [UInt8(0x01), 0x20, 0x80].map { mask in
                    var damaged = sound
                    damaged[index] ^= mask
                    return ("byte \(index) ^ \(mask)", damaged)
                }
            })
    }

    @Test func theStoreSurvivesGarbageAndWhatIsAppended() throws {
        let sound = try soundBytes()
        try check([
            ("text", Data("not a record".utf8)), ("appended", sound + Data("x".utf8)),
            ("twice", sound + sound), ("zeros", Data(count: sound.count)),
            ("a bare document", Self.document("bare").jsonData()),
        ])
    }

    @Test(arguments: ["2", "10"])
    func theStoreLeavesAFileOfALaterVersionAlone(version: String) throws {
        let store = store
        try store.persistConfiguration(Self.document("previous"), forUserID: Self.user)
        try store.persistConfiguration(Self.document("last"), forUserID: Self.user)
        let file = try currentFile()
        let sound = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let newer = Data(sound.replacing("record 1 ", with: "record \(version) ").utf8)
        try newer.write(to: file)
        #expect(store.ownConfiguration(forUserID: Self.user) == Self.document("previous"))
        #expect(try Data(contentsOf: file) == newer)
        #expect(!folder.fileNames.contains { $0.hasSuffix(".damaged") })
        let messages = recorder.messages.map(\.text)
        #expect(messages.count == 1 && messages[0].contains("later version of the framework"))
        #expect(messages[0].contains(file.lastPathComponent))

        // The store's own versions take the usual names, and the newer file is renamed.
        for (text, previous) in [("new", "previous"), ("newest", "new")] {
            try store.persistConfiguration(Self.document(text), forUserID: Self.user)
            #expect(store.ownConfiguration(forUserID: Self.user) == Self.document(text))
            #expect(try Data(contentsOf: file.appendingPathExtension("newer")) == newer)
            let last = try Data(contentsOf: file)
            try Data("garbage".utf8).write(to: file)
            #expect(store.ownConfiguration(forUserID: Self.user) == Self.document(previous))
            try last.write(to: file)
        }
        #expect(recorder.messages.map(\.text).contains { $0.contains(".newer") })
        try store.persistConfiguration(nil, forUserID: Self.user)
        #expect(!folder.fileNames.contains { $0.hasPrefix("user-") })
    }

    @Test func theStoreNeverShowsAnotherUsersFile() throws {
        try store.persistConfiguration(Self.document("other"), forUserID: "other")
        let other = try Data(contentsOf: currentFile())
        try store.persistConfiguration(nil, forUserID: "other")
        try check([("another user's file", other)])
    }

    @Test func theStoreFallsBackToTheGenericUserAndThenToTheBootstrapWhenAllIsDamaged() throws {
        let store = store
        for text in ["a", "b"] {
            try store.persistConfiguration(Self.document(text), forUserID: Self.user)
            try store.persistConfiguration(Self.document("generic \(text)"), forUserID: nil)
        }
        let garbage = Data("garbage".utf8)
        for name in folder.fileNames where name.hasPrefix("user-") {
            try garbage.write(to: folder.file(name))
        }
        #expect(
            store.lastKnownActiveConfiguration(forUserID: Self.user) == Self.document("generic b"))
        for name in folder.fileNames where name.hasPrefix("generic") {
            try garbage.write(to: folder.file(name))
        }
        #expect(
            store.lastKnownActiveConfiguration(forUserID: Self.user) == Self.document("bootstrap"))
        #expect(folder.fileNames.filter { $0.hasSuffix(".damaged") }.count == 4)
    }

    @Test func theStoreLeavesAFileOfANewerFormatWhereItIs() throws {
        let store = store
        try store.persistConfiguration(Self.document("old"), forUserID: Self.user)
        var newer = Self.document("newer")
        newer.meta["format_version_string"] = "2.0"
        try store.persistConfiguration(newer, forUserID: Self.user)
        #expect(store.lastKnownActiveConfiguration(forUserID: Self.user) == Self.document("old"))
        #expect(folder.fileNames.allSatisfy { !$0.hasSuffix(".damaged") })
        #expect(recorder.messages.count == 1)
    }

    @Test(.timeLimit(.minutes(Rounds.minutes)))
    func theStoreSurvivesAPipeWithoutAWriterInPlaceOfAFile() throws {
        try store.persistConfiguration(Self.document("a"), forUserID: Self.user)
        let file = try currentFile()
        try FileManager.default.removeItem(at: file)
        #expect(unsafe mkfifo(file.path(percentEncoded: false), 0o600) == 0)
        #expect(
            store.lastKnownActiveConfiguration(forUserID: Self.user) == Self.document("bootstrap"))
        try store.persistConfiguration(Self.document("b"), forUserID: Self.user)
        #expect(store.ownConfiguration(forUserID: Self.user) == Self.document("b"))
    }

    /// A damaged file system may report any size.
    @Test func theStoreSurvivesAFileThatIsLargerThanMemory() throws {
        let store = store
        try store.persistConfiguration(Self.document("previous"), forUserID: Self.user)
        try store.persistConfiguration(Self.document("last"), forUserID: Self.user)
        try store.updateClientState(named: "record") { _ in Data("1".utf8) }
        for file in [try currentFile(), folder.file("state-record.json")] {
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: 1 << 42)
            try handle.close()
        }
        #expect(
            store.lastKnownActiveConfiguration(forUserID: Self.user) == Self.document("previous"))
        #expect(try store.clientState(named: "record")?.first == UInt8(ascii: "1"))
        let record = StoredState("record", initial: 7, store: store, log: recorder.log)
        #expect(record.value == 7)
        record.update { $0 += 1 }
        #expect(try store.clientState(named: "record") == Data("8".utf8))
        try store.persistConfiguration(Self.document("new"), forUserID: Self.user)
        #expect(store.lastKnownActiveConfiguration(forUserID: Self.user) == Self.document("new"))
    }

    @Test func aDamagedFileIsPutAsideAndNamedByAPersistToo() throws {
        let store = store
        for text in ["a", "b"] {
            try store.persistConfiguration(Self.document(text), forUserID: Self.user)
        }
        let file = try currentFile()
        try Data("garbage".utf8).write(to: file)
        try store.persistConfiguration(Self.document("c"), forUserID: Self.user)
        let aside = file.appendingPathExtension("damaged")
        #expect(try Data(contentsOf: aside) == Data("garbage".utf8))
        #expect(recorder.messages.count == 1)
        try Data("more".utf8).write(to: file)
        #expect(store.ownConfiguration(forUserID: Self.user) == Self.document("a"))
    }

    @Test func anotherUsersFileDoesNotBecomeThePreviousVersion() throws {
        let store = store
        try store.persistConfiguration(Self.document("other"), forUserID: "other")
        let other = try Data(contentsOf: currentFile())
        try store.persistConfiguration(nil, forUserID: "other")
        for text in ["a", "b"] {
            try store.persistConfiguration(Self.document(text), forUserID: Self.user)
        }
        try other.write(to: currentFile())
        try store.persistConfiguration(Self.document("c"), forUserID: Self.user)
        try Data("garbage".utf8).write(to: currentFile())
        #expect(store.ownConfiguration(forUserID: Self.user) == Self.document("a"))
    }

    @Test func theStoreSurvivesAFolderInPlaceOfAFile() throws {
        try store.persistConfiguration(Self.document("a"), forUserID: Self.user)
        let file = try currentFile()
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect(
            store.lastKnownActiveConfiguration(forUserID: Self.user) == Self.document("bootstrap"))
    }

    @Test func removalDeletesTheDamagedCopiesToo() throws {
        let store = store
        for text in ["previous", "last"] {
            try store.persistConfiguration(Self.document(text), forUserID: Self.user)
        }
        for name in folder.fileNames where name.hasPrefix("user-") {
            try Data("garbage".utf8).write(to: folder.file(name))
        }
        #expect(store.ownConfiguration(forUserID: Self.user) == nil)
        #expect(folder.fileNames.filter { $0.hasSuffix(".damaged") }.count == 2)
        try store.persistConfiguration(nil, forUserID: Self.user)
        #expect(folder.fileNames == [".lock"])
    }
}
