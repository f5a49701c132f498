import EtcdTestSupport
import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import EtcdTemplateStore

/// A server whose etcd cluster is suspended.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct EtcdOutageTests {
    @Test func allWhoAskForReadinessShareACheck() async throws {
        let cluster = try await SharedMember.cluster.value
        let proxy = try await LossyProxy(before: cluster.members[0])
        var location = cluster.location()
        location.members = [proxy.url]
        let store = try await EtcdTemplateStore(location)
        try await RunningServer.with(store: store) { server in
            #expect(try await server.answer("/health/ready").json["status"] == "ok")
            proxy.strike(.requestIsHeld, requestsWith: "/v3/kv/")
            let count = 200
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<count {
                    group.addTask { try await server.answer("/health/ready").status }
                }
                for try await status in group { #expect(status == 200) }
            }
            #expect(proxy.struck < count)
            try await waitUntil {
                try await server.answer("/health/ready").json["status"] == "degraded"
            }
            proxy.release()
            try await waitUntil {
                try await server.answer("/health/ready").json["status"] == "ok"
            }
        }
        await store.close()
        await proxy.close()
    }

    @Test func aStoreThatCannotBeReadIsCalledSo() async throws {
        let location = try await SharedMember.cluster.value.location()
        let backend = try await RunningBackend(store: location.description)
        let other = try await EtcdTemplateStore(location)
        let damage = EtcdTransaction(success: [
            .put(other.keys.project("default"), Data("garbage".utf8))
        ])
        let _: EtcdTransactionAnswer = try await other.gateway.call("/v3/kv/txn", damage)
        await other.close()
        let answer = try await backend.administer(
            "PUT", "/v1/projects/default/remoteConfig", ifMatch: "*",
            body: AdministrationTarget.templateText(title: "x"))
        #expect(answer.status == 503)
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(text.contains("content that cannot be read"), "\(text)")
        _ = await backend.stop()
    }

    /// The messages for a full quota and a removed store describe etcd, not a disk or files.
    @Test func faultsOfEtcdAreReportedAsFaultsOfEtcd() async throws {
        let cluster = try await EtcdCluster(options: ["--quota-backend-bytes=2097152"])
        defer { cluster.end() }
        let location = cluster.location()
        let backend = try await RunningBackend(store: location.description)
        func publish(_ title: String) async throws -> HTTPAnswer {
            try await backend.administer(
                "PUT", "/v1/projects/default/remoteConfig", ifMatch: "*",
                body: AdministrationTarget.templateText(title: title))
        }
        var answer: HTTPAnswer
        repeat {  // deadline: the quota is used up by 400 kB each
            answer = try await publish(String(repeating: "x", count: 400_000))
        } while answer.status == 200
        #expect(answer.status == 503)
        let full = String(decoding: answer.body, as: UTF8.self)
        #expect(full.contains("quota of its etcd cluster"), "\(full)")
        #expect(!full.contains("disk"), "\(full)")
        let status = try await EtcdStatus(location)
        #expect(status.alarms == ["NOSPACE"])
        try await cluster.removeKeys(below: location.prefix)
        let gone = String(decoding: try await publish("second").body, as: UTF8.self)
        #expect(gone.contains("in etcd was replaced, removed"), "\(gone)")
        #expect(!gone.contains("files"), "\(gone)")
        _ = await backend.stop()
    }
}
