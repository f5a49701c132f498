import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore
import WebhookDelivery

/// The routes of API 3 for webhooks and their deliveries.
struct WebhookRoutes: Sendable {
    /// Maximum number of listed deliveries: the stored finished ones, one in flight, and a version
    /// and other events queued behind it.
    private static let maximumDeliveries =
        TemplateStoreLimits.finishedDeliveries + TemplateStoreLimits.waitingEvents + 2

    let administration: Administration

    var routes: [Route] {
        [
            Route(
                "/v1/projects/{project}/webhooks",
                [
                    .get: Endpoint(access: RoleAccess(.viewer), handler: list),
                    .post: Endpoint(access: RoleAccess(.publisher), handler: create),
                ]),
            Route(
                "/v1/projects/{project}/webhooks/{webhookID}",
                [.delete: Endpoint(access: RoleAccess(.publisher), handler: remove)]),
            .get(
                "/v1/projects/{project}/webhooks/{webhookID}/deliveries",
                access: RoleAccess(.viewer), handler: listDeliveries),
        ]
    }

    /// Lists the webhooks, oldest first, without their secrets, each with its last delivery.
    @Sendable
    private func list(_ request: RouteRequest) async throws -> RouteResponse {
        try await administration.checkExists(request.project)
        var nodes: [JSONNode] = []
        for webhook in try await webhooks(inProject: request.project) {
            var node = webhook.json
            let last = try await deliveries(of: webhook, limit: 1).first
            node.setMember("lastDelivery", last.map(\.json))
            nodes.append(node)
        }
        return .json(["webhooks": .array(nodes)])
    }

    /// Creates a webhook: `{"url": "https://…", "events": ["publish"]}`.
    @Sendable
    private func create(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.jsonBody(knows: ["url", "events"])
        guard let text = body["url"]?.stringValue else {
            throw RequestError.invalidArgument(
                "url is missing: send a string such as https://example.com/webhook.")
        }
        let topics = try body.webhookTopics
        let address = try WebhookAddress(text)
        if !administration.allowsPrivateWebhooks { try address.checkIsPublic() }
        try await administration.checkExists(request.project)
        let webhook = StoredWebhook(
            address: address, project: request.project,
            creator: request.administrator?.name ?? "", topics: topics,
            date: administration.now())
        try await administration.callStore("add_webhook", project: request.project) {
            () throws(TemplateStoreError) in
            try await administration.store.addWebhook(webhook)
        }
        var answer = webhook.json
        answer.setMember("secret", .string(webhook.secret))
        return .json(answer)
    }

    /// Removes a webhook and its deliveries.
    @Sendable
    private func remove(_ request: RouteRequest) async throws -> RouteResponse {
        let id = request.parameters["webhookID"] ?? ""
        let wasThere = try await administration.callStore(
            "remove_webhook", project: request.project
        ) { () throws(TemplateStoreError) in
            try await administration.store.removeWebhook(
                id: id, inProject: request.project, actor: request.administrator?.name ?? "",
                date: administration.now())
        }
        guard wasThere else { throw Self.unknownWebhook }
        return .json(.emptyObject)
    }

    /// Lists the deliveries, newest first.
    @Sendable
    private func listDeliveries(_ request: RouteRequest) async throws -> RouteResponse {
        let id = request.parameters["webhookID"] ?? ""
        let webhooks = try await webhooks(inProject: request.project)
        guard let webhook = webhooks.first(where: { $0.id.hasSameBytes(as: id) }) else {
            throw Self.unknownWebhook
        }
        let deliveries = try await deliveries(of: webhook, limit: Self.maximumDeliveries)
        return .json(["deliveries": .array(deliveries.map(\.json))])
    }

    private func webhooks(
        inProject project: String
    ) async throws(RequestError) -> [StoredWebhook] {
        try await administration.callStore("webhooks", project: project) {
            () throws(TemplateStoreError) in
            try await administration.store.webhooks(inProject: project)
        }
    }

    /// The newest deliveries.
    private func deliveries(
        of webhook: StoredWebhook, limit: Int
    ) async throws(RequestError) -> [WebhookDelivery] {
        try await administration.callStore("deliveries", project: webhook.project) {
            () throws(TemplateStoreError) in
            try await administration.store.deliveries(
                ofWebhook: webhook.id, inProject: webhook.project, limit: limit)
        }
    }

    private static let unknownWebhook = RequestError.notFound(
        "The project has no webhook with this identifier: list the webhooks.")
}

extension StoredWebhook {
    /// A new webhook with a random identifier and a secret of 256 random bits.
    init(
        address: WebhookAddress, project: String, creator: String,
        topics: Set<WebhookEvent.Topic>, date: Date
    ) {
        self.init(
            id: Data.random(bytes: 6).hexadecimal, project: project, url: address.text,
            secret: "whsec_" + Data.random(bytes: 32).base64URL, creationDate: date,
            creator: creator, topics: topics)
    }
}

extension JSONNode {
    /// The `events` of a new webhook; publishes when it is missing.
    fileprivate var webhookTopics: Set<WebhookEvent.Topic> {
        get throws(RequestError) {
            guard let node = self["events"] else { return [.publish] }
            var topics: Set<WebhookEvent.Topic> = []
            for name in node.arrayValue ?? [] {
                guard let text = name.stringValue, let topic = WebhookEvent.Topic(rawValue: text)
                else { throw Self.invalidTopics }
                topics.insert(topic)
            }
            guard !topics.isEmpty else { throw Self.invalidTopics }
            return topics
        }
    }

    private static var invalidTopics: RequestError {
        let names = WebhookEvent.Topic.allCases.map { "\"\($0.rawValue)\"" }
        return .invalidArgument(
            "events has to be a list of \(names.joined(separator: " and ")), with one of them at "
                + "least.")
    }
}
