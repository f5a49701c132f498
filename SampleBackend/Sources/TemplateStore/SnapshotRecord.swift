import Foundation
import JSONTree
import Templates

/// The content of a ``SnapshotFile``; dates are milliseconds since 1970.
struct SnapshotRecord: Codable {
    struct Template: SnapshotElement {
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

    struct Overrides: SnapshotElement {
        let project: String
        /// The UTF-8 bytes of the user's ID.
        let userID: Data
        let content: Data
    }

    struct Details: SnapshotElement {
        let project: String
        let revision: Int64
        let displayName: String?
        let color: String?
        let environment: String?
        /// Nil means false.
        let isArchived: Bool?
        var protection: ProjectProtection?
        /// Nil means none.
        var intendedDifferences: IntendedDifferenceList?
    }

    let date: Int64
    let mark: StoreMark?
    let revision: Int64
    let versionFloor: Int
    let templates: SnapshotElements<Template>
    let overrides: SnapshotElements<Overrides>
    let details: SnapshotElements<Details>

    init(_ kept: SnapshotFile.Kept) {
        date = kept.date.millisecondsSince1970
        mark = kept.mark
        revision = kept.snapshot.revision.number
        versionFloor = kept.snapshot.versionFloor
        templates = SnapshotElements(kept.snapshot.templates.map(Template.init))
        overrides = SnapshotElements(
            kept.snapshot.overrides.flatMap { project, users in
                users.map { Overrides(project: project, userID: $0, content: $1) }
            })
        details = SnapshotElements(
            kept.snapshot.projectDetails.map { Details(project: $0, $1) })
    }

    /// False when the revision or the version floor is out of a store's range.
    var isInRange: Bool {
        Self.revisions.contains(revision) && Self.versions.contains(versionFloor)
    }

    /// The unreadable records, such as `templates[3] (project "a")`.
    var unreadableRecords: [String] {
        templates.unreadable.map { "templates\($0)" }
            + overrides.unreadable.map { "overrides\($0)" }
            + details.unreadable.map { "details\($0)" }
    }

    fileprivate static let revisions: ClosedRange<Int64> = 0...1 << 62

    /// Limited by the number of digits in the client protocol.
    fileprivate static let versions = 0...999_999_999_999_999

    var kept: SnapshotFile.Kept {
        var pinned: [String: [Data: Data]] = [:]  // names: names of projects are ASCII
        for user in overrides.readable {
            pinned[user.project, default: [:]][user.userID] = user.content
        }
        var snapshot = TemplateStoreSnapshot(
            templates: templates.readable.map(\.stored), overrides: pinned,
            projectDetails: Dictionary(
                details.readable.map { ($0.project, $0.stored) }, uniquingKeysWith: { $1 }),
            revision: StoreRevision(revision))
        snapshot.versionFloor = versionFloor
        return SnapshotFile.Kept(
            snapshot: snapshot, date: Date(millisecondsSince1970: date), mark: mark)
    }
}

/// An element of a list in a ``SnapshotRecord``.
protocol SnapshotElement: Codable {
    /// False when a number is out of a store's range, so that its successor might not exist.
    var isInRange: Bool { get }
}

extension SnapshotElement {
    var isInRange: Bool { true }
}

/// A list whose elements are decoded one by one, so that an unreadable element loses no other.
struct SnapshotElements<Element: SnapshotElement>: Codable {
    let readable: [Element]

    /// The positions of unreadable elements, such as `[3] (project "a")`.
    let unreadable: [String]

    init(_ readable: [Element]) {
        self.readable = readable
        unreadable = []
    }

    /// An element and its project, each if it can be read.
    private struct Attempt: Decodable {
        private struct Owner: Decodable { let project: String }

        let element: Element?
        let project: String?

        init(from decoder: any Decoder) {
            let element = try? Element(from: decoder)
            self.element = element?.isInRange == true ? element : nil
            project = (try? Owner(from: decoder))?.project
        }
    }

    init(from decoder: any Decoder) throws {
        let attempts = try [Attempt](from: decoder)
        readable = attempts.compactMap(\.element)
        unreadable = attempts.enumerated().filter { $1.element == nil }.map { index, attempt in
            "[\(index)]" + (attempt.project.map { " (project \"\($0.shortened)\")" } ?? "")
        }
    }

    func encode(to encoder: any Encoder) throws { try readable.encode(to: encoder) }
}

extension SnapshotRecord.Template {
    var isInRange: Bool {
        SnapshotRecord.versions.contains(number) && SnapshotRecord.revisions.contains(revision)
    }

    init(_ stored: StoredTemplate) {
        let version = stored.version
        self.init(
            project: stored.project, revision: stored.revision.number, content: stored.content,
            number: version.number, updateTime: version.updateTime.millisecondsSince1970,
            userName: version.updateUser.name, userEmail: version.updateUser.email,
            userImageURL: version.updateUser.imageURL, text: version.description,
            origin: version.updateOrigin.rawValue, updateType: version.updateType.rawValue,
            rollbackSource: version.sourceVersion)
    }

    var stored: StoredTemplate {
        StoredTemplate(
            project: project,
            version: TemplateVersion(
                number: number, updateTime: Date(millisecondsSince1970: updateTime),
                updateUser: .init(name: userName, email: userEmail, imageURL: userImageURL),
                description: text, updateOrigin: .init(rawValue: origin) ?? .unspecified,
                updateType: .init(rawValue: updateType) ?? .unspecified,
                sourceVersion: rollbackSource),
            content: content, revision: StoreRevision(revision))
    }
}

extension SnapshotRecord.Details {
    var isInRange: Bool { SnapshotRecord.revisions.contains(revision) }

    init(project: String, _ stored: StoredProjectDetails) {
        self.init(
            project: project, revision: stored.revision.number,
            displayName: stored.details.displayName, color: stored.details.color?.rawValue,
            environment: stored.details.environment?.rawValue,
            isArchived: stored.details.isArchived ? true : nil,
            protection: stored.details.protection,
            intendedDifferences: IntendedDifferenceList(stored.details.intendedDifferences))
    }

    var stored: StoredProjectDetails {
        StoredProjectDetails(
            ProjectDetails(
                displayName: displayName, color: color.flatMap(ProjectDetails.Color.init),
                environment: environment.flatMap(ProjectDetails.Environment.init),
                isArchived: isArchived ?? false, protection: protection,
                intendedDifferences: intendedDifferences?.marks ?? []),
            revision: StoreRevision(revision))
    }
}
