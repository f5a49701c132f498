import Foundation
import TemplateStore

struct WebhookRecord: EtcdRecord {
    private let id: String
    private let project: String
    private let url: String
    private let secret: String
    private let creation: RecordDate
    private let creator: String
    private let topics: String
    /// The last version that the receiver knows.
    let knownVersion: Int
    /// The position of the last delivery of a version; 0 when there was none.
    let lastPublish: Int

    init(_ webhook: StoredWebhook, knownVersion: Int, lastPublish: Int) {
        id = webhook.id
        project = webhook.project
        url = webhook.url
        secret = webhook.secret
        creation = RecordDate(webhook.creationDate)
        creator = webhook.creator
        topics = webhook.topicList
        self.knownVersion = knownVersion
        self.lastPublish = lastPublish
    }

    var isInRange: Bool {
        // 0 means none.
        (knownVersion == 0 || VersionRecord.numbers.contains(knownVersion))
            && DeliveryRecord.positions.contains(max(lastPublish, 1))
    }

    var webhook: StoredWebhook {
        StoredWebhook(
            id: id, project: project, url: url, secret: secret,
            creationDate: creation.date, creator: creator,
            topics: StoredWebhook.topics(inList: topics))
    }
}

struct DeliveryRecord: EtcdRecord {
    /// The valid positions of deliveries among those of their webhook.
    static let positions = 1...9_999_999_999

    private let id: String
    private let webhookID: String
    private let event: WebhookEvent
    private let creation: RecordDate
    private let state: WebhookDelivery.State.RawValue
    private let attempts: Int
    private var statusCode: Int?
    private var error: String?
    private var nextAttempt: RecordDate?
    private var finish: RecordDate?
    /// The owner of the claim and, after a slash, the identifier of the claim.
    let claim: String?

    init(_ delivery: WebhookDelivery, claim: String?) {
        id = delivery.id
        webhookID = delivery.webhookID
        event = delivery.event
        creation = RecordDate(delivery.creationDate)
        state = delivery.state.rawValue
        attempts = delivery.attempts
        statusCode = delivery.statusCode
        error = delivery.error
        nextAttempt = delivery.nextAttemptDate.map(RecordDate.init)
        finish = delivery.finishDate.map(RecordDate.init)
        self.claim = claim
    }

    var isInRange: Bool {
        VersionRecord.numbers.contains(event.version ?? VersionRecord.numbers.lowerBound)
            && (0...1_000_000).contains(attempts)
    }

    var delivery: WebhookDelivery {
        var delivery = WebhookDelivery(
            id: id, webhookID: webhookID, event: event, creationDate: creation.date)
        delivery.state = WebhookDelivery.State(rawValue: state) ?? .failed
        delivery.attempts = attempts
        delivery.statusCode = statusCode
        delivery.error = error
        delivery.nextAttemptDate = nextAttempt?.date
        delivery.finishDate = finish?.date
        return delivery
    }
}
