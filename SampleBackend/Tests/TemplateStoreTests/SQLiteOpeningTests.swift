import Foundation
import GRDB
import SQLiteTemplateStore
import SeededRandomness
import Synchronization
import TemplateStore
import Templates
import TemporaryFolders
import Testing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SQLiteOpeningTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("store.sqlite")
    }

    /// Contents of the database's files by name.
    private func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
            files[name] = try Data(contentsOf: folder.url.appendingPathComponent(name))
        }
        return files
    }

    /// Opening a pipe would wait for its other end.
    @Test func theStoreRefusesWhatIsNotAFile() async throws {
        try #require(unsafe mkfifo(path, 0o600) == 0)
        for path in [path, "/dev/null"] {
            let error = try await storeError { _ = try await SQLiteTemplateStore(path: path) }
            #expect(error?.code == .unavailable)
            #expect(error?.message.contains("'\(path)' is not a file") == true)
            #expect(!SQLiteTemplateStore.isBackup(at: path))
        }
    }

    @Test(arguments: [1, SQLiteSchema.number - 1, SQLiteSchema.number + 1, 99])
    func theStoreRefusesAnotherSchemaAndDoesNotTouchIt(schema: Int) async throws {
        let store = try await SQLiteTemplateStore(path: path)
        _ = try await store.publish(.make())
        await store.close()
        try withDatabase(at: path) { try $0.execute(sql: "PRAGMA user_version = \(schema)") }
        let before = try files()
        let error = try await storeError { _ = try await SQLiteTemplateStore(path: path) }
        #expect(error?.code == .otherSchema)
        #expect(error?.message.contains("has the schema \(schema)") == true)
        #expect(error?.message.contains(path) == true)
        #expect(error?.message.contains("use the program that wrote it") == true)
        let reading = try await storeError { _ = try await SQLiteTemplateStore.reading(path: path) }
        #expect(reading?.code == .otherSchema)
        #expect(try files()["store.sqlite"] == before["store.sqlite"])
    }

    @Test func theStoreRefusesAnotherSchemaThatIsInTheLogOnly() async throws {
        let store = try await SQLiteTemplateStore(path: path)
        _ = try await store.publish(.make())
        await store.close()
        let writer = try DatabasePool(path: path)
        try await writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 99") }
        // Copies the files, in the state that a crash of the other program would leave.
        let copy = try TemporaryFolder()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: path + suffix, toPath: copy.path("store.sqlite" + suffix))
        }
        let wal = try Data(contentsOf: URL(fileURLWithPath: copy.path("store.sqlite-wal")))
        let main = try Data(contentsOf: URL(fileURLWithPath: copy.path("store.sqlite")))
        #expect(!wal.isEmpty)
        let error = try await storeError {
            _ = try await SQLiteTemplateStore(path: copy.path("store.sqlite"))
        }
        #expect(error?.code == .otherSchema)
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: copy.path("store.sqlite-wal"))) == wal)
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy.path("store.sqlite"))) == main)
        try writer.close()
        copy.remove()
    }

    @Test(arguments: ["text", "cut header", "1", "99", "511", "512", "1000"])
    func theStoreRefusesWhatIsNoDatabase(_ kind: String) async throws {
        let content =
            switch kind {
            case "text": Data(String(repeating: "no database at all ", count: 200).utf8)
            case "cut header": Data("SQLite format 3\0".utf8) + Data(repeating: 7, count: 4_000)
            default: Data(repeating: 0x78, count: Int(kind) ?? 0)
            }
        try content.write(to: URL(fileURLWithPath: path))
        let error = try await storeError { _ = try await SQLiteTemplateStore(path: path) }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains(path) == true)
        #expect(try files() == ["store.sqlite": content])
    }

    @Test func theStoreRefusesTheDatabaseOfAnotherProgram() async throws {
        try withDatabase(at: path) { try $0.execute(sql: "CREATE TABLE mine (a)") }
        let before = try files()
        let error = try await storeError { _ = try await SQLiteTemplateStore(path: path) }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("another program") == true)
        #expect(try files() == before)
    }

    @Test func theStoreSaysThatADatabaseIsCut() async throws {
        let store = try await SQLiteTemplateStore(path: path)
        for _ in 0..<20 { _ = try await store.publish(.make(String(repeating: "x", count: 9_000))) }
        await store.close()
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let cut = whole.prefix(whole.count / 2)
        try cut.write(to: URL(fileURLWithPath: path))
        let error = try await storeError {
            let store = try await SQLiteTemplateStore(path: path)
            _ = try await store.snapshot()
        }
        #expect(error?.code == .damaged)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == cut)
    }

    @Test func theStoreSaysWhatIsWrongInsideOfADatabase() async throws {
        let store = try await SQLiteTemplateStore(path: path)
        for _ in 0..<20 { _ = try await store.publish(.make(String(repeating: "x", count: 9_000))) }
        await store.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for index in 4_096..<(bytes.count - 4_096) where index % 4_096 < 200 { bytes[index] = 0xA5 }
        try bytes.write(to: URL(fileURLWithPath: path))
        let error = try await storeError {
            let store = try await SQLiteTemplateStore(path: path)
            _ = try await store.snapshot()
        }
        #expect(error?.code == .damaged)
    }

    @Test(arguments: ["missing/store.sqlite", "file/store.sqlite", ""])
    func theStoreSaysThatAFileCannotBeMade(_ name: String) async throws {
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder.path("file")))
        let path = name.isEmpty ? folder.url.path : folder.path(name)
        let error = try await storeError { _ = try await SQLiteTemplateStore(path: path) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("folder") == true)
        #expect(error?.message.contains(path) == true)
    }

    @Test func theStoreTakesAnEmptyFile() async throws {
        try Data().write(to: URL(fileURLWithPath: path))
        let store = try await SQLiteTemplateStore(path: path)
        #expect(try await store.publish(.make()).version.number == 1)
        await store.close()
    }

    @Test func aDatabaseThatAnotherProcessCreatesMeanwhileIsOpened() throws {
        let path = path
        let queue = try DatabaseQueue(path: path)
        let other = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { db in
            // Before the second statement, as an unlucky process sees it.
            let statements = Mutex(0)
            let failure = Mutex<(any Error)?>(nil)
            db.trace { event in
                // Those within another statement begin with a comment.
                if event.description.hasPrefix("--") { return }
                let number = statements.withLock { count in
                    count += 1
                    return count
                }
                guard number == 2 else { return }
                do {
                    try other.writeWithoutTransaction {
                        try SQLiteSchema.createIfNeeded(in: $0, at: path)
                    }
                } catch {
                    failure.withLock { $0 = error }
                }
            }
            try SQLiteSchema.createIfNeeded(in: db, at: path)
            #expect(failure.withLock { $0 } == nil)
            #expect(statements.withLock { $0 } >= 2)
        }
    }

    @Test func theStoreOpensManyTimesAtOnce() async throws {
        let path = path
        let stores = try await withThrowingTaskGroup(of: SQLiteTemplateStore.self) { group in
            for _ in 0..<8 { group.addTask { try await SQLiteTemplateStore(path: path) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for store in stores { _ = try await store.publish(.make()) }
        let current = try await stores[0].template(version: nil, inProject: "p")
        #expect(current?.version.number == 8)
        for store in stores { await store.close() }
    }
}
