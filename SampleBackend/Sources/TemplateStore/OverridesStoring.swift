import Crypto
public import Foundation
import JSONTree

/// The part of a ``TemplateStore`` that keeps users' pinned values.
public protocol OverridesStoring: Sendable {
    /// Pins values for a user, or removes them, if the stored values are as expected.
    ///
    /// Removing absent values is not a change.
    ///
    /// - Parameter change: The user, the values, the expectation and the actor.
    /// - Throws: ``TemplateStoreError`` with the code `projectMissing`, `projectArchived`,
    ///   `overridesMismatch` or `tooManyOverrides`.
    func setOverrides(_ change: OverridesChange) async throws(TemplateStoreError)

    /// The pinned values of a user as JSON text; nil when there are none.
    func overrides(
        forUserID userID: String, inProject project: String
    ) async throws(TemplateStoreError) -> Data?
}

/// Values to pin for a user, or their removal.
public struct OverridesChange: Sendable, Hashable {
    /// The project's name.
    public var project: String

    /// The user's ID; any string, compared byte by byte.
    public var userID: String

    /// The values as JSON text, `{"Home": {"title": "x"}}`; nil removes them.
    public var content: Data?

    /// The values to replace, identified by the tag of their text.
    public var expectation: StateExpectation

    /// The time of the change.
    public var date: Date

    /// The name of the token used, for the audit trail.
    public var actor: String

    /// Creates a change, by default of any pinned values.
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
    /// The tag of pinned values; equal texts have equal tags.
    package static func tag(of content: Data) -> String {
        Array(SHA256.hash(data: content).prefix(16)).hexadecimal
    }

    /// Checks the values to replace against the expectation; `current` is nil when none are pinned.
    package func checkExpectation(_ current: Data?) throws(TemplateStoreError) {
        if !expectation.isMet(byTag: current.map(Self.tag)) {
            throw .overridesMismatch(ofUser: userID, inProject: project)
        }
    }
}
