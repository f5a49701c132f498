import EtcdTestSupport
import Foundation
import InMemoryTemplateStore
import SQLiteTemplateStore
import SeededRandomness
import TemplateStore
import TemplateStoreTesting
import Templates
import TemporaryFolders
import Testing

@testable import EtcdTemplateStore

@Suite("Deletions in steps", .timeLimit(.minutes(Rounds.minutes)))
struct EtcdDeletionTests {
    /// Runs a body with a store in which the deletion of the project `p`, with two versions, pinned
    /// values and a draft, was interrupted after its first transaction.
    private func withInterruptedDeletion(
        _ body: (EtcdTemplateStore) async throws -> Void
    ) async throws {
        try await withStore { store, _ in
            for number in 1...2 {
                try await store.submit("{\"n\":\(number)}")
                try await store.setOverrides(
                    OverridesChange(
                        project: "p", userID: "\(number)", content: Data("{}".utf8),
                        date: testDate, actor: "a"))
            }
            try await store.draft(Data("{}".utf8))
            let deletion = ProjectDeletion(project: "p", date: testDate, actor: "a")
            let record = DeletedProjectRecord(version: 2, isCleared: false)
            try await store.write(reading: []) { [keys = store.keys] _ throws(TemplateStoreError) in
                var write = EtcdWrite<Void> { _ in }
                write.operations = [
                    .delete(.key(keys.project("p"))),
                    .put(keys.deletedProject("p"), try record.encoded()),
                ]
                write.change = .init(
                    subject: .project("p"),
                    entry: AuditEntry(
                        of: deletion, lastVersion: 2, requests: [], revision: .zero))
                return .write(write)
            }
            try await body(store)
        }
    }

    private func create(_ store: any TemplateStore) async throws -> StoredTemplate {
        try await store.createProject(
            ProjectCreation(project: "p", details: ProjectDetails(), date: testDate, actor: "a"))
    }

    /// Everything of the deleted project but its audit trail is gone.
    private func checkIsCleared(_ store: EtcdTemplateStore) async throws {
        #expect(try await store.count("overrides") == 0)
        #expect(try await store.numbers().allSatisfy { $0 > 2 })
    }

    @Test func aCopyHasNothingOfAProjectThatIsBeingDeleted() async throws {
        try await withInterruptedDeletion { store in
            let folder = try TemporaryFolder()
            let location = try await SharedMember.cluster.value.location()
            let database = try await SQLiteTemplateStore(path: folder.path("copy.sqlite"))
            let targets: [any ArchivingStore] = [
                InMemoryTemplateStore(), database, try await EtcdTemplateStore(location),
            ]
            for target in targets { try await StoreCopyTrial.copy(from: store, to: target) }
            await targets[2].close()
            for copy in [targets[0], database, try await EtcdTemplateStore(location)] {
                let digest = try await StoreCopyTrial.digest(of: copy)
                for part in [ArchiveDigest.Part.versions, .pins, .drafts] {
                    #expect(digest.count(part) == 0, "\(part) in \(copy)")
                }
                #expect(digest.count(.auditEntries) == 5)
                #expect(try await create(copy).version.number == 3)
                #expect(try await copy.overrides(forUserID: "1", inProject: "p") == nil)
                await copy.close()
            }
        }
    }

    @Test func aPublishCompletesTheDeletion() async throws {
        try await withInterruptedDeletion { store in
            let template = try await store.submit("{}")
            #expect(template.version.number == 3)
            try await checkIsCleared(store)
        }
    }

    @Test func aCreationCompletesTheDeletion() async throws {
        try await withInterruptedDeletion { store in
            #expect(try await create(store).version.number == 3)
            try await checkIsCleared(store)
        }
    }

    @Test func whatCannotBeReadIsDeleted() async throws {
        try await withInterruptedDeletion { store in
            for key in ["versions/p/0000000001", "overrides/p/1", "drafts/ada/p"] {
                try await store.put("garbage", at: key)
            }
            try await store.completeDeletions()
            try await checkIsCleared(store)
            #expect(try await store.count("drafts") == 0)
            #expect(try await create(store).version.number == 3)
        }
    }

    @Test func aDraftCompletesTheDeletionAndIsKept() async throws {
        try await withInterruptedDeletion { store in
            try await store.draft(Data(#"{"new":1}"#.utf8))
            _ = try await create(store)
            let draft = try await store.draft(ofOwner: "ada", inProject: "p", date: testDate)
            #expect(draft?.content == Data(#"{"new":1}"#.utf8))
            try await checkIsCleared(store)
        }
    }

    @Test func aRepeatedDeletionCompletesTheFirst() async throws {
        try await withInterruptedDeletion { store in
            let deletion = ProjectDeletion(project: "p", date: testDate, actor: "a")
            _ = try await store.deleteProject(deletion)
            try await checkIsCleared(store)
            #expect(try await store.count("drafts") == 0)
            let again = try await storeError { _ = try await store.deleteProject(deletion) }
            #expect(again?.code == .projectMissing)
        }
    }

    @Test func anotherProcessCompletesTheDeletion() async throws {
        try await withInterruptedDeletion { store in
            try await withStore(at: store.gateway.location) { try await $0.completeDeletions() }
            try await checkIsCleared(store)
            #expect(try await store.count("drafts") == 0)
            #expect(try await create(store).version.number == 3)
            try await store.completeDeletions()
            #expect(try await store.template(version: nil, inProject: "p")?.version.number == 3)
        }
    }
}
