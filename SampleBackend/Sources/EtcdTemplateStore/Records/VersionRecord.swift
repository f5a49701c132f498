import Foundation
import TemplateStore
import Templates

/// A version of a template; its revision is that of the key `versions/…`.
struct VersionRecord: EtcdRecord {
    /// The valid numbers of versions; keys have room for the next one.
    static let numbers = 0...Int(Int32.max) - 1

    let number: Int
    let content: ContentReference
    private let updateTime: RecordDate
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
        updateTime = RecordDate(version.updateTime)
        userName = version.updateUser.name
        userEmail = version.updateUser.email
        userImageURL = version.updateUser.imageURL
        text = version.description
        origin = version.updateOrigin.rawValue
        updateType = version.updateType.rawValue
        rollbackSource = version.sourceVersion
    }

    var isInRange: Bool { Self.numbers.contains(number) && content.isInRange }

    var version: TemplateVersion {
        TemplateVersion(
            number: number, updateTime: updateTime.date,
            updateUser: TemplateVersion.User(
                name: userName, email: userEmail, imageURL: userImageURL),
            description: text, updateOrigin: .init(rawValue: origin) ?? .unspecified,
            updateType: .init(rawValue: updateType) ?? .unspecified,
            sourceVersion: rollbackSource)
    }
}

/// A reference to a content, whose parts are `contents/{id}/{part}`.
struct ContentReference: Codable, Sendable, Hashable {
    let id: String
    /// The number of parts, at least 1.
    let parts: Int
    /// In bytes.
    let size: Int

    var isInRange: Bool { (0...9_999).contains(parts) && (0...1 << 40).contains(size) }

    /// True when a content is complete.
    func isWhole(_ content: Data, parts count: Int) -> Bool {
        count == parts && content.count == size
    }
}

/// The details of a project; their revision is the key's.
struct DetailsRecord: EtcdRecord {
    private var displayName: String?
    private var color: String?
    private var environment: String?
    /// Nil means false.
    private var archived: Bool?
    private var protection: ProjectProtection?
    /// Nil means none.
    private var intendedDifferences: IntendedDifferenceList?

    init(_ details: ProjectDetails) {
        displayName = details.displayName
        color = details.color?.rawValue
        environment = details.environment?.rawValue
        archived = details.isArchived ? true : nil
        protection = details.protection
        intendedDifferences = IntendedDifferenceList(details.intendedDifferences)
    }

    var isInRange: Bool {
        protection.map { ProjectProtection.approvals.contains($0.requiredApprovals) } ?? true
    }

    var details: ProjectDetails {
        ProjectDetails(
            displayName: displayName, color: color.flatMap(ProjectDetails.Color.init(rawValue:)),
            environment: environment.flatMap(ProjectDetails.Environment.init(rawValue:)),
            isArchived: archived ?? false, protection: protection,
            intendedDifferences: intendedDifferences?.marks ?? [])
    }
}

/// The version floor.
struct FloorRecord: EtcdRecord {
    /// All projects continue above it.
    let version: Int

    var isInRange: Bool { VersionRecord.numbers.contains(version) }
}

/// A deleted project, whose version numbers are never used again.
struct DeletedProjectRecord: EtcdRecord {
    /// The last version.
    let version: Int
    /// False while content of the project remains, which the deletion removes in steps.
    let isCleared: Bool

    var isInRange: Bool { VersionRecord.numbers.contains(version) }
}
