import EtcdTestSupport
import Foundation
import SeededRandomness
import TemplateStore
import Templates
import Testing

@testable import EtcdTemplateStore

@Suite("Implausible responses of etcd", .timeLimit(.minutes(Rounds.minutes)))
struct EtcdAnswersTests {
    /// After a response that leaves the outcome of a write open, the store determines the outcome.
    @Test(arguments: [
        ("200 OK", "{}"), ("200 OK", #"{"succeeded":true}"#),
        ("200 OK", #"{"header":{},"succeeded":true}"#),
        ("200 OK", #"{"header":{"cluster_id":"1","revision":"-7"}}"#), ("200 OK", "<html>"),
        ("408 Request Timeout", #"{"code":1,"message":"context canceled"}"#),
        ("409 Conflict", #"{"code":10,"message":"aborted"}"#),
        ("500 Internal Server Error", #"{"code":13,"message":"stream terminated"}"#),
        ("500 Internal Server Error", #"{"code":99,"message":"of a later version"}"#),
        ("502 Bad Gateway", "bad gateway"), ("503 Service Unavailable", ""),
    ])
    func aWriteIsMadeOnceWhateverIsAnswered(_ status: String, _ body: String) async throws {
        try await withProxy { proxy, location, direct in
            try await withStore(at: location) { store in
                try await store.submit("1")
                proxy.strike(
                    .answerIsReplaced(status: status, body: body), requestsWith: "request_put",
                    count: 1)
                let template = try await store.submit("2", expecting: .version(1))
                #expect(proxy.struck == 1)
                #expect(template.version.number == 2)
                try await withStore(at: direct) { other in
                    let numbers = try await other.numbers()
                    #expect(numbers == [2, 1])
                    let found = try await other.template(version: 2, inProject: "p")
                    #expect(found == template)
                }
            }
        }
    }

    /// A revision lower than an earlier one means another cluster, except in responses about
    /// leases, where a lagging member reports an older one.
    @Test func theRevisionBesideALeaseIsTheMemberS() async throws {
        try await withProxy { proxy, location, _ in
            try await withStore(at: location) { store in
                try await store.submit()
                try await store.announce(Data("1".utf8), as: "counts")
                let cluster = try #require(
                    try await store.read(EtcdRange(keys: .key(store.keys.store))).header)
                let header =
                    #""header":{"cluster_id":"\#(cluster.clusterID)","revision":"1"}"#
                proxy.strike(
                    .answerIsReplaced(
                        status: "200 OK",
                        body: "{\(header),\"ID\":\"7\",\"TTL\":\"29\",\"grantedTTL\":\"30\"}"),
                    requestsWith: "/v3/lease/timetolive", count: 1)
                let announced = try await store.announcements()
                #expect(announced.map(\.contents) == [["counts": Data("1".utf8)]])
                #expect(proxy.struck == 1)
                try await store.submit()
                proxy.strike(
                    .answerIsReplaced(status: "200 OK", body: "{\(header)}"),
                    requestsWith: "/v3/kv/range", count: 1)
                let error = try await storeError {
                    _ = try await store.template(version: nil, inProject: "p")
                }
                #expect(error?.code == .filesReplaced)
                #expect(error?.clientMessage?.contains("etcd") == true)
            }
        }
    }

    /// The audit trail and the versions are never overwritten, even if the key that counts them is
    /// lost.
    @Test(arguments: ["change", "projects/p"])
    func aStoredValueIsNotOverwritten(_ lost: String) async throws {
        try await withStore(limits: .short) { store, _ in
            try await store.submit("1")
            let second = try await store.submit("2")
            let audit = try await store.readAll(store.keys.allAudit)
            let versions = try await store.readAll(store.keys.allVersions)
            let removal = EtcdTransaction(success: [
                .delete(.key(Data((store.keys.prefix + lost).utf8)))
            ])
            let _: EtcdTransactionAnswer = try await store.gateway.call("/v3/kv/txn", removal)
            let error = try await storeError { try await store.submit("3") }
            // The time limit may end the last attempt.
            let codes: [TemplateStoreError.Code?] = [.unavailable, .outcomeUnknown]
            #expect(codes.contains(error?.code))
            for (before, keys) in [
                (audit, store.keys.allAudit), (versions, store.keys.allVersions),
            ] {
                let after = try await store.readAll(keys)
                #expect(after.map(\.modRevision) == before.map(\.modRevision))
                #expect(after.map(\.value) == before.map(\.value))
            }
            #expect(try await store.template(version: 2, inProject: "p") == second)
        }
    }
}
