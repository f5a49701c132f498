import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Templates
import Testing

@testable import ConfigServer
@testable import WebhookDelivery

/// Webhooks that are notified of the steps of change requests (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct WebhookEventTests {
    private static let requests = "/v1/projects/default/changeRequests"

    private static let neverSends = WebhookOptions.quick { $0.maximumInFlight = 0 }

    @Test func aWebhookIsNotifiedOfThePublishesUnlessItNamesItsEvents() async throws {
        try await WebhookTrial.with(options: Self.neverSends) { trial in
            for (events, expected) in [
                (nil, ["publish"]), (["publish"], ["publish"]),
                (["changeRequest", "publish", "publish"], ["publish", "changeRequest"]),
            ] as [(JSONNode?, JSONNode)] {
                var body: JSONNode = ["url": "https://a.example"]
                body.setMember("events", events)
                let answer = try await trial.server.administer(
                    "POST", WebhookTrial.path, body: body)
                #expect(try answer.json["events"] == expected)
                let list = try await trial.server.administer("GET", WebhookTrial.path).json
                #expect(list["webhooks"]?.arrayValue?.last?["events"] == expected)
            }
            for events: JSONNode in ["publish", [], ["Publish"], [1], .null, ["publish", "x"]] {
                let answer = try await trial.server.administer(
                    "POST", WebhookTrial.path, body: ["url": "https://a.example", "events": events])
                #expect(answer.status == 400, "\(events)")
                #expect(answer.error?.message.contains("\"changeRequest\"") == true, "\(events)")
            }
        }
    }

    @Test func theReceiverIsNotifiedOfEachStepOfARequest() async throws {
        let receiver = try await WebhookReceiver(.status(200))
        try await WebhookTrial.with { trial in
            let webhook = try await trial.server.administer(
                "POST", WebhookTrial.path,
                body: ["url": .string(receiver.url()), "events": ["changeRequest"]]
            ).json
            let bob = try await trial.server.administer(
                "POST", "/v1/tokens", body: ["name": "bob", "role": "publisher", "owner": "Bob"]
            ).json["token"]?.stringValue
            let made = try await trial.server.administer(
                "POST", Self.requests,
                body: [
                    "title": "Higher limit", "text": "Ask Bob.", "base": "etag-default-1",
                    "template": [
                        "parameters": ["secret": ["defaultValue": ["value": "s3cret"]]]
                    ],
                ])
            #expect(made.status == 201, "\(made.error?.message ?? "")")
            let id = try #require(try made.json["id"]?.stringValue)
            let tag = try #require(made.fields["etag"])
            let voted = try await trial.server.administer(
                "POST", "\(Self.requests)/\(id):approve", body: ["comment": "Looks good"],
                token: bob, fields: ["If-Match: \(tag)"])
            let next = try #require(voted.fields["etag"])
            let published = try await trial.server.administer(
                "POST", "\(Self.requests)/\(id):publish", body: [:], token: bob,
                fields: ["If-Match: \(next)"])
            #expect(published.status == 200, "\(published.error?.message ?? "")")
            for (step, actor, approvers, versions) in [
                ("opened", ["actor": "environment"], [], nil),
                ("approved", ["actor": "bob", "person": "Bob"], ["Bob"], nil),
                ("published", ["actor": "bob", "person": "Bob"], ["Bob"], ("1", "2")),
            ] as [(JSONNode, JSONNode, JSONNode, (JSONNode, JSONNode)?)] {
                let request = try await WebhookTrial.next(receiver)
                #expect(WebhookTrial.isSigned(request, by: webhook))
                let text = String(decoding: request.body, as: UTF8.self)
                for left in ["s3cret", "Ask Bob", "Looks good"] { #expect(!text.contains(left)) }
                let body = try JSONNode(jsonData: request.body)
                let delivery = try #require(request.fields["activeconfig-delivery"])
                var expected: JSONNode = [
                    "event": "changeRequest", "step": step, "project": "default",
                    "changeRequest": [
                        "id": .string(id), "title": "Higher limit",
                        "author": ["actor": "environment"], "approvers": approvers,
                    ], "actor": actor,
                ]
                expected.setMember("versionBefore", versions?.0)
                expected.setMember("versionAfter", versions?.1)
                expected.setMember("deliveryID", .string(delivery))
                expected.setMember("time", body["time"])
                #expect(body == expected)
                #expect(body["time"]?.stringValue?.hasSuffix("Z") == true)
            }
            let deliveries = try await trial.deliveries(
                of: webhook, inStates: ["DELIVERED", "DELIVERED", "DELIVERED"])
            #expect(deliveries.map { $0["step"] } == ["published", "approved", "opened"])
            #expect(deliveries.allSatisfy { $0["changeRequest"] == .string(id) })
            #expect(deliveries.allSatisfy { $0["event"] == "changeRequest" })
            #expect(deliveries.allSatisfy { $0["versionNumber"] == nil })
        }
    }

    /// T18: a bypass is a step of its own, with its reason.
    @Test func theReceiverIsNotifiedOfABypass() async throws {
        let receiver = try await WebhookReceiver(.status(200))
        try await WebhookTrial.with { trial in
            try await trial.server.administer(
                "POST", WebhookTrial.path,
                body: ["url": .string(receiver.url()), "events": ["changeRequest"]])
            let protected = try await trial.server.administer(
                "PUT", "/v1/projects/default/protection", body: ["requiredApprovals": 1],
                fields: ["If-Match: *"])
            try #require(protected.status == 200, "\(protected.error?.message ?? "")")
            let made = try await trial.server.administer(
                "POST", Self.requests,
                body: [
                    "title": "Title", "base": "etag-default-1",
                    "template": ["parameters": ["a": ["defaultValue": ["value": "1"]]]],
                ])
            let id = try #require(try made.json["id"]?.stringValue)
            let tag = try #require(made.fields["etag"])
            let published = try await trial.server.administer(
                "POST", "\(Self.requests)/\(id):publish?bypass=Fire", body: [:],
                fields: ["If-Match: \(tag)"])
            try #require(published.status == 200, "\(published.error?.message ?? "")")
            let opened = try JSONNode(jsonData: try await WebhookTrial.next(receiver).body)
            #expect(opened["step"] == "opened" && opened["bypassReason"] == nil)
            let bypassed = try JSONNode(jsonData: try await WebhookTrial.next(receiver).body)
            #expect(bypassed["step"] == "bypassed")
            #expect(bypassed["bypassReason"] == "Fire")
            #expect(bypassed["actor"] == ["actor": "environment"])
            #expect(bypassed["changeRequest"]?["id"] == .string(id))
            #expect(bypassed["changeRequest"]?["approvers"] == [])
            #expect(bypassed["versionBefore"] == "1" && bypassed["versionAfter"] == "2")
        }
    }

    /// Delivery fails no action, and a step waits until its receiver is there.
    @Test func aStepWaitsForItsReceiver() async throws {
        let receiver = try await WebhookReceiver(.status(500), .status(200))
        try await WebhookTrial.with { trial in
            try await trial.server.administer(
                "POST", WebhookTrial.path,
                body: ["url": .string(receiver.url()), "events": ["changeRequest"]])
            for title: JSONNode in ["One", "Two"] {
                let made = try await trial.server.administer(
                    "POST", Self.requests,
                    body: [
                        "title": title, "base": "etag-default-1",
                        "template": ["parameters": ["a": ["defaultValue": ["value": "1"]]]],
                    ])
                try #require(made.status == 201, "\(made.error?.message ?? "")")
            }
            var titles: [JSONNode?] = []
            for _ in 1...3 {
                let body = try JSONNode(jsonData: try await WebhookTrial.next(receiver).body)
                titles.append(body["changeRequest"]?["title"])
            }
            #expect(titles == ["One", "One", "Two"])
        }
    }

    @Test func aStepLinksToTheConsoleWhereItsAddressIsKnown() throws {
        let request = ChangeRequest(
            title: "T", author: .init(person: nil, actor: "ci"), baseVersion: 1,
            creationDate: Date(millisecondsSince1970: 0))
        let header = ChangeRequestHeader(
            project: "é/1", id: "a&b", state: .closed, tag: "t", updateTime: request.creationDate,
            size: 0)
        let step = ChangeRequestStep(
            publishing: StoredChangeRequest(header: header, request: request),
            by: TemplateVersion.User(name: "token"), over: 0)
        #expect(step.versionBefore == nil)
        let claimed = ClaimedDelivery(
            delivery: WebhookDelivery(
                id: "d", webhookID: "w", event: .changeRequest(step: step),
                creationDate: request.creationDate),
            webhook: StoredWebhook(
                id: "w", project: "é/1", url: "https://w", secret: "s",
                creationDate: request.creationDate, creator: "root", topics: [.changeRequest]),
            knownVersion: 1)
        for (origin, url) in [
            (nil, nil),
            (
                "https://config.example",
                "https://config.example/console/#/%C3%A9%2F1/change-request?id=a%26b"
            ),
        ] as [(String?, JSONNode?)] {
            let message = DeliveryMessage(
                claimed, changedSections: [], consoleOrigin: origin, date: request.creationDate)
            let body = try JSONNode(jsonData: message.body)
            #expect(body["changeRequest"]?["url"] == url)
        }
    }
}
