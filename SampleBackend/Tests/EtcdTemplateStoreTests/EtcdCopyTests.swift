import EtcdTemplateStore
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

// deadline: hundreds of publishes, which take a minute on a busy machine
@Suite("Copies of stores to and from etcd", .timeLimit(.minutes(5)))
struct EtcdCopyTests {
    private func store() async throws -> EtcdTemplateStore {
        try await EtcdTemplateStore(try await SharedMember.cluster.value.location())
    }

    private func error(
        _ body: () async throws -> Void
    ) async throws -> TemplateStoreError? {
        do {
            try await body()
            return nil
        } catch let error as TemplateStoreError {
            return error
        }
    }

    @Test func aDatabaseIsCopiedToEtcdAndBack() async throws {
        let folder = try TemporaryFolder()
        let database = try await SQLiteTemplateStore(path: folder.path("source.sqlite"))
        try await StoreCopyTrial.fill(database)
        let location = try await SharedMember.cluster.value.location()
        let target = try await EtcdTemplateStore(location)
        try await StoreCopyTrial.copy(from: database, to: target)
        await target.close()
        let copy = try await EtcdTemplateStore(location)
        let back = try await SQLiteTemplateStore(path: folder.path("back.sqlite"))
        try await StoreCopyTrial.copy(from: copy, to: back)
        #expect(try await back.checkIntegrity() == [])
        try await StoreCopyTrial.checkUse(of: copy, like: database)
        try await StoreCopyTrial.checkUse(of: back, like: database)
        for store in [database, copy, back] as [any TemplateStore] { await store.close() }
    }

    @Test func raisedVersionsAreAboveAllOthers() async throws {
        let (source, target) = (try await store(), try await store())
        try await StoreCopyTrial.checkRaisedVersions(of: source, copiedTo: target)
        for store in [source, target] { await store.close() }
    }

    @Test func aStoreInEtcdIsCopiedToOthersOfEachKind() async throws {
        let source = try await store()
        try await StoreCopyTrial.fill(source)
        let memory = InMemoryTemplateStore()
        try await StoreCopyTrial.copy(from: source, to: memory)
        try await StoreCopyTrial.checkUse(of: memory, like: source)
        let location = try await SharedMember.cluster.value.location()
        let target = try await EtcdTemplateStore(location)
        try await StoreCopyTrial.copy(from: source, to: target)
        let copy = try await EtcdTemplateStore(location)
        try await StoreCopyTrial.checkUse(of: copy, like: source)
        for store in [source, target, copy] { await store.close() }
    }

    @Test func aCopyOfEtcdIsOfOneRevision() async throws {
        let source = try await store()
        let submission = TemplateSubmission(
            project: "p", content: Data("{}".utf8), expectation: .any, date: Date(),
            user: .init(name: "n"))
        _ = try await source.publish(submission)
        let archive = try await source.openArchive()
        _ = try await source.publish(submission)
        var digest = ArchiveDigest()
        try await archive.read { digest.add($0) }
        #expect(digest.count(.versions) == 1)
        #expect(digest.count(.auditEntries) == 1)
        await source.close()
    }

    @Test func anInterruptedCopyIsNeverOpened() async throws {
        let source = InMemoryTemplateStore()
        try await StoreCopyTrial.fill(source)
        let location = try await SharedMember.cluster.value.location()
        let target = try await EtcdTemplateStore(location)
        let server = try await EtcdTemplateStore(location)
        let writer = try await target.beginFilling()
        try await source.openArchive().read { record throws(TemplateStoreError) in
            try await writer.write(record)
        }
        try await writer.flush()
        await target.close()
        let opened = try await error { _ = try await EtcdTemplateStore(location) }
        #expect(opened?.code == .incompleteCopy)
        #expect(opened?.message.contains("etcdctl del --prefix \(location.prefix)") == true)
        // A store that was opened before writes nothing.
        let written = try await error {
            try await server.addToken(
                StoredToken(
                    id: "i", name: "n", role: .viewer, hash: Data([1]), creationDate: Date()),
                actor: "a")
        }
        #expect(written?.code == .filesReplaced)
        await server.close()
    }

    @Test func aStoreWithContentIsNotFilled() async throws {
        let target = try await store()
        _ = try await target.saveDraft(
            DraftSubmission(
                owner: "o", project: "p", baseVersion: 0, content: Data("{}".utf8),
                expectation: .any, date: Date()))
        let refused = try await error { _ = try await target.beginFilling() }
        #expect(refused?.code == .notEmpty)
        try await target.addToken(
            StoredToken(id: "i", name: "n", role: .viewer, hash: Data([1]), creationDate: Date()),
            actor: "a")
        await target.close()
    }

    @Test func aPrefixWithoutAStoreIsNotMadeOne() async throws {
        let location = try await SharedMember.cluster.value.location()
        for _ in 0..<2 {
            let error = try await error {
                _ = try await EtcdTemplateStore(location, creating: false)
            }
            #expect(error?.code == .unavailable)
            #expect(error?.message.contains(location.prefix) == true)
        }
    }
}
