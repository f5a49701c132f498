import EtcdTestSupport
import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import EtcdTemplateStore

/// Webhooks of servers on one etcd cluster.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct EtcdWebhookTests {
    /// The start key of a range as in the JSON of a request.
    private func text(of keys: EtcdKeySpan) throws -> String {
        String(decoding: try JSONEncoder().encode(keys.start), as: UTF8.self)
    }

    /// The lease of a server ends between its claim and its request: another server sends the
    /// delivery.
    @Test func aServerThatHasLostItsClaimDoesNotSend() async throws {
        let receiver = try await WebhookReceiver()
        let direct = try await SharedMember.cluster.value.location()
        let proxy = try await LossyProxy(before: direct.members[0])
        var location = direct
        location.members = [proxy.url]
        let other = try await EtcdTemplateStore(direct)
        let backend = try await RunningBackend(
            store: location.description, ["--allow-private-webhooks"])
        func publish() async throws {
            let answer = try await backend.administer(
                "PUT", "/v1/projects/default/remoteConfig", ifMatch: "*",
                body: AdministrationTarget.templateText(title: "x"))
            try #require(answer.status == 200)
        }
        try await publish()
        let added = try await backend.administer(
            "POST", "/v1/projects/default/webhooks", body: "{\"url\":\"\(receiver.url())\"}")
        let id = try #require(try added.json["id"]?.stringValue)
        // The claim reads this range, and the server reads it again before it sends the delivery.
        let read = try text(of: other.keys.finished(ofWebhook: id, inProject: "default"))
        proxy.strike(.requestIsHeld, requestsWith: read, sparing: 1)
        try await publish()
        try await waitUntil { proxy.struck > 0 }
        // Otherwise it could claim the delivery again, under another lease, before the other store
        // does.
        proxy.strike(.requestIsHeld, requestsWith: "/v3/")
        let owner = try #require(
            try await other.read(EtcdRange(keys: other.keys.owners)).keyValues.first)
        let revocation = try EtcdGateway.encoded(EtcdLeaseID(id: owner.lease))
        let _: EtcdEmptyAnswer = try await other.gateway.attempt("/v3/lease/revoke", revocation)
        let date = Date()
        let claimed = try await other.claimDeliveries(date: date, until: date + 60, limit: 1)
        #expect(claimed.map(\.delivery.version) == [2])
        proxy.release()
        try await other.finish(
            DeliveryAttempt(at: try #require(claimed.first), outcome: .delivered, date: date))
        try await publish()
        var requests = receiver.requests.makeAsyncIterator()
        let request = try #require(await requests.next())
        #expect(try JSONNode(jsonData: request.body)["versionNumber"] == "3")
        _ = await backend.stop()
        await other.close()
        await proxy.close()
        try await receiver.close()
    }
}
