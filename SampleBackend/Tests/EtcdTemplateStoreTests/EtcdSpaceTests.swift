import EtcdTestSupport
import Foundation
import SeededRandomness
import TemplateStore
import Templates
import Testing

@testable import EtcdTemplateStore

@Suite("A cluster with an exhausted quota", .timeLimit(.minutes(Rounds.minutes)))
struct EtcdSpaceTests {
    /// With an exhausted quota, the store refuses publishes with the reason and continues to read;
    /// after the repair every acknowledged write exists once.
    @Test func aFullClusterRefusesWritesAndIsRead() async throws {
        try await withCluster(options: ["--quota-backend-bytes=16777216"]) { cluster in
            try await withStore(at: cluster.location()) { store in
                var acknowledged: [Int] = []
                var refusal: TemplateStoreError?
                while refusal == nil, acknowledged.count < 100 {
                    do {
                        acknowledged.append(
                            try await store.submit(Data(repeating: 0x20, count: 400_000)).version
                                .number)
                    } catch let error as TemplateStoreError {
                        refusal = error
                    }
                }
                #expect(refusal?.code == .outOfSpace)
                #expect(refusal?.message.contains("quota") == true)
                #expect(try await store.numbers().reversed() == acknowledged)
                #expect(
                    try await storeError { try await store.checkReadiness() }?.code == .outOfSpace)
                // A server can start, and reads the stored data.
                try await withStore(at: store.gateway.location) { other in
                    let numbers = try await other.numbers()
                    #expect(numbers.reversed() == acknowledged)
                }
                try await cluster.makeRoom(below: store)
                try await store.checkReadiness()
                let next = try await store.submit()
                #expect(next.version.number == acknowledged.count + 1)
            }
        }
    }
}

extension EtcdCluster {
    /// Removes contents and the history, defragments, and disarms the alarm.
    fileprivate func makeRoom(below store: EtcdTemplateStore) async throws {
        let large = try await store.readAll(.prefix(store.keys.prefix + "contents/"), part: .keys)
        for part in large.dropLast(2) {
            // The test does not read the versions of these contents again.
            let removal = EtcdTransaction(success: [.delete(.key(part.key))])
            let _: EtcdTransactionAnswer = try await store.gateway.call("/v3/kv/txn", removal)
        }
        let revision = try await store.read([]).revision
        let _: EtcdEmptyAnswer = try await store.gateway.call(
            "/v3/kv/compaction", ["revision": String(revision)])
        let _: EtcdEmptyAnswer = try await store.gateway.call(
            "/v3/maintenance/defragment", [String: String]())
        let alarms: AlarmMembers = try await store.gateway.call(
            "/v3/maintenance/alarm", ["action": "GET"])
        for alarm in alarms.alarms {
            let _: EtcdEmptyAnswer = try await store.gateway.call(
                "/v3/maintenance/alarm",
                ["action": "DEACTIVATE", "memberID": alarm.memberID, "alarm": "NOSPACE"])
        }
    }
}

private struct AlarmMembers: EtcdAnswer {
    struct Alarm: Decodable, Sendable {
        let memberID: String
    }

    let header: EtcdHeader?
    let alarms: [Alarm]
}
