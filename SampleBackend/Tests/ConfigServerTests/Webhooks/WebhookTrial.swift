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

/// A running server with webhooks, and what tests do with them.
struct WebhookTrial: Sendable {
    /// The path of the webhooks.
    static let path = "/v1/projects/default/webhooks"

    /// The server.
    let server: RunningServer

    /// Runs a server whose first version is published while a test uses it.
    ///
    /// - Parameters:
    ///   - store: Where templates are kept.
    ///   - webhooks: What the server does for webhooks.
    ///   - body: Uses the server.
    /// - Throws: What the body or the server throws.
    static func with(
        store: any TemplateStore = InMemoryTemplateStore(),
        configuration webhooks: WebhookConfiguration = .quick(),
        _ body: @Sendable (WebhookTrial) async throws -> Void
    ) async throws {
        var configuration = ConfigServerConfiguration()
        configuration.webhooks = webhooks
        try await RunningServer.with(store: store, configuration: configuration) { server in
            let trial = WebhookTrial(server: server)
            if await server.status("/activeconfig") == 404 {
                try await trial.publish("one")
            }
            try await body(trial)
        }
    }

    /// Publishes a template with one parameter, `Home.title`.
    func publish(_ title: String) async throws {
        let answer = try await server.publish([
            "parameterGroups": [
                "Home": ["parameters": ["title": ["defaultValue": ["value": .string(title)]]]],
                "Cart": ["parameters": ["limit": ["defaultValue": ["value": "3"]]]],
            ]
        ])
        #expect(answer.status == 200)
    }

    /// Makes a webhook, and gives what the server answers.
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

    /// The deliveries of a webhook, once they are in these states, newest first.
    ///
    /// The time limit of the suite ends the wait.
    func deliveries(
        of webhook: JSONNode, inStates states: [String]
    ) async throws -> [JSONNode] {
        while true {
            let found = try await deliveries(of: webhook)
            if found.map({ $0["state"]?.stringValue }) == states { return found }
            try Task.checkCancellation()
        }
    }

    /// The only delivery of a webhook, once it is no longer tried.
    ///
    /// The time limit of the suite ends the wait.
    func finishedDelivery(of webhook: JSONNode) async throws -> JSONNode {
        while true {
            let found = try #require(try await deliveries(of: webhook).first)
            if found["state"] != "PENDING" { return found }
            try Task.checkCancellation()
        }
    }

    /// The next request that a receiver gets.
    static func next(_ receiver: WebhookReceiver) async throws -> WebhookReceiver.Request {
        var iterator = receiver.requests.makeAsyncIterator()
        return try #require(await iterator.next())
    }

    /// Whether a request is signed by the secret of a webhook.
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

extension WebhookConfiguration {
    /// Makes the configuration of a server that sends to this machine and tries again at once.
    ///
    /// - Parameter change: Changes it.
    /// - Returns: The configuration.
    static func quick(_ change: (inout WebhookConfiguration) -> Void = { _ in }) -> Self {
        var configuration = WebhookConfiguration()
        configuration.allowsPrivateAddresses = true
        configuration.pollInterval = .milliseconds(5)
        configuration.timeout = .seconds(30)
        configuration.schedule.pauses = Array(repeating: 0.02, count: 9)
        change(&configuration)
        return configuration
    }
}
