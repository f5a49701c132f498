import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer
@testable import WebhookDelivery

/// Administration of webhooks (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct WebhookRoutesTests {
    /// Configuration of a server that never sends anything.
    private static let neverSends = WebhookOptions.quick {
        $0.allowsPrivateAddresses = false
        $0.maximumInFlight = 0
    }

    @Test func theServerShowsTheSecretOfAWebhookOnce() async throws {
        try await WebhookTrial.with(options: Self.neverSends) { trial in
            let url = "https://example.com/hook"
            let made = try await trial.add(url)
            let secret = try #require(made["secret"]?.stringValue)
            #expect(secret.hasPrefix("whsec_"))
            #expect(secret.count == 49)
            #expect(made["url"] == .string(url))
            #expect(made["creator"] != nil)
            #expect(made["creationTime"] != nil)
            let other = try await trial.add(url)
            #expect(other["secret"] != made["secret"])
            #expect(other["id"] != made["id"])
            let list = try await trial.server.administer("GET", WebhookTrial.path)
            #expect(!String(decoding: list.body, as: UTF8.self).contains("whsec_"))
            let webhooks = try #require(try list.json["webhooks"]?.arrayValue)
            #expect(webhooks.map { $0["id"] } == [made["id"], other["id"]])
            #expect(webhooks.map { $0["lastDelivery"] } == [nil, nil])
            let audit = try await trial.server.administer("GET", "/v1/projects/default/audit")
            #expect(!String(decoding: audit.body, as: UTF8.self).contains("whsec_"))
            let entry = try #require(try audit.json["entries"]?.arrayValue?.first)
            #expect(entry["action"] == "CREATE_WEBHOOK")
            #expect(entry["subject"] == other["id"])
        }
    }

    @Test func theServerShowsNoValueInTheQueryOfAWebhook() async throws {
        try await WebhookTrial.with(options: Self.neverSends) { trial in
            let made = try await trial.add("https://example.com/hook?token=s3cret&x=&s3cret")
            let shown: JSONNode = "https://example.com/hook?token=***&x=&***"
            #expect(made["url"] == shown)
            let id = try #require(made["id"]?.stringValue)
            let list = try await trial.server.administer("GET", WebhookTrial.path)
            #expect(try list.json["webhooks"]?.arrayValue?.first?["url"] == shown)
            _ = try await trial.server.administer("DELETE", WebhookTrial.path + "/" + id)
            let audit = try await trial.server.administer("GET", "/v1/projects/default/audit")
            let details = try audit.json["entries"]?.arrayValue?.prefix(2).map { $0["detail"] }
            #expect(details == [shown, shown])
            let found = try await trial.server.administer(
                "GET", "/v1/projects/default/audit?text=s3cret")
            #expect(try found.json["entries"] == [])
        }
    }

    @Test func theServerListsTheDeliveriesOfAWebhook() async throws {
        try await WebhookTrial.with(options: Self.neverSends) { trial in
            let webhook = try await trial.add("https://example.com")
            for title in ["two", "three"] { try await trial.publish(title) }
            let found = try await trial.deliveries(
                of: webhook, inStates: ["PENDING", "SUPERSEDED"])
            #expect(found.map { $0["versionNumber"] } == ["3", "2"])
            #expect(found.map { $0["attempts"] } == [0, 0])
            let list = try await trial.server.administer("GET", WebhookTrial.path).json
            #expect(list["webhooks"]?.arrayValue?.first?["lastDelivery"] == found.first)
        }
    }

    @Test func theServerRemovesAWebhookOnce() async throws {
        try await WebhookTrial.with(options: Self.neverSends) { trial in
            let id = try #require(try await trial.add("https://example.com")["id"]?.stringValue)
            let target = "\(WebhookTrial.path)/\(id)"
            #expect(try await trial.server.administer("DELETE", target).status == 200)
            for (method, target) in [("DELETE", target), ("GET", target + "/deliveries")] {
                let answer = try await trial.server.administer(method, target)
                #expect(answer.status == 404)
                #expect(answer.error?.message.contains("webhook") == true)
            }
        }
    }

    @Test(arguments: [
        "", "example.com", "ftp://example.com", "file:///etc/passwd", "http://", "https:///a",
        "https://user@example.com", "https://user:password@example.com", "https://@example.com",
        "https://example.com#a", "https://example.com:0", "https://example.com:65536",
        "https://exa mple.com", "https://bücher.example", "https://xn--bcher-kva.example/a",
        "https://exa%6dple.com",
        "https://[fe80::1%25eth0]/", "https://a\\b", "https://example.com/\r\nHost: b",
        "http://127.0.0.1", "http://127.1:80/a", "http://0x7f.1", "http://2130706433",
        "http://0177.0.0.1", "http://169.254.169.254/latest", "http://10.0.0.1",
        "http://[::1]/", "http://[::ffff:10.0.0.1]", "http://[fd00::1]", "http://0.0.0.0",
        "http://[1::2::3]/", "http://[1:2:3]", "http://256.1.1.1/", "http://1.2.3.4.5",
        "https://" + String(repeating: "a", count: 2_048),
    ])
    func theServerRefusesAnInvalidOrPrivateURL(_ url: String) async throws {
        try await WebhookTrial.with(options: Self.neverSends) { trial in
            let answer = try await trial.server.administer(
                "POST", WebhookTrial.path, body: ["url": .string(url)])
            #expect(answer.status == 400)
            #expect(answer.error?.message.hasPrefix("The webhook address ") == true)
        }
    }

    @Test(arguments: [
        "http://example.com", "HTTPS://Example.COM:8443/a/b?c=%20d", "https://8.8.8.8/",
        "https://[2606:4700::1111]:444/x", "https://a_b.c-d",
    ])
    func theServerAcceptsAPublicURL(_ url: String) async throws {
        try await WebhookTrial.with(options: Self.neverSends) { trial in
            let made = try await trial.add(url)
            #expect(made["url"] == .string(StoredWebhook.shownURL(url)))
        }
    }

    @Test func theServerRefusesInvalidBodiesAndTooManyWebhooks() async throws {
        try await WebhookTrial.with(options: Self.neverSends) { trial in
            for body: JSONNode in [[:], ["url": 3], ["url": .null], []] {
                let answer = try await trial.server.administer(
                    "POST", WebhookTrial.path, body: body)
                #expect(answer.status == 400)
            }
            for _ in 1...TemplateStoreLimits.webhooks { try await trial.add("https://a.b") }
            let answer = try await trial.server.administer(
                "POST", WebhookTrial.path, body: ["url": "https://a.b"])
            #expect(answer.status == 400)
            #expect(answer.error?.message.contains("20 webhooks") == true)
            let elsewhere = try await trial.server.administer(
                "POST", "/v1/projects/none/webhooks", body: ["url": "https://a.b"])
            #expect(elsewhere.status == 404)
        }
    }
}
