import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Records stored by earlier versions of the framework, byte for byte.
struct StoreFormatTests {
    /// A stored document: its title, its user, and the stored checksum.
    private struct Document {
        let title: Int
        let user: String?
        let checksum: String

        var bytes: Data {
            let id = user.map { #","user_id":"\#($0)""# } ?? ""
            return Data(
                """
                ActiveConfig record 1 \(checksum)
                {"entity_tag":"\\"\(title)\\""\(id)}
                {"config_sections":{"Home":{"settings":{"title":{"value":"\(title)"}}}},"meta":\
                {"creation_time":"2012-08-20T19:36Z","format_version_string":"1.0"}}
                """.utf8)
        }
    }

    private static let digest = "559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd"
    private static let signals = Data(#"{"plan":"pro"}"#.utf8)
    private static let files: [String: Data] = [
        "generic.activeconfig": Document(title: 1, user: nil, checksum: "dccb0bfb1bfd3063").bytes,
        "generic.activeconfig.previous":
            Document(title: 0, user: nil, checksum: "e64e4ecc7b51f093").bytes,
        "generic.pending.activeconfig":
            Document(title: 2, user: nil, checksum: "1bb54389194da2fd").bytes,
        "user-\(digest).activeconfig":
            Document(title: 1, user: "A", checksum: "d430cffe7f98e342").bytes,
        "user-\(digest).activeconfig.previous":
            Document(title: 0, user: "A", checksum: "5c7943719a0acdee").bytes,
        "user-\(digest).pending.activeconfig":
            Document(title: 2, user: "A", checksum: "3f144d902254126d").bytes,
        "state-signals.json": signals, "first-download-finished": Data(), ".lock": Data(),
    ]

    private static func document(_ title: Int) -> ConfigurationState {
        .titled(["Home": "\(title)"], entityTag: "\"\(title)\"")
    }

    private func checkContent(of store: any ActiveConfigStore) throws {
        for userID in [nil, "A"] {
            let own = store.ownConfiguration(forUserID: userID)
            #expect(own == Self.document(1) && own?.entityTag == "\"1\"")
            #expect(store.ownEntityTag(forUserID: userID) == "\"1\"")
            let pending = try store.pendingConfiguration(forUserID: userID)
            #expect(pending == Self.document(2) && pending?.entityTag == "\"2\"")
        }
        #expect(try store.record(.clientState(named: "signals")) == Self.signals)
        #expect(store.firstDownloadFinished)
    }

    private func fill(_ store: any ActiveConfigStore) throws {
        for userID in [nil, "A"] {
            for title in 0...1 {
                try store.persistConfiguration(Self.document(title), forUserID: userID)
            }
            try store.persistPendingConfiguration(Self.document(2), forUserID: userID)
        }
        try store.updateRecord(.clientState(named: "signals")) { _ in Self.signals }
        try store.recordFirstDownloadFinished()
    }

    @Test func filesAreReadAndWrittenAsEver() throws {
        let written = TemporaryFolder()
        try fill(FileDefaultsStore(directory: written.url))
        let names = try FileManager.default.contentsOfDirectory(atPath: written.url.path)
        #expect(Set(names) == Set(Self.files.keys))
        let read = TemporaryFolder()
        try FileManager.default.createDirectory(at: read.url, withIntermediateDirectories: true)
        for (name, bytes) in Self.files {
            #expect(try Data(contentsOf: written.url.appending(path: name)) == bytes, "\(name)")
            try bytes.write(to: read.url.appending(path: name))
        }
        try checkContent(of: FileDefaultsStore(directory: read.url))
    }

    @Test func userDefaultsAreReadAndWrittenAsEver() throws {
        let (written, read) = (UserDefaultsSuite(), UserDefaultsSuite())
        try fill(UserDefaultsStore(userDefaults: try written.userDefaults()))
        let (old, new) = (try written.userDefaults(), try read.userDefaults())
        let keys = [
            "ActiveConfig.generic": "generic.activeconfig",
            "ActiveConfig.generic.pending": "generic.pending.activeconfig",
            "ActiveConfig.generic.state.signals": "state-signals.json",
            "ActiveConfig.user.\(Self.digest)": "user-\(Self.digest).activeconfig",
            "ActiveConfig.user.\(Self.digest).pending": "user-\(Self.digest).pending.activeconfig",
        ]
        for (key, name) in keys {
            #expect(old.data(forKey: key) == Self.files[name], "\(key)")
            new.set(Self.files[name], forKey: key)
        }
        #expect(old.bool(forKey: "ActiveConfig.generic.firstDownloadFinished"))
        new.set(true, forKey: "ActiveConfig.generic.firstDownloadFinished")
        try checkContent(of: UserDefaultsStore(userDefaults: new))
    }

    @Test func keysOfRecordsStayAsTheyAre() {
        #expect(StoreRecord.clientState(named: "downloads").key == "state-downloads")
        #expect(StoreRecord.pendingConfiguration(forUserID: nil).key == "generic.pending")
        #expect(
            StoreRecord.pendingConfiguration(forUserID: "A").key == "user-\(Self.digest).pending")
    }
}
