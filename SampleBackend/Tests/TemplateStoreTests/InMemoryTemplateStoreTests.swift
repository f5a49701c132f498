import InMemoryTemplateStore
import SeededRandomness
import TemplateStore
import Testing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct InMemoryTemplateStoreTests {
    @Test(arguments: [
        (revision: Int64(0), isLost: true), (80, true), (90, false), (99, false),
    ])
    func theStoreLosesAFollowerForWhomTooLittleIsKept(_ revision: Int64, _ isLost: Bool)
        async throws
    {
        let store = InMemoryTemplateStore(keptChanges: 10)
        for _ in 0..<100 { _ = try await store.publish(.make()) }
        let changes = store.changes(since: StoreRevision(revision))
        var found: [Int64] = []
        let error = try await storeError {
            for try await change in changes {
                found.append(change.revision.number)
                if found.last == 100 { break }
            }
        }
        #expect((error?.code == .watchLost) == isLost)
        #expect(found == (isLost ? [] : Array((revision + 1)...100)))
    }
}
