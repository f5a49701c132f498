import Foundation
import Templates

/// The content of a ``SnapshotFile``; dates are milliseconds since 1970.
struct SnapshotRecord: Codable {
    struct Template: Codable {
        let project: String
        let revision: Int64
        let content: Data
        let number: Int
        let updateTime: Int64
        let userName: String?
        let userEmail: String?
        let userImageURL: String?
        let text: String?
        let origin: String
        let updateType: String
        let rollbackSource: Int?
    }

    struct Overrides: Codable {
        let project: String
        /// The UTF-8 bytes of the user's ID.
        let userID: Data
        let content: Data
    }

    struct Details: Codable {
        let project: String
        let revision: Int64
        let displayName: String?
        let color: String?
        let environment: String?
    }

    let date: Int64
    let mark: StoreMark?
    let revision: Int64
    let templates: [Template]
    let overrides: [Overrides]
    let details: [Details]

    init(_ kept: SnapshotFile.Kept) {
        date = kept.date.millisecondsSince1970
        mark = kept.mark
        revision = kept.snapshot.revision.number
        templates = kept.snapshot.templates.map(Template.init)
        overrides = kept.snapshot.overrides.flatMap { project, users in
            users.map { Overrides(project: project, userID: $0, content: $1) }
        }
        details = kept.snapshot.projectDetails.map { Details(project: $0, $1) }
    }

    /// False when a number is beyond what a store has, so that the next one might not exist.
    var isInRange: Bool {
        (0...Self.mostChanges).contains(revision)
            && templates.allSatisfy {
                (1...Self.mostVersions).contains($0.number)
                    && (0...Self.mostChanges).contains($0.revision)
            } && details.allSatisfy { (0...Self.mostChanges).contains($0.revision) }
    }

    private static let mostChanges: Int64 = 1 << 62

    /// As many as the wire contract has digits for.
    private static let mostVersions = 999_999_999_999_999

    var kept: SnapshotFile.Kept {
        var pinned: [String: [Data: Data]] = [:]
        for user in overrides { pinned[user.project, default: [:]][user.userID] = user.content }
        return SnapshotFile.Kept(
            snapshot: TemplateStoreSnapshot(
                templates: templates.map(\.stored), overrides: pinned,
                projectDetails: Dictionary(
                    details.map { ($0.project, $0.stored) }, uniquingKeysWith: { $1 }),
                revision: StoreRevision(revision)),
            date: Date(millisecondsSince1970: date), mark: mark)
    }
}

extension SnapshotRecord.Template {
    init(_ stored: StoredTemplate) {
        let version = stored.version
        self.init(
            project: stored.project, revision: stored.revision.number, content: stored.content,
            number: version.number, updateTime: version.updateTime.millisecondsSince1970,
            userName: version.updateUser.name, userEmail: version.updateUser.email,
            userImageURL: version.updateUser.imageURL, text: version.description,
            origin: version.updateOrigin.rawValue, updateType: version.updateType.rawValue,
            rollbackSource: version.rollbackSource)
    }

    var stored: StoredTemplate {
        StoredTemplate(
            project: project,
            version: TemplateVersion(
                number: number, updateTime: Date(millisecondsSince1970: updateTime),
                updateUser: .init(name: userName, email: userEmail, imageURL: userImageURL),
                description: text, updateOrigin: .init(rawValue: origin) ?? .unspecified,
                updateType: .init(rawValue: updateType) ?? .unspecified,
                rollbackSource: rollbackSource),
            content: content, revision: StoreRevision(revision))
    }
}

extension SnapshotRecord.Details {
    init(project: String, _ stored: StoredProjectDetails) {
        self.init(
            project: project, revision: stored.revision.number,
            displayName: stored.details.displayName, color: stored.details.color?.rawValue,
            environment: stored.details.environment?.rawValue)
    }

    var stored: StoredProjectDetails {
        StoredProjectDetails(
            ProjectDetails(
                displayName: displayName, color: color.flatMap(ProjectDetails.Color.init),
                environment: environment.flatMap(ProjectDetails.Environment.init)),
            revision: StoreRevision(revision))
    }
}
