public import Foundation

/// The part of a ``TemplateStore`` that keeps what administrators tell projects apart by: a name to
/// show, a colour and an environment.
///
/// No client gets them. Every published project has them; at first they are empty.
public protocol ProjectDetailsStoring: Sendable {
    /// Replaces the details of a project, if the stored ones are the expected ones.
    ///
    /// Setting equal details is not a change.
    ///
    /// - Parameter change: The details, the expectation and the actor.
    /// - Returns: The details as they are stored.
    /// - Throws: ``TemplateStoreError`` with the code `projectMissing` before the first publish, or
    ///   `projectDetailsMismatch`.
    func setProjectDetails(
        _ change: ProjectDetailsChange
    ) async throws(TemplateStoreError) -> StoredProjectDetails

    /// The details of a project; nil before its first publish.
    func projectDetails(
        ofProject project: String
    ) async throws(TemplateStoreError) -> StoredProjectDetails?
}

/// The details by which administrators tell a project apart.
public struct ProjectDetails: Sendable, Hashable {
    /// A colour of the palette, which each page shows in shades for light and dark.
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
        /// Real users get its configurations.
        case production = "PRODUCTION"
        case staging = "STAGING"
        case development = "DEVELOPMENT"
    }

    /// The name to show beside the project's name; nil shows only that.
    public var displayName: String?

    /// The colour; nil for none.
    public var color: Color?

    /// The purpose; nil when it was not said.
    public var environment: Environment?

    /// Creates details; those left out are not set.
    public init(
        displayName: String? = nil, color: Color? = nil, environment: Environment? = nil
    ) {
        self.displayName = displayName
        self.color = color
        self.environment = environment
    }
}

/// The details of a project in a store.
public struct StoredProjectDetails: Sendable, Hashable {
    /// The details.
    public let details: ProjectDetails

    /// The revision of their last change; 0 when they were never set.
    public let revision: StoreRevision

    /// Creates stored details; without arguments those that were never set.
    public init(_ details: ProjectDetails = ProjectDetails(), revision: StoreRevision = .zero) {
        self.details = details
        self.revision = revision
    }
}

/// Details of a project to store.
public struct ProjectDetailsChange: Sendable, Hashable {
    /// The project's name.
    public var project: String

    /// The details, in place of all that were set before.
    public var details: ProjectDetails

    /// The revision of the details that are replaced; nil replaces any.
    public var expectedRevision: StoreRevision?

    /// The time of the change.
    public var date: Date

    /// The name of the token used, for the audit trail.
    public var actor: String

    /// Creates a change.
    public init(
        project: String, details: ProjectDetails, expectedRevision: StoreRevision? = nil,
        date: Date, actor: String
    ) {
        self.project = project
        self.details = details
        self.expectedRevision = expectedRevision
        self.date = date
        self.actor = actor
    }
}

extension ProjectDetailsChange {
    /// Checks that the details to replace are the expected ones.
    package func checkExpectation(
        _ current: StoredProjectDetails
    ) throws(TemplateStoreError) {
        if let expectedRevision, expectedRevision != current.revision {
            throw .projectDetailsMismatch(inProject: project)
        }
    }
}
