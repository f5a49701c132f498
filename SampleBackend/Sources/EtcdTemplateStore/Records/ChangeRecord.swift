import Foundation
import TemplateStore

/// The last change of the store.
struct ChangeRecord: EtcdRecord {
    /// The valid numbers of changes; keys have room for the next one.
    private static let numbers = 1...999_999_999_999_999

    /// The number of the change, from 1 without gaps.
    let number: Int
    /// Identifies the transaction that made the change.
    let writeID: String
    private let kind: String
    private var project: String?
    private var version: Int?
    /// The ID of the user, the session or the change request.
    private var id: String?

    init(_ subject: StoreChange.Subject, number: Int, writeID: String) {
        self.number = number
        self.writeID = writeID
        switch subject {
        case .template(let project, let version):
            (kind, self.project, self.version) = ("template", project, version)
        case .overrides(let project, let userID):
            (kind, self.project, id) = ("overrides", project, userID)
        case .tokens: kind = "tokens"
        case .session(let id): (kind, self.id) = ("session", id)
        case .webhooks(let project): (kind, self.project) = ("webhooks", project)
        case .projectDetails(let project): (kind, self.project) = ("projectDetails", project)
        case .changeRequest(let project, let id):
            (kind, self.project, self.id) = ("changeRequest", project, id)
        case .project(let project): (kind, self.project) = ("project", project)
        }
    }

    var isInRange: Bool {
        Self.numbers.contains(number)
            && (0...VersionRecord.numbers.upperBound).contains(version ?? 0)
    }

    /// The subject; nil if this program does not know it.
    var subject: StoreChange.Subject? {
        switch (kind, project, version, id) {
        case ("template", let project?, let version?, _):
            .template(project: project, version: version)
        case ("overrides", let project?, _, let id?): .overrides(project: project, userID: id)
        case ("tokens", _, _, _): .tokens
        case ("session", _, _, let id?): .session(id: id)
        case ("webhooks", let project?, _, _): .webhooks(project: project)
        case ("projectDetails", let project?, _, _): .projectDetails(project: project)
        case ("changeRequest", let project?, _, let id?): .changeRequest(project: project, id: id)
        case ("project", let project?, _, _): .project(project)
        default: nil
        }
    }
}

/// An entry of the audit trail; its revision is the key's.
struct AuditRecord: EtcdRecord {
    /// Identifies the transaction that wrote the entry.
    let writeID: String
    private var project: String?
    private let date: RecordDate
    private let actor: String
    private let action: String
    private let subject: String
    private var detail: String?

    init(_ entry: AuditEntry, writeID: String) {
        self.writeID = writeID
        project = entry.project
        date = RecordDate(entry.date)
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
            date: date.date, actor: actor, action: action,
            subject: subject, detail: detail)
    }
}

struct StoreRecord: EtcdRecord {
    static let currentSchema = 8

    let schema: Int
    /// Random; identical in all copies of the cluster's data.
    let id: String
    /// True while another store is copied into this one, or after an interrupted copy.
    var isIncomplete: Bool?
}
