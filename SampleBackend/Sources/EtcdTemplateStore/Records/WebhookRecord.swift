import Foundation
import TemplateStore
import Templates

struct WebhookRecord: EtcdRecord {
    private let id: String
    private let project: String
    private let url: String
    private let secret: String
    private let creation: RecordDate
    private let creator: String
    /// The last version that the receiver knows.
    let knownVersion: Int

    init(_ webhook: StoredWebhook, knownVersion: Int) {
        id = webhook.id
        project = webhook.project
        url = webhook.url
        secret = webhook.secret
        creation = RecordDate(webhook.creationDate)
        creator = webhook.creator
        self.knownVersion = knownVersion
    }

    var isInRange: Bool {
        // 0 means none.
        knownVersion == 0 || VersionRecord.numbers.contains(knownVersion)
    }

    var webhook: StoredWebhook {
        StoredWebhook(
            id: id, project: project, url: url, secret: secret,
            creationDate: creation.date, creator: creator)
    }
}

struct DeliveryRecord: EtcdRecord {
    private let id: String
    private let webhookID: String
    private let version: Int
    private let updateType: String
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
        version = delivery.version
        updateType = delivery.updateType.rawValue
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
        VersionRecord.numbers.contains(version) && (0...1_000_000).contains(attempts)
    }

    var delivery: WebhookDelivery {
        var delivery = WebhookDelivery(
            id: id, webhookID: webhookID, version: version,
            updateType: .init(rawValue: updateType) ?? .unspecified,
            creationDate: creation.date)
        delivery.state = WebhookDelivery.State(rawValue: state) ?? .failed
        delivery.attempts = attempts
        delivery.statusCode = statusCode
        delivery.error = error
        delivery.nextAttemptDate = nextAttempt?.date
        delivery.finishDate = finish?.date
        return delivery
    }
}
