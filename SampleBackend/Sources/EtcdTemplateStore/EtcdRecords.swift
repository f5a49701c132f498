import Foundation
import TemplateStore
import Templates

/// A value in etcd, as JSON text; dates are milliseconds since 1970.
protocol EtcdRecord: Codable, Sendable {}

extension EtcdRecord {
    init(decoding keyValue: EtcdKeyValue) throws(TemplateStoreError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: keyValue.value)
        } catch {
            throw .damagedRecord(keyValue.key, error)
        }
    }

    func encoded() throws(TemplateStoreError) -> Data {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self)
        } catch {
            throw TemplateStoreError(
                .unavailable, "A record for etcd cannot be written.", underlyingError: error)
        }
    }
}

struct StoreRecord: EtcdRecord {
    static let currentSchema = 1

    let schema: Int
    /// Random; the same in all copies of the cluster's data.
    let id: String
    /// True while another store is copied into this one, or after that was interrupted.
    var isIncomplete: Bool?
}

/// The last change of the store.
struct ChangeRecord: EtcdRecord {
    /// The number of the change, from 1 without gaps.
    let number: Int
    private let kind: String
    private var project: String?
    private var version: Int?
    /// The user's ID, or that of the session.
    private var id: String?

    init(_ subject: StoreChange.Subject, number: Int) {
        self.number = number
        switch subject {
        case .template(let project, let version):
            (kind, self.project, self.version) = ("template", project, version)
        case .overrides(let project, let userID):
            (kind, self.project, id) = ("overrides", project, userID)
        case .tokens: kind = "tokens"
        case .session(let id): (kind, self.id) = ("session", id)
        case .webhooks(let project): (kind, self.project) = ("webhooks", project)
        case .projectDetails(let project): (kind, self.project) = ("projectDetails", project)
        }
    }

    /// The subject; nil for one that this program does not know.
    var subject: StoreChange.Subject? {
        switch (kind, project, version, id) {
        case ("template", let project?, let version?, _):
            .template(project: project, version: version)
        case ("overrides", let project?, _, let id?): .overrides(project: project, userID: id)
        case ("tokens", _, _, _): .tokens
        case ("session", _, _, let id?): .session(id: id)
        case ("webhooks", let project?, _, _): .webhooks(project: project)
        case ("projectDetails", let project?, _, _): .projectDetails(project: project)
        default: nil
        }
    }
}

/// An entry of the audit trail; its revision is that of the key.
struct AuditRecord: EtcdRecord {
    /// Identifies the transaction that wrote it.
    let writeID: String
    private var project: String?
    private let date: Int64
    private let actor: String
    private let action: String
    private let subject: String
    private var detail: String?

    init(_ entry: AuditEntry, writeID: String) {
        self.writeID = writeID
        project = entry.project
        date = entry.date.millisecondsSince1970
        actor = entry.actor
        action = entry.action.rawValue
        subject = entry.subject
        detail = entry.detail
    }

    /// The entry; nil when this program does not know the action.
    func entry(at revision: Int64) -> AuditEntry? {
        guard let action = AuditEntry.Action(rawValue: action) else { return nil }
        return AuditEntry(
            revision: StoreRevision(revision), project: project,
            date: Date(millisecondsSince1970: date), actor: actor, action: action,
            subject: subject, detail: detail)
    }
}

/// The place of a content, whose parts are `contents/{id}/{part}`.
struct ContentReference: Codable, Sendable, Hashable {
    let id: String
    /// The number of parts, from 1.
    let parts: Int
    /// In bytes.
    let size: Int
}

/// A version of a template; its revision is that of the key `versions/…`.
struct VersionRecord: EtcdRecord {
    let number: Int
    let content: ContentReference
    private let updateTime: Int64
    private var userName: String?
    private var userEmail: String?
    private var userImageURL: String?
    private var text: String?
    private let origin: String
    private let updateType: String
    private var rollbackSource: Int?

    init(_ version: TemplateVersion, content: ContentReference) {
        number = version.number
        self.content = content
        updateTime = version.updateTime.millisecondsSince1970
        userName = version.updateUser.name
        userEmail = version.updateUser.email
        userImageURL = version.updateUser.imageURL
        text = version.description
        origin = version.updateOrigin.rawValue
        updateType = version.updateType.rawValue
        rollbackSource = version.rollbackSource
    }

    var version: TemplateVersion {
        TemplateVersion(
            number: number, updateTime: Date(millisecondsSince1970: updateTime),
            updateUser: TemplateVersion.User(
                name: userName, email: userEmail, imageURL: userImageURL),
            description: text, updateOrigin: .init(rawValue: origin) ?? .unspecified,
            updateType: .init(rawValue: updateType) ?? .unspecified,
            rollbackSource: rollbackSource)
    }
}

/// The details of a project; their revision is that of the key.
struct DetailsRecord: EtcdRecord {
    private var displayName: String?
    private var color: String?
    private var environment: String?

    init(_ details: ProjectDetails) {
        displayName = details.displayName
        color = details.color?.rawValue
        environment = details.environment?.rawValue
    }

    var details: ProjectDetails {
        ProjectDetails(
            displayName: displayName, color: color.flatMap(ProjectDetails.Color.init(rawValue:)),
            environment: environment.flatMap(ProjectDetails.Environment.init(rawValue:)))
    }
}

/// The values pinned for a user: a short text itself, or the place of a long one.
struct OverridesRecord: EtcdRecord {
    var text: Data?
    var reference: ContentReference?
    let tag: String
}

