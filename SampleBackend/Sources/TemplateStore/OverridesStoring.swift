public import Foundation

/// The part of a ``TemplateStore`` that keeps the pinned values of single users.
public protocol OverridesStoring: Sendable {
    /// Pins values for one user, or removes them; removing absent values is not a change.
    ///
    /// - Parameter change: The user, the values and the actor.
    /// - Throws: ``TemplateStoreError`` with the code `projectMissing` before the first publish, or
    ///   `tooManyOverrides`.
    func setOverrides(_ change: OverridesChange) async throws(TemplateStoreError)

    /// The values pinned for one user as JSON text; nil when there are none.
    func overrides(
        forUserID userID: String, inProject project: String
    ) async throws(TemplateStoreError) -> Data?
}

/// Values to pin for one user, or their removal.
public struct OverridesChange: Sendable, Hashable {
    /// The project's name.
    public var project: String

    /// The user's ID; any string, compared byte by byte.
    public var userID: String

    /// The values as JSON text, `{"Home": {"title": "x"}}`; nil removes them.
    public var content: Data?

    /// The time of the change.
    public var date: Date

    /// The name of the token used, for the audit trail.
    public var actor: String

    /// Creates a change.
    public init(project: String, userID: String, content: Data?, date: Date, actor: String) {
        self.project = project
        self.userID = userID
        self.content = content
        self.date = date
        self.actor = actor
    }
}
