import Crypto
public import Foundation
import JSONTree

/// The part of a ``TemplateStore`` that keeps the pinned values of single users.
public protocol OverridesStoring: Sendable {
    /// Pins values for one user, or removes them, if those stored are the expected ones; removing
    /// absent values is not a change.
    ///
    /// - Parameter change: The user, the values, the expectation and the actor.
    /// - Throws: ``TemplateStoreError`` with the code `projectMissing` before the first publish,
    ///   `overridesMismatch`, or `tooManyOverrides`.
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

    /// The values that are replaced, by the tag of their text.
    public var expectation: StateExpectation

    /// The time of the change.
    public var date: Date

    /// The name of the token used, for the audit trail.
    public var actor: String

    /// Creates a change; by default of whatever is pinned.
    public init(
        project: String, userID: String, content: Data?, expectation: StateExpectation = .any,
        date: Date, actor: String
    ) {
        self.project = project
        self.userID = userID
        self.content = content
        self.expectation = expectation
        self.date = date
        self.actor = actor
    }
}

extension OverridesChange {
    /// The tag of pinned values: equal texts have equal tags.
    package static func tag(of content: Data) -> String {
        Array(SHA256.hash(data: content).prefix(16)).hexadecimal
    }

    /// Checks that the values to replace are the expected ones; nil when none are pinned.
    package func checkExpectation(_ current: Data?) throws(TemplateStoreError) {
        if !expectation.isMet(byTag: current.map(Self.tag)) {
            throw .overridesMismatch(ofUser: userID, inProject: project)
        }
    }
}
