import EtcdTestSupport
import Foundation
import SeededRandomness
import TemplateStore
import Templates
import Testing

@testable import EtcdTemplateStore

@Suite("Writes without a response", .timeLimit(.minutes(Rounds.minutes)))
struct EtcdSettlingTests {
    /// A write is made once, and its call returns the result, although the first response was lost.
    @Test func aWriteWithoutAnAnswerIsMadeOnce() async throws {
        try await withProxy { proxy, location, _ in
            try await withStore(at: location) { store in
                try await store.submit("1")
                proxy.strike(.answerIsLost, requestsWith: "request_put", count: 1)
                let template = try await store.submit("2", expecting: .version(1))
                #expect(proxy.struck == 1)
                #expect(template.version.number == 2)
                #expect(try await store.template(version: nil, inProject: "p") == template)
                #expect(try await store.numbers() == [2, 1])
                let entries = try await store.auditEntries(inProject: "p", matching: AuditQuery())
                #expect(entries.map(\.revision).first == template.revision)
                #expect(entries.count == 2)
            }
        }
    }

    /// A removed draft leaves nothing by which its removal could be told from another one's.
    @Test func aDraftIsRemovedOnceAlthoughTheAnswerIsLost() async throws {
        try await withProxy { proxy, location, direct in
            try await withStore(at: location) { store in
                try await store.submit("1")
                try await store.draft(Data("first".utf8))
                func remove() async throws -> Bool {
                    try await store.removeDraft(
                        ofOwner: "ada", inProject: "p", expecting: .any, date: testDate)
                }
                proxy.strike(.answerIsLost, requestsWith: "request_delete_range", count: 1)
                #expect(try await remove())
                #expect(proxy.struck == 1)
                #expect(try await remove() == false)
            }
        }
    }

    /// While no response arrives, the call fails with `outcomeUnknown`, and the write exists once.
    @Test func aWriteThatIsNotSettledInTimeIsUnknown() async throws {
        try await withProxy { proxy, location, direct in
            try await withStore(at: location, limits: .short) { store in
                try await store.submit("1")
                proxy.strike(.answerIsLost, requestsWith: "request_put")
                let error = try await storeError { try await store.submit("2") }
                #expect(error?.code == .outcomeUnknown)
                #expect(proxy.struck > 1)
                proxy.release()
                try await withStore(at: direct) { other in
                    #expect(try await other.numbers() == [2, 1])
                    try await store.submit("3", expecting: .version(2))
                    #expect(try await other.numbers() == [3, 2, 1])
                }
            }
        }
    }

    /// A write that arrives after another one has no effect.
    @Test func aLateWriteIsNotMade() async throws {
        try await withProxy { proxy, location, direct in
            try await withStore(at: direct) { other in
                try await other.submit("1")
                try await withStore(at: location, limits: .short) { store in
                    proxy.strike(.requestIsHeld, requestsWith: "request_put")
                    let error = try await storeError { try await store.submit("late") }
                    #expect(error?.code == .outcomeUnknown)
                    let template = try await other.submit("2", expecting: .version(1))
                    proxy.release()
                    // Another write through the proxy follows the held ones.
                    try await withStore(at: location) { _ = try await $0.submit("3") }
                    #expect(try await other.numbers() == [3, 2, 1])
                    #expect(try await other.template(version: 2, inProject: "p") == template)
                    let entries = try await other.auditEntries(
                        inProject: "p", matching: AuditQuery())
                    #expect(entries.count == 3)
                }
            }
        }
    }

    /// A held write that no other has overtaken takes effect late, and is in the audit trail.
    @Test func aHeldWriteMayBeMadeLater() async throws {
        try await withProxy { proxy, location, direct in
            try await withStore(at: direct) { other in
                let first = try await other.submit("1")
                try await withStore(at: location, limits: .short) { store in
                    proxy.strike(.requestIsHeld, requestsWith: "request_put")
                    let error = try await storeError { try await store.submit("late") }
                    #expect(error?.code == .outcomeUnknown)
                    #expect(try await other.numbers() == [1])
                    proxy.release()
                    let changes = try await other.next(1, after: first.revision)
                    #expect(changes.map(\.subject) == [.template(project: "p", version: 2)])
                    #expect(try await other.numbers() == [2, 1])
                }
            }
        }
    }

    /// A write that reaches no member certainly has no effect.
    @Test func aWriteThatNoMemberGetsIsNotMade() async throws {
        try await withCluster { cluster in
            try await withStore(at: cluster.location(), limits: .short) { store in
                try await store.submit("1")
                cluster.kill9(0)
                let error = try await storeError { try await store.submit("2") }
                #expect(error?.code == .unavailable)
                try cluster.start(0)
                try await cluster.waitForLeader()
                #expect(try await store.numbers() == [1])
                try await store.submit("2")
            }
        }
    }

    /// A call whose task is cancelled returns, instead of retrying without a pause.
    @Test func aCancelledCallEnds() async throws {
        try await withProxy { proxy, location, _ in
            try await withStore(at: location) { store in
                proxy.strike(.requestIsHeld, requestsWith: "key")
                let call = Task { try await store.tokens() }
                try await waitUntil { proxy.struck > 0 }
                call.cancel()
                let result = await call.result
                #expect(throws: TemplateStoreError.self) { try result.get() }
                #expect(proxy.struck < 10)
                proxy.release()
            }
        }
    }

    /// When two stores publish over the same version while responses are lost, one succeeds.
    @Test func oneOfTwoPublishersWinsWhileAnswersAreLost() async throws {
        try await withProxy { proxy, location, direct in
            var location = location
            location.members += direct.members
            try await withStore(at: location) { first in
                try await withStore(at: location) { second in
                    try await first.submit("0")
                    for version in 1...20 {
                        proxy.strike(.answerIsLost, requestsWith: "request_put", count: 2)
                        let results = await withTaskGroup(of: Bool.self) { group in
                            for store in [first, second] {
                                group.addTask {
                                    (try? await store.submit(
                                        "\(version)", expecting: .version(version)))
                                        != nil
                                }
                            }
                            return await group.reduce(into: []) { $0.append($1) }
                        }
                        #expect(results.filter { $0 }.count == 1)
                    }
                    #expect(try await first.numbers() == (1...21).reversed())
                }
            }
        }
    }
}
