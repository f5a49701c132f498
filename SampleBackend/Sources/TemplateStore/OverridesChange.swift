public import Foundation

/// Values to pin for one user.
public struct OverridesChange: Sendable, Hashable {
    /// The project's name.
    public var project: String

    /// The user's ID; any string, compared byte by byte.
    public var userID: String

    /// The values as JSON text, `{"Home": {"title": "x"}}`; nil removes them.
    public var content: Data?

    /// The time of the change.
    public var date: Date

    /// Who says so, for the audit trail.
    public var actor: String

    /// Makes a change.
    public init(project: String, userID: String, content: Data?, date: Date, actor: String) {
        self.project = project
        self.userID = userID
        self.content = content
        self.date = date
        self.actor = actor
    }
}
