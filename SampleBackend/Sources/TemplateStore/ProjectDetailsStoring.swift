public import Foundation

/// The part of a ``TemplateStore`` that keeps the details by which administrators distinguish
/// projects: display name, colour and environment; the approvals that a publish needs; and what
/// differs from other projects on purpose.
///
/// Clients do not receive them. Every project has details, initially empty.
public protocol ProjectDetailsStoring: Sendable {
    /// Replaces the details of a project if the stored ones are as expected.
    ///
    /// Setting equal details is not a change. An archived project accepts only details that end
    /// its archiving.
    ///
    /// - Parameter change: The details, the expectation and the actor.
    /// - Returns: The details as they are stored.
    /// - Throws: ``TemplateStoreError`` with the code `projectMissing`, `projectDetailsMismatch` or
    ///   `projectArchived`.
    func setProjectDetails(
        _ change: ProjectDetailsChange
    ) async throws(TemplateStoreError) -> StoredProjectDetails

    /// The details of a project; nil when there is no such project.
    func projectDetails(
        ofProject project: String
    ) async throws(TemplateStoreError) -> StoredProjectDetails?
}

/// The details by which administrators distinguish projects.
public struct ProjectDetails: Sendable, Hashable {
    /// A colour of the palette; pages show it in shades for light and dark appearance.
    public enum Color: String, Sendable, Hashable, CaseIterable {
        case red = "RED"
        case orange = "ORANGE"
        case green = "GREEN"
        case teal = "TEAL"
        case blue = "BLUE"
        case purple = "PURPLE"
        case pink = "PINK"
        case gray = "GRAY"
    }

    /// The purpose of a project.
    public enum Environment: String, Sendable, Hashable, CaseIterable {
        /// Real users receive its configurations.
        case production = "PRODUCTION"
        case staging = "STAGING"
        case development = "DEVELOPMENT"
    }

    /// The name to display next to the project's name; nil displays only that name.
    public var displayName: String?

    /// The colour; nil for none.
    public var color: Color?

    /// The purpose; nil when it is not set.
    public var environment: Environment?

    /// True while the project can be read but not changed.
    public var isArchived: Bool

    /// The approvals that a publish needs; nil when it needs none.
    public var protection: ProjectProtection?

    /// What differs from other projects on purpose, at most
    /// ``IntendedDifference/maximumCount``.
    public var intendedDifferences: [IntendedDifference]

    /// Creates details; omitted ones are not set.
    public init(
        displayName: String? = nil, color: Color? = nil, environment: Environment? = nil,
        isArchived: Bool = false, protection: ProjectProtection? = nil,
        intendedDifferences: [IntendedDifference] = []
    ) {
        self.displayName = displayName
        self.color = color
        self.environment = environment
        self.isArchived = isArchived
        self.protection = protection
        self.intendedDifferences = intendedDifferences
    }
}

/// The details of a project in a store.
public struct StoredProjectDetails: Sendable, Hashable {
    /// The details.
    public let details: ProjectDetails

    /// The revision of the last change; 0 when the details were never set.
    public let revision: StoreRevision

    /// Creates stored details; without arguments, details that were never set.
    public init(_ details: ProjectDetails = ProjectDetails(), revision: StoreRevision = .zero) {
        self.details = details
        self.revision = revision
    }
}

/// Details of a project to store.
public struct ProjectDetailsChange: Sendable, Hashable {
    /// The project's name.
    public var project: String

    /// The details, which replace all earlier ones.
    public var details: ProjectDetails

    /// The revision of the details to replace; nil replaces any.
    public var expectedRevision: StoreRevision?

    /// Additional text for the audit trail.
    public var detail: String?

    /// The time of the change.
    public var date: Date

    /// The name of the token used, for the audit trail.
    public var actor: String

    /// Creates a change.
    public init(
        project: String, details: ProjectDetails, expectedRevision: StoreRevision? = nil,
        detail: String? = nil, date: Date, actor: String
    ) {
        self.project = project
        self.details = details
        self.expectedRevision = expectedRevision
        self.detail = detail
        self.date = date
        self.actor = actor
    }
}

extension ProjectDetailsChange {
    /// Checks the details to replace against the expectation, and that the project is not archived
    /// or that the change ends that.
    package func checkExpectation(
        _ current: StoredProjectDetails
    ) throws(TemplateStoreError) {
        if let expectedRevision, expectedRevision != current.revision {
            throw .projectDetailsMismatch(inProject: project)
        }
        if current.details.isArchived, details.isArchived, details != current.details {
            throw .projectArchived(project)
        }
    }
}
