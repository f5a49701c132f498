import Crypto
import Foundation
import InMemoryTemplateStore
import JSONTree
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer
@testable import HTTPServing
@testable import WebhookDelivery

/// Running server with webhooks, and operations for tests.
struct WebhookTrial: Sendable {
    static let path = "/v1/projects/default/webhooks"

    let server: RunningServer

    /// Runs a server with a published first version while a test uses it.
    static func with(
        store: any TemplateStore = InMemoryTemplateStore(),
        options webhooks: WebhookOptions = .quick(),
        _ body: @Sendable (WebhookTrial) async throws -> Void
    ) async throws {
        var options = ConfigServerOptions()
        options.webhooks = webhooks
        try await RunningServer.with(store: store, options: options) { server in
            let trial = WebhookTrial(server: server)
            if await server.status("/activeconfig") == 404 {
                try await trial.publish("one")
            }
            try await body(trial)
        }
    }

    /// Publishes a template with the parameters `Home.title` and `Cart.limit`.
    func publish(_ title: String) async throws {
        let answer = try await server.publish([
            "parameterGroups": [
                "Home": ["parameters": ["title": ["defaultValue": ["value": .string(title)]]]],
                "Cart": ["parameters": ["limit": ["defaultValue": ["value": "3"]]]],
            ]
        ])
        #expect(answer.status == 200)
    }

    /// Creates a webhook, and returns the server's answer.
    @discardableResult
    func add(_ url: String) async throws -> JSONNode {
        let answer = try await server.administer(
            "POST", Self.path, body: ["url": .string(url)])
        #expect(answer.status == 200, "\(answer)")
        return try answer.json
    }

    /// The deliveries of a webhook, newest first.
    func deliveries(of webhook: JSONNode) async throws -> [JSONNode] {
        let id = try #require(webhook["id"]?.stringValue)
        let answer = try await server.administer("GET", "\(Self.path)/\(id)/deliveries")
        return try #require(try answer.json["deliveries"]?.arrayValue)
    }

    /// Deliveries of a webhook, newest first, once they are in the given states.
    ///
    func deliveries(
        of webhook: JSONNode, inStates states: [String]
    ) async throws -> [JSONNode] {
        var found: [JSONNode] = []
        try await waitUntil {
            found = try await deliveries(of: webhook)
            return found.map { $0["state"]?.stringValue } == states
        }
        return found
    }

    /// The newest delivery of a webhook, once it is finished.
    func finishedDelivery(of webhook: JSONNode) async throws -> JSONNode {
        var found: JSONNode = [:]
        try await waitUntil {
            found = try #require(try await deliveries(of: webhook).first)
            return found["state"] != "PENDING"
        }
        return found
    }

    /// Next request that a receiver gets.
    static func next(_ receiver: WebhookReceiver) async throws -> WebhookReceiver.Request {
        var iterator = receiver.requests.makeAsyncIterator()
        return try #require(await iterator.next())
    }

    /// True if the request has a valid signature with the webhook's secret.
    static func isSigned(_ request: WebhookReceiver.Request, by webhook: JSONNode) -> Bool {
        guard let secret = webhook["secret"]?.stringValue,
            let timestamp = request.fields["activeconfig-timestamp"]
        else { return false }
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(timestamp.utf8) + [UInt8(ascii: ".")] + request.body,
            using: SymmetricKey(data: Data(secret.utf8)))
        let digits = code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return request.fields["activeconfig-signature"] == "v1=" + digits
    }
}

extension WebhookOptions {
    /// Options for receivers on this machine, with retries after 20 ms, and further changes.
    static func quick(_ change: (inout WebhookOptions) -> Void = { _ in }) -> Self {
        var options = WebhookOptions()
        options.allowsPrivateAddresses = true
        options.timeout = .seconds(60)
        options.schedule.pauses = Array(repeating: 0.02, count: 9)
        change(&options)
        return options
    }
}
