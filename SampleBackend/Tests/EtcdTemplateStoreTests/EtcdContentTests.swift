import EtcdTestSupport
import Foundation
import SeededRandomness
import TemplateStore
import Testing

@testable import EtcdTemplateStore

@Suite("Contents of any size in etcd", .timeLimit(.minutes(Rounds.minutes)))
struct EtcdContentTests {
    private func large(_ megabytes: Int) -> Data {
        Data((0..<megabytes * 1_000_000).map { UInt8(truncatingIfNeeded: $0 % 251) })
    }

    /// A content beyond etcd's limit for a request is stored permanently in parts.
    @Test func aLargeContentIsStoredInParts() async throws {
        try await withStore { store, location in
            let template = try await store.submit(large(7))
            try await withStore(at: location) { other in
                let found = try await other.template(version: nil, inProject: "p")
                #expect(found == template)
                #expect(try await other.snapshot().templates == [template])
                let parts = try await other.readAll(
                    .prefix(other.keys.prefix + "contents/"), part: .keys)
                #expect(parts.count == 7)
                #expect(parts.map(\.lease).allSatisfy { $0 == 0 })
            }
        }
    }

    /// A refused publish leaves no parts behind.
    @Test func aRefusedContentLeavesNoParts() async throws {
        try await withStore { store, _ in
            try await store.submit()
            let error = try await storeError {
                try await store.submit(large(3), expecting: .version(7))
            }
            #expect(error?.code == .versionMismatch)
            #expect(try await store.count("contents") == 1)
        }
    }

    /// Parts that no transaction has taken over belong to a lease, so that etcd removes them.
    @Test func partsOfAnInterruptedPublishGoAway() async throws {
        try await withStore { store, _ in
            let prepared = try await store.prepare(large(2))
            let parts = try await store.readAll(
                .prefix(store.keys.prefix + "contents/"), part: .keys)
            #expect(parts.count == prepared.reference.parts)
            #expect(parts.map(\.lease).allSatisfy { $0 != 0 })
        }
    }

    /// Parts are removed with their version, draft or pinned values.
    @Test func theReplacementOfPinsInPartsSaysThatTheyAreNotRecorded() async throws {
        try await withStore { store, _ in
            try await store.submit("1")
            let value = String(repeating: "x", count: EtcdTemplateStore.mostInRecord)
            for content in [#"{"A":{"k":"\#(value)"}}"#, #"{"A":{"l":1}}"#, "{}"] {
                try await store.setOverrides(
                    OverridesChange(
                        project: "p", userID: "1", content: Data(content.utf8), date: testDate,
                        actor: "a"))
            }
            let details = try await store.auditEntries(
                inProject: "p", matching: AuditQuery(limit: 2)
            ).map(\.detail)
            #expect(
                details == [
                    "A.l no longer pinned (was 1)",
                    "A.l = 1; the values before it are not recorded",
                ])
        }
    }

    @Test func partsGoWithWhatTheyBelongTo() async throws {
        try await withStore { store, _ in
            for number in 1...TemplateStoreLimits.keptVersions {
                try await store.submit("\(number)")
            }
            #expect(try await store.count("contents") == TemplateStoreLimits.keptVersions)
            let content = large(2)
            try await store.submit(large(2))
            #expect(try await store.count("contents") == TemplateStoreLimits.keptVersions + 1)
            for content in [content, Data("{}".utf8), content, nil] {
                try await store.setOverrides(
                    OverridesChange(
                        project: "p", userID: "1", content: content, date: testDate, actor: "a"))
                #expect(try await store.overrides(forUserID: "1", inProject: "p") == content)
                #expect(
                    try await store.snapshot().overrides["p"]?[Data("1".utf8)] == content)
            }
            for content in [content, Data("{}".utf8)] {
                try await store.draft(content)
            }
            _ = try await store.removeDraft(
                ofOwner: "ada", inProject: "p", expecting: .any, date: testDate)
            #expect(try await store.count("contents") == TemplateStoreLimits.keptVersions + 1)
        }
    }
}