struct DraftRecord: EtcdRecord {
    let owner: String
    let project: String
    let baseVersion: Int
    let tag: String
    let updateTime: Int64
    let content: ContentReference
    /// When the draft was found expired.
    var expiryNotice: Int64?

    init(_ draft: StoredDraft, content: ContentReference) {
        owner = draft.owner
        project = draft.project
        baseVersion = draft.baseVersion
        tag = draft.tag
        updateTime = draft.updateTime.millisecondsSince1970
        self.content = content
    }

    func draft(content: Data) -> StoredDraft {
        StoredDraft(
            owner: owner, project: project, baseVersion: baseVersion, content: content, tag: tag,
            updateTime: Date(millisecondsSince1970: updateTime))
    }
}

struct TokenRecord: EtcdRecord {
    let id: String
    private let name: String
    private let role: StoredToken.Role.RawValue
    private let hash: Data
    private let creation: Int64
    private var expiration: Int64?
    private var revocation: Int64?

    init(_ token: StoredToken) {
        id = token.id
        name = token.name
        role = token.role.rawValue
        hash = token.hash
        creation = token.creationDate.millisecondsSince1970
        expiration = token.expirationDate?.millisecondsSince1970
        revocation = token.revocationDate?.millisecondsSince1970
    }

    /// The token with its last use, in milliseconds since 1970; nil when this program does not know
    /// the role.
    func token(lastUse: Int64?) -> StoredToken? {
        guard let role = StoredToken.Role(rawValue: role) else { return nil }
        return StoredToken(
            id: id, name: name, role: role, hash: hash,
            creationDate: Date(millisecondsSince1970: creation),
            expirationDate: expiration.map(Date.init(millisecondsSince1970:)),
            lastUseDate: lastUse.map(Date.init(millisecondsSince1970:)),
            revocationDate: revocation.map(Date.init(millisecondsSince1970:)))
    }
}

/// The last uses of tokens by their identifiers, in milliseconds since 1970.
struct UsesRecord: EtcdRecord {
    var dates: [String: Int64] = [:]
}

struct SessionRecord: EtcdRecord {
    private let id: String
    private let tokenID: String
    private let name: String
    private let role: StoredToken.Role.RawValue
    private let hash: Data
    private let creation: Int64
    private let expiration: Int64

    init(_ session: StoredSession) {
        id = session.id
        tokenID = session.tokenID
        name = session.name
        role = session.role.rawValue
        hash = session.hash
        creation = session.creationDate.millisecondsSince1970
        expiration = session.expirationDate.millisecondsSince1970
    }

    /// The session; nil when this program does not know the role.
    var session: StoredSession? {
        guard let role = StoredToken.Role(rawValue: role) else { return nil }
        return StoredSession(
            id: id, tokenID: tokenID, name: name, role: role, hash: hash,
            creationDate: Date(millisecondsSince1970: creation),
            expirationDate: Date(millisecondsSince1970: expiration))
    }
}

struct WebhookRecord: EtcdRecord {
    private let id: String
    private let project: String
    private let url: String
    private let secret: String
    private let creation: Int64
    private let creator: String
    /// The last version that the receiver knows.
    let knownVersion: Int

    init(_ webhook: StoredWebhook, knownVersion: Int) {
        id = webhook.id
        project = webhook.project
        url = webhook.url
        secret = webhook.secret
        creation = webhook.creationDate.millisecondsSince1970
        creator = webhook.creator
        self.knownVersion = knownVersion
    }

    var webhook: StoredWebhook {
        StoredWebhook(
            id: id, project: project, url: url, secret: secret,
            creationDate: Date(millisecondsSince1970: creation), creator: creator)
    }
}

struct DeliveryRecord: EtcdRecord {
    private let id: String
    private let webhookID: String
    private let version: Int
    private let updateType: String
    private let creation: Int64
    private let state: WebhookDelivery.State.RawValue
    private let attempts: Int
    private var statusCode: Int?
    private var error: String?
    private var nextAttempt: Int64?
    private var finish: Int64?
    /// The owner that has claimed it, with the identifier of the claim after a slash.
    let claim: String?

    init(_ delivery: WebhookDelivery, claim: String?) {
        id = delivery.id
        webhookID = delivery.webhookID
        version = delivery.version
        updateType = delivery.updateType.rawValue
        creation = delivery.creationDate.millisecondsSince1970
        state = delivery.state.rawValue
        attempts = delivery.attempts
        statusCode = delivery.statusCode
        error = delivery.error
        nextAttempt = delivery.nextAttemptDate?.millisecondsSince1970
        finish = delivery.finishDate?.millisecondsSince1970
        self.claim = claim
    }

    var delivery: WebhookDelivery {
        var delivery = WebhookDelivery(
            id: id, webhookID: webhookID, version: version,
            updateType: .init(rawValue: updateType) ?? .unspecified,
            creationDate: Date(millisecondsSince1970: creation))
        delivery.state = WebhookDelivery.State(rawValue: state) ?? .failed
        delivery.attempts = attempts
        delivery.statusCode = statusCode
        delivery.error = error
        delivery.nextAttemptDate = nextAttempt.map(Date.init(millisecondsSince1970:))
        delivery.finishDate = finish.map(Date.init(millisecondsSince1970:))
        return delivery
    }
}

/// The alarms of a cluster.
struct EtcdAlarms: EtcdAnswer {
    struct Alarm: Decodable, Sendable {
        /// `NOSPACE` or `CORRUPT`.
        let alarm: String?
    }

    let alarms: [Alarm]

    private enum CodingKeys: String, CodingKey {
        case alarms
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        alarms = try container.decodeIfPresent([Alarm].self, forKey: .alarms) ?? []
    }
}
