import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer
@testable import HTTPServing
@testable import WebhookDelivery

/// Deliveries to receivers (API 3), over real connections.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct WebhookServiceTests {
    @Test func theReceiverIsNotifiedOfAPublishAndOfARollback() async throws {
        let receiver = try await WebhookReceiver(.status(204))
        try await WebhookTrial.with { trial in
            let webhook = try await trial.add(receiver.url("/hook?a=b"))
            try await trial.publish("two")
            let request = try await WebhookTrial.next(receiver)
            #expect(request.method == "POST")
            #expect(request.target == "/hook?a=b")
            #expect(request.fields["content-type"] == "application/json")
            #expect(request.fields["user-agent"]?.hasPrefix("ActiveConfig") == true)
            #expect(WebhookTrial.isSigned(request, by: webhook))
            let timestamp = try #require(
                request.fields["activeconfig-timestamp"].flatMap { TimeInterval($0) })
            // deadline: the request has just arrived
            #expect(abs(timestamp - Date().timeIntervalSince1970) < 60)
            let template = try await trial.server.administer(
                "GET", "/v1/projects/default/remoteConfig"
            ).json
            let time = try #require(template["version"]?["updateTime"])
            let id = try #require(request.fields["activeconfig-delivery"])
            #expect(
                try JSONNode(jsonData: request.body) == [
                    "CONFIG_STATE": "STALE", "project": "default", "versionNumber": "2",
                    "updateType": "FORCED_UPDATE", "changedSections": ["Home"],
                    "deliveryID": .string(id), "updateTime": time,
                ])
            let delivery = try #require(
                try await trial.deliveries(of: webhook, inStates: ["DELIVERED"]).first)
            #expect(delivery["id"] == .string(id))
            #expect(delivery["statusCode"] == 204)
            #expect(delivery["attempts"] == 1)
            #expect(delivery["nextAttemptTime"] == nil)
            try await trial.server.administer(
                "POST", "/v1/projects/default/remoteConfig:rollback",
                body: ["versionNumber": "1"])
            let second = try JSONNode(jsonData: try await WebhookTrial.next(receiver).body)
            #expect(second["versionNumber"] == "3")
            #expect(second["updateType"] == "ROLLBACK")
        }
    }

    @Test func theServiceRetriesUntilTheReceiverAccepts() async throws {
        let receiver = try await WebhookReceiver(.status(500), .status(429), .status(200))
        try await WebhookTrial.with { trial in
            let webhook = try await trial.add(receiver.url())
            try await trial.publish("two")
            let requests = [
                try await WebhookTrial.next(receiver), try await WebhookTrial.next(receiver),
                try await WebhookTrial.next(receiver),
            ]
            #expect(Set(requests.map { $0.fields["activeconfig-delivery"] }).count == 1)
            #expect(requests.allSatisfy { WebhookTrial.isSigned($0, by: webhook) })
            let found = try await trial.deliveries(of: webhook, inStates: ["DELIVERED"])
            #expect(found.first?["attempts"] == 3)
            #expect(found.first?["error"] == nil)
        }
    }

    /// The receiver may have another version under the number of the store's.
    @Test func theSectionsAfterARaiseAreAll() async throws {
        let receiver = try await WebhookReceiver(.status(200))
        let store = InMemoryTemplateStore()
        try await WebhookTrial.with(store: store) { trial in
            let webhook = try await trial.add(receiver.url())
            try await trial.publish("two")
            _ = try await WebhookTrial.next(receiver)
            _ = try await trial.deliveries(of: webhook, inStates: ["DELIVERED"])
            _ = try await store.raiseVersions(VersionRaise(reason: "test"))
            for sections: JSONNode in [["Cart", "Home"], []] {
                try await trial.publish("two")
                let message = try JSONNode(jsonData: try await WebhookTrial.next(receiver).body)
                #expect(message["changedSections"] == sections)
                try await waitUntil {
                    try await trial.deliveries(of: webhook).first?["state"] == "DELIVERED"
                }
            }
        }
    }

    /// A proxy may answer with 504 though the receiver behind it has the message.
    @Test func theSectionsIncludeThoseOfAnAttemptThatMayHaveArrived() async throws {
        let receiver = try await WebhookReceiver(.status(504), .status(200))
        try await WebhookTrial.with(options: .quick { $0.schedule.pauses = [3_600] }) { trial in
            let webhook = try await trial.add(receiver.url())
            try await trial.publish("two")
            _ = try await WebhookTrial.next(receiver)
            try await waitUntil {
                try await trial.deliveries(of: webhook).first?["statusCode"] == 504
            }
            // Back to what the receiver had before the attempt.
            try await trial.publish("one")
            let message = try JSONNode(jsonData: try await WebhookTrial.next(receiver).body)
            #expect(message["versionNumber"] == "3")
            #expect(message["changedSections"] == ["Home"])
            _ = try await trial.deliveries(of: webhook, inStates: ["DELIVERED", "SUPERSEDED"])
            // The success is recorded, so what was before no longer counts.
            try await trial.publish("one")
            let next = try JSONNode(jsonData: try await WebhookTrial.next(receiver).body)
            #expect(next["changedSections"] == [])
        }
    }

    @Test func theServiceFollowsNoRedirect() async throws {
        let target = try await WebhookReceiver()
        let receiver = try await WebhookReceiver(
            .status(307, fields: ["Location": target.url()]))
        try await WebhookTrial.with(options: .quick { $0.schedule.pauses = [0] }) { trial in
            let webhook = try await trial.add(receiver.url())
            try await trial.publish("two")
            for _ in 1...2 { _ = try await WebhookTrial.next(receiver) }
            let found = try await trial.deliveries(of: webhook, inStates: ["FAILED"])
            #expect(found.first?["statusCode"] == 307)
            #expect(found.first?["error"]?.stringValue?.contains("redirect") == true)
            #expect(receiver.requestCount == 2)
            #expect(target.requestCount == 0)
        }
    }

    @Test func theServiceGivesUpAtOnceWhenTheReceiverIsGone() async throws {
        let receiver = try await WebhookReceiver(.status(410))
        try await WebhookTrial.with { trial in
            let webhook = try await trial.add(receiver.url())
            try await trial.publish("two")
            _ = try await WebhookTrial.next(receiver)
            _ = try await trial.deliveries(of: webhook, inStates: ["FAILED"])
            #expect(receiver.requestCount == 1)
        }
    }

    @Test func aSilentReceiverDelaysNoOther() async throws {
        let silent = try await WebhookReceiver(.silence)
        let receiver = try await WebhookReceiver()
        try await WebhookTrial.with { trial in
            let stuck = try await trial.add(silent.url())
            let webhook = try await trial.add(receiver.url())
            for (index, title) in ["two", "three", "four"].enumerated() {
                try await trial.publish(title)
                _ = try await WebhookTrial.next(receiver)
                _ = try await trial.deliveries(
                    of: webhook, inStates: Array(repeating: "DELIVERED", count: index + 1))
            }
            #expect(silent.requestCount == 1)
            _ = try await trial.deliveries(
                of: stuck, inStates: ["PENDING", "SUPERSEDED", "PENDING"])
        }
    }

    @Test func aReceiverThatDoesNotAnswerInTimeHasFailed() async throws {
        let receiver = try await WebhookReceiver(.silence, .status(200))
        // deadline: the service retries until a response arrives in time
        try await WebhookTrial.with(options: .quick { $0.timeout = .seconds(1) }) { trial in
            let webhook = try await trial.add(receiver.url())
            try await trial.publish("two")
            for _ in 1...2 { _ = try await WebhookTrial.next(receiver) }
            let found = try await trial.deliveries(of: webhook, inStates: ["DELIVERED"])
            // More than two on a busy machine; the first attempt ended without an answer.
            #expect(try #require(found.first?["attempts"]?.integerValue) >= 2)
        }
    }

    @Test func aReceiverThatDripsItsAnswerHasFailed() async throws {
        let receiver = try await WebhookReceiver(.drip)
        try await WebhookTrial.with(
            options: .quick {
                $0.timeout = .seconds(1)  // deadline: the response takes four seconds or more
                $0.schedule.pauses = []
            }
        ) { trial in
            let webhook = try await trial.add(receiver.url())
            try await trial.publish("two")
            let found = try await trial.finishedDelivery(of: webhook)
            #expect(found["state"] == "FAILED")
            #expect(found["error"]?.stringValue?.contains("did not answer within") == true)
        }
    }

    @Test func theServiceGoesOnAfterMoreDeliveriesThanItSendsAtOnce() async throws {
        let receiver = try await WebhookReceiver()
        try await WebhookTrial.with { trial in
            let webhook = try await trial.add(receiver.url())
            for number in 2...66 {
                try await trial.publish("\(number)")
                let newest = try await trial.finishedDelivery(of: webhook)
                try #require(newest["versionNumber"] == .string("\(number)"), "\(number)")
                try #require(newest["state"] == "DELIVERED", "\(number)")
            }
        }
    }

    @Test func theServiceTriesEachAddressInTurn() async throws {
        let receiver = try await WebhookReceiver()
        try await WebhookTrial.with(
            options: .quick {
                $0.schedule.pauses = [0]
                // Nothing listens on the first address, which is this machine as well.
                $0.resolve = { _ in ["127.0.0.2", "127.0.0.1"].flatMap(HostAddresses.numeric) }
            }
        ) { trial in
            let webhook = try await trial.add(receiver.url(host: "receiver.invalid"))
            try await trial.publish("two")
            let found = try await trial.finishedDelivery(of: webhook)
            #expect(found["state"] == "DELIVERED")
            #expect(found["attempts"] == 2)
        }
    }

    @Test func aReceiverThatIsAwayHasFailedAtOnce() async throws {
        try await WebhookTrial.with(
            options: .quick {
                $0.timeout = .seconds(600)
                $0.schedule.pauses = [0]
            }
        ) { trial in
            let webhook = try await trial.add("http://127.0.0.1:1")  // No server listens on port 1.
            let start = ContinuousClock.now
            try await trial.publish("two")
            let found = try await trial.deliveries(of: webhook, inStates: ["FAILED"])
            #expect(found.first?["error"]?.stringValue?.contains("connection") == true)
            #expect(found.first?["statusCode"] == nil)
            // deadline: two attempts; one that waited would take ten minutes
            #expect(start.duration(to: .now) < .seconds(600))
        }
    }

    @Test func aDeliveryNamesAllChangesSinceTheReceiverWasLastNotified() async throws {
        let receiver = try await WebhookReceiver(.status(410), .status(200))
        try await WebhookTrial.with { trial in
            let webhook = try await trial.add(receiver.url())
            try await trial.publish("two")
            _ = try await WebhookTrial.next(receiver)
            _ = try await trial.deliveries(of: webhook, inStates: ["FAILED"])
            // Version 3 equals version 2, but the receiver was not notified of version 2.
            try await trial.publish("two")
            let body = try JSONNode(jsonData: try await WebhookTrial.next(receiver).body)
            #expect(body["versionNumber"] == "3")
            #expect(body["changedSections"] == ["Home"])
            _ = try await trial.deliveries(of: webhook, inStates: ["DELIVERED", "FAILED"])
            try await trial.publish("two")
            let last = try JSONNode(jsonData: try await WebhookTrial.next(receiver).body)
            #expect(last["changedSections"] == [])
        }
    }

    @Test func aNameServerThatDoesNotAnswerHoldsNoDelivery() async throws {
        let receiver = try await WebhookReceiver()
        let (gate, continuation) = AsyncStream.makeStream(of: Void.self)
        defer { continuation.finish() }
        try await WebhookTrial.with(
            options: .quick {
                // deadline: a late delivery is retried
                $0.timeout = .seconds(1)
                $0.schedule.pauses = [0, 0, 0]
                $0.resolve = { host in
                    // Like `getaddrinfo`, this does not end when it is cancelled.
                    if host == "slow.invalid" { await Task { for await _ in gate {} }.value }
                    return HostAddresses.numeric("127.0.0.1")
                }
            }
        ) { trial in
            let slow = try await trial.add(receiver.url(host: "slow.invalid"))
            let other = try await trial.add(receiver.url())
            try await trial.publish("two")
            #expect(try await trial.finishedDelivery(of: other)["state"] == "DELIVERED")
            let found = try await trial.finishedDelivery(of: slow)
            #expect(found["state"] == "FAILED")
            #expect(
                found["error"] == "The name slow.invalid was not resolved within 1.0 seconds.")
        }
    }

    @Test func theServiceConnectsToTheVeryAddressThatWasChecked() async throws {
        let receiver = try await WebhookReceiver()
        // Only the server's own resolver knows this name.
        try await WebhookTrial.with(
            options: .quick { $0.resolve = { _ in HostAddresses.numeric("127.0.0.1") } }
        ) { trial in
            let webhook = try await trial.add(receiver.url(host: "Receiver.invalid"))
            try await trial.publish("two")
            let request = try await WebhookTrial.next(receiver)
            #expect(request.fields["host"] == "Receiver.invalid:\(receiver.port)")
            _ = try await trial.deliveries(of: webhook, inStates: ["DELIVERED"])
        }
    }

    @Test func theServiceSendsNothingToANameOfAPrivateNetwork() async throws {
        let receiver = try await WebhookReceiver()
        try await WebhookTrial.with(
            options: .quick {
                $0.allowsPrivateAddresses = false
                $0.schedule.pauses = [0]
            }
        ) { trial in
            let webhook = try await trial.add(receiver.url(host: "localhost"))
            try await trial.publish("two")
            let found = try await trial.deliveries(of: webhook, inStates: ["FAILED"])
            #expect(found.first?["error"]?.stringValue?.contains("private network") == true)
            #expect(receiver.requestCount == 0)
        }
    }

    @Test func anUnfinishedDeliveryIsLeftToTheNextServer() async throws {
        let receiver = try await WebhookReceiver(.silence, .status(200))
        let store = InMemoryTemplateStore()
        try await WebhookTrial.with(store: store) { trial in
            try await trial.add(receiver.url())
            try await trial.publish("two")
            _ = try await WebhookTrial.next(receiver)
        }
        try await WebhookTrial.with(store: store) { trial in
            _ = try await WebhookTrial.next(receiver)
            let webhooks = try await trial.server.administer("GET", WebhookTrial.path).json
            let webhook = try #require(webhooks["webhooks"]?.arrayValue?.first)
            _ = try await trial.deliveries(of: webhook, inStates: ["DELIVERED"])
        }
        #expect(receiver.requestCount == 2)
    }
}
