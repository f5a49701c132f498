public import Foundation
public import Templates

/// A template to be published, and what is said about it.
public struct TemplateSubmission: Sendable, Hashable {
    /// The version that a publisher means to replace.
    public enum Expectation: Sendable, Hashable {
        /// Exactly this one; 0 means that there is none.
        case version(Int)
        /// Whatever there is.
        case any
    }

    /// The project's name.
    public var project: String

    /// The template as JSON text, without `version`.
    public var content: Data

    /// The version that is to be replaced.
    public var expectation: Expectation

    /// The time of the publish.
    public var date: Date

    /// Who publishes.
    public var user: TemplateVersion.User

    /// What the publisher says about it.
    public var description: String?

    /// The way it comes in.
    public var origin: TemplateVersion.Origin

    /// The kind of publish.
    public var updateType: TemplateVersion.UpdateType

    /// The version that is published again, of a rollback.
    public var rollbackSource: Int?

    /// Makes a submission.
    public init(
        project: String, content: Data, expectation: Expectation, date: Date,
        user: TemplateVersion.User, description: String? = nil,
        origin: TemplateVersion.Origin = .restAPI,
        updateType: TemplateVersion.UpdateType = .incrementalUpdate, rollbackSource: Int? = nil
    ) {
        self.project = project
        self.content = content
        self.expectation = expectation
        self.date = date
        self.user = user
        self.description = description
        self.origin = origin
        self.updateType = updateType
        self.rollbackSource = rollbackSource
    }
}
