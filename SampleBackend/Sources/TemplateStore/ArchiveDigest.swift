import Crypto
import Foundation
import Templates

/// A digest of a store's whole content except revisions, which depend on the engine.
package struct ArchiveDigest: Sendable, Hashable {
    /// A kind of content; the raw value is its name in reports.
    package enum Part: String, Sendable, CaseIterable {
        case projects
        case versions
        case details
        case pins
        case tokens
        case sessions
        case webhooks
        case deliveries
        case drafts
        case changeRequests
        case auditEntries
    }

    private struct Sum: Hashable {
        var count = 0
        /// The sum of the digests of all records, which is independent of their order.
        var digest = SIMD4<UInt64>()
    }

    private var sums: [Part: Sum] = [:]
    /// The UTF-8 bytes of the names.
    private var projects: Set<Data> = []

    package init() {}

    package func count(_ part: Part) -> Int {
        part == .projects ? projects.count : sums[part]?.count ?? 0
    }

    /// The parts in which another digest differs.
    package func differences(from other: ArchiveDigest) -> [Part] {
        Part.allCases.filter { part in
            part == .projects ? projects != other.projects : sums[part] != other.sums[part]
        }
    }

    package mutating func add(_ record: ArchivedRecord) {
        switch record {
        case .change(let entry, let content):
            countProject(of: entry)
            add(.auditEntries, inOrder: true) {
                $0.add(entry.project, entry.actor, entry.action.rawValue, entry.subject)
                $0.add(entry.detail)
                $0.add(entry.date)
            }
            add(content)
        case .overrides(let project, let userID, let content):
            add(.pins) {
                $0.add(project, userID)
                $0.add(content)
            }
        case .token(let token):
            add(.tokens, inOrder: true) {
                $0.add(token.id, token.name, token.role.rawValue)
                $0.add(token.projectsText, token.owner)
                $0.add(token.creator, token.identity)
                $0.add(token.mayBypass ? 1 : 0)
                $0.add(token.hash)
                $0.add(token.creationDate, token.expirationDate, token.lastUseDate)
                $0.add(token.revocationDate)
            }
        case .session(let session):
            add(.sessions) {
                $0.add(session.id, session.tokenID, session.name, session.role.rawValue)
                $0.add(session.person?.text)
                $0.add(session.hash)
                $0.add(session.creationDate, session.expirationDate)
            }
        case .webhook(let queue): add(queue)
        case .draft(let entry):
            add(.drafts) {
                $0.add(entry.draft.owner, entry.draft.project, entry.draft.tag)
                $0.add(entry.draft.baseVersion)
                $0.add(entry.draft.content)
                $0.add(entry.draft.updateTime, entry.expiryNoticeDate)
            }
        case .changeRequest(let stored):
            add(.changeRequests) {
                $0.add(stored.project, stored.id, stored.state.rawValue, stored.tag)
                $0.add(stored.deletedVersion)
                $0.add(stored.request.record)
                $0.add(stored.contents?.base)
                $0.add(stored.contents?.edited)
                $0.add(stored.updateTime, stored.expiryNoticeDate)
            }
        }
    }

    /// Counts a project that was created, in which nothing may be published, until it is deleted.
    private mutating func countProject(of entry: AuditEntry) {
        guard let name = entry.project.map({ Data($0.utf8) }) else { return }
        switch entry.action {
        case .createProject: projects.insert(name)
        case .deleteProject: projects.remove(name)
        default: break
        }
    }

    private mutating func add(_ content: ArchivedContent?) {
        switch content {
        case .template(let template):
            let version = template.version
            projects.insert(Data(template.project.utf8))
            add(.versions, inOrder: true) {
                $0.add(template.project, version.description, version.updateOrigin.rawValue)
                $0.add(version.updateType.rawValue, version.updateUser.name)
                $0.add(version.updateUser.email, version.updateUser.imageURL)
                $0.add(version.number, version.sourceVersion)
                $0.add(version.updateTime)
                $0.add(template.content)
            }
        case .details(let details, let project):
            add(.details) {
                $0.add(project, details.displayName)
                $0.add(details.color?.rawValue, details.environment?.rawValue)
                $0.add(details.isArchived ? 1 : 0)
                $0.add(details.protection?.text)
            }
        case nil: break
        }
    }

    private mutating func add(_ queue: WebhookQueue) {
        let webhook = queue.webhook
        add(.webhooks, inOrder: true) {
            $0.add(webhook.id, webhook.project, webhook.url, webhook.secret, webhook.creator)
            $0.add(webhook.topicList)
            $0.add(webhook.creationDate)
            $0.add(queue.knownVersion)
        }
        for entry in queue.entries {
            let delivery = entry.delivery
            add(.deliveries) {
                $0.add(webhook.project, webhook.id, delivery.id)
                $0.add(delivery.event.record)
                $0.add(delivery.state.rawValue, delivery.error, entry.claim)
                $0.add(delivery.attempts, delivery.statusCode)
                $0.add(delivery.creationDate, delivery.nextAttemptDate, delivery.finishDate)
            }
        }
    }

    /// Adds a record to a part; `inOrder` makes the order of the records significant.
    private mutating func add(
        _ part: Part, inOrder: Bool = false, _ fill: (inout FieldHash) -> Void
    ) {
        var sum = sums[part] ?? Sum()
        var hash = FieldHash()
        if inOrder { hash.add(sum.count) }
        fill(&hash)
        sum.count += 1
        sum.digest &+= hash.value
        sums[part] = sum
    }
}

/// A hash of fields.
///
/// Each field is hashed with its length, so that no two lists of fields collide by concatenation.
private struct FieldHash {
    private var hash = SHA256()

    var value: SIMD4<UInt64> {
        var lanes = SIMD4<UInt64>()
        for (index, byte) in hash.finalize().enumerated() {
            lanes[index / 8] = lanes[index / 8] << 8 | UInt64(byte)
        }
        return lanes
    }

    mutating func add(_ texts: String?...) {
        for text in texts { add(text.map { Data($0.utf8) }) }
    }

    mutating func add(_ numbers: Int?...) {
        for number in numbers { add(number.map { Data("\($0)".utf8) }) }
    }

    mutating func add(_ dates: Date?...) {
        for date in dates { add(date.map { Data("\($0.millisecondsSince1970)".utf8) }) }
    }

    mutating func add(_ bytes: Data?) {
        hash.update(data: Data("\(bytes.map { "\($0.count)" } ?? "nil"):".utf8))
        if let bytes { hash.update(data: bytes) }
    }
}
