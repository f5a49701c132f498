import GRDB
import SQLiteTemplateStore
import SeededRandomness
import TemplateStore
import Templates
import TemporaryFolders
import Testing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SQLiteSchemaTests {
    @Test func theStoreStoresNothingInASchemaThatBecameAnother() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("store.sqlite")
        let store = try await SQLiteTemplateStore(path: path)
        let first = try await store.publish(.make())
        try withDatabase(at: path) {
            try $0.execute(sql: "PRAGMA user_version = \(SQLiteSchema.number + 1)")
        }
        for call in ["publish", "readiness"] {
            let error = try await storeError {
                if call == "publish" { _ = try await store.publish(.make()) }
                try await store.checkReadiness()
            }
            #expect(error?.code == .otherSchema, "\(call)")
            #expect(
                error?.message.contains("has the schema \(SQLiteSchema.number + 1)") == true,
                "\(call)")
        }
        #expect(try await store.template(version: nil, inProject: "p") == first)
        try withDatabase(at: path) {
            try $0.execute(sql: "PRAGMA user_version = \(SQLiteSchema.number)")
        }
        try await store.checkReadiness()
        #expect(try await store.publish(.make()).version.number == 2)
        await store.close()
        folder.remove()
    }
}
