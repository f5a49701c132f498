import Foundation
import InMemoryTemplateStore
import SQLiteTemplateStore
import SeededRandomness
import TemplateStore
import TemplateStoreTesting
import TemporaryFolders
import Testing

@Suite("The rules of every store", .timeLimit(.minutes(Rounds.minutes)))
struct TemplateStoreConformanceTests {
    @Test(arguments: TemplateStoreConformance.allChecks)
    func inMemoryTemplateStorePasses(_ check: TemplateStoreConformance.Check) async throws {
        let suite = TemplateStoreConformance {
            let store = InMemoryTemplateStore()
            return StoreFactory(make: { store }, reopen: { store })
        }
        try await suite.run(check)
    }

    @Test(arguments: TemplateStoreConformance.allChecks)
    func sqliteTemplateStorePasses(_ check: TemplateStoreConformance.Check) async throws {
        let suite = TemplateStoreConformance {
            let folder = try TemporaryFolder()
            return StoreFactory(
                make: { try await SQLiteTemplateStore(path: folder.path("store.sqlite")) },
                reopen: { try await SQLiteTemplateStore(path: folder.path("store.sqlite")) },
                remove: { folder.remove() })
        }
        try await suite.run(check)
    }

    @Test func aStoreThatBreaksARuleFails() async throws {
        let suite = TemplateStoreConformance {
            // Two independent stores are not two handles of one store.
            StoreFactory(make: { InMemoryTemplateStore() }, reopen: { InMemoryTemplateStore() })
        }
        for name in ["anotherHandleSeesAll", "aSnapshotHasAllThatIsCurrent"] {
            let check = try #require(
                TemplateStoreConformance.allChecks.first { $0.name == name })
            await #expect(throws: TemplateStoreConformanceFailure.self) {
                try await suite.run(check)
            }
        }
    }
}
