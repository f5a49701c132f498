/// The reason why a store refused a change or failed to make it.
public struct TemplateStoreError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case versionMismatch, projectMissing, versionMissing, tooManyOverrides, watchLost
            case tokenExists, tooManyWebhooks, otherSchema, damaged, outOfSpace, readOnly
            case filesReplaced, unavailable, draftMismatch, tooManyDrafts, projectDetailsMismatch
            case overridesMismatch, tokenNameExists, outcomeUnknown, notEmpty, incompleteCopy
            case otherStore, changesLost, projectExists, projectArchived, projectNotArchived
            case changeRequestMismatch, changeRequestEnded, tooManyChangeRequests
            case changeRequestTooLarge, approvalRequired
        }

        private let kind: Kind

        /// The current version is not the one that the publisher expected.
        public static let versionMismatch = Code(kind: .versionMismatch)
        /// There is no such project: it was not created, and nothing was published in it.
        public static let projectMissing = Code(kind: .projectMissing)
        /// The project to create exists already.
        public static let projectExists = Code(kind: .projectExists)
        /// The project is archived, so it can only be read.
        public static let projectArchived = Code(kind: .projectArchived)
        /// The project to delete is not archived.
        public static let projectNotArchived = Code(kind: .projectNotArchived)
        /// The version does not exist, or is no longer kept.
        public static let versionMissing = Code(kind: .versionMissing)
        /// The user's pinned values are not as expected.
        public static let overridesMismatch = Code(kind: .overridesMismatch)
        /// The maximum number of users has pinned values.
        public static let tooManyOverrides = Code(kind: .tooManyOverrides)
        /// The stored draft is not as expected.
        public static let draftMismatch = Code(kind: .draftMismatch)
        /// The details of the project are not as expected.
        public static let projectDetailsMismatch = Code(kind: .projectDetailsMismatch)
        /// The administrator has the maximum number of drafts.
        public static let tooManyDrafts = Code(kind: .tooManyDrafts)
        /// The stored change request is not as expected.
        public static let changeRequestMismatch = Code(kind: .changeRequestMismatch)
        /// The change request is published, closed or expired.
        public static let changeRequestEnded = Code(kind: .changeRequestEnded)
        /// The project has the maximum number of open change requests.
        public static let tooManyChangeRequests = Code(kind: .tooManyChangeRequests)
        /// The project is protected, and approvals of the publish are missing.
        public static let approvalRequired = Code(kind: .approvalRequired)
        /// The comments and votes of the change request take more space than it may.
        public static let changeRequestTooLarge = Code(kind: .changeRequestTooLarge)
        /// A token with the same identifier or hash exists.
        public static let tokenExists = Code(kind: .tokenExists)
        /// A valid token with the same name exists.
        public static let tokenNameExists = Code(kind: .tokenNameExists)
        /// The project has the maximum number of webhooks.
        public static let tooManyWebhooks = Code(kind: .tooManyWebhooks)
        /// Changes may have been missed: read a snapshot.
        public static let watchLost = Code(kind: .watchLost)
        /// The content was written by another version of this program; it is unchanged.
        public static let otherSchema = Code(kind: .otherSchema)
        /// The content cannot be read.
        public static let damaged = Code(kind: .damaged)
        /// There is no space for the change; nothing of it was stored.
        public static let outOfSpace = Code(kind: .outOfSpace)
        /// The content can be read but not written; nothing of the change was stored.
        public static let readOnly = Code(kind: .readOnly)
        /// The store to fill has content already; it is unchanged.
        public static let notEmpty = Code(kind: .notEmpty)
        /// The content is the result of an interrupted copy.
        public static let incompleteCopy = Code(kind: .incompleteCopy)
        /// The engine's files were removed, moved or replaced while in use.
        ///
        /// Nothing is stored until a restart.
        public static let filesReplaced = Code(kind: .filesReplaced)
        /// The store is not that of the ``StoreMark``.
        public static let otherStore = Code(kind: .otherStore)
        /// The store is that of the ``StoreMark`` but lacks its change, or does not exist: it was
        /// emptied, or restored from an earlier backup.
        public static let changesLost = Code(kind: .changesLost)
        /// The engine did not confirm a change.
        ///
        /// It may be stored already, be stored later, or never be stored: check the audit trail.
        public static let outcomeUnknown = Code(kind: .outcomeUnknown)
        /// The engine does not respond, or could not write.
        public static let unavailable = Code(kind: .unavailable)

        /// The code's name, such as `versionMismatch`.
        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public let code: Code

    /// One sentence with the failure and what to do.
    public let message: String

    /// The sentence for clients, without addresses and files, if the engine provides one.
    public let clientMessage: String?

    /// The current version for a `versionMismatch`; 0 when there is none.
    public let currentVersion: Int?

    /// The number of approvals that an `approvalRequired` still needs; 0 when requested changes
    /// alone prevent the publish.
    public internal(set) var missingApprovals: Int?

    /// The engine's error.
    public let underlyingError: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, clientMessage: String? = nil, currentVersion: Int? = nil,
        underlyingError: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.clientMessage = clientMessage
        self.currentVersion = currentVersion
        self.underlyingError = underlyingError
    }

    /// The failure and what to do, followed by the engine's error.
    public var description: String {
        underlyingError.map { "\(message) (\($0))" } ?? message
    }
}

// Errors that all engines throw with the same text.
extension TemplateStoreError {
    package static func projectMissing(_ project: String) -> TemplateStoreError {
        TemplateStoreError(
            .projectMissing,
            "There is no project '\(project)': create it, or publish a template in it.")
    }

    package static func projectExists(_ project: String) -> TemplateStoreError {
        TemplateStoreError(
            .projectExists, "The project '\(project)' exists already: choose another name.")
    }

    package static func projectArchived(_ project: String) -> TemplateStoreError {
        TemplateStoreError(
            .projectArchived,
            "The project '\(project)' is archived, so it cannot be changed: unarchive it "
                + "first.")
    }

    package static func projectNotArchived(_ project: String) -> TemplateStoreError {
        TemplateStoreError(
            .projectNotArchived,
            "The project '\(project)' is not archived: only archived projects can be deleted, so "
                + "archive it first.")
    }

    package static func versionMismatch(
        expected: Int, current: Int, inProject project: String
    ) -> TemplateStoreError {
        TemplateStoreError(
            .versionMismatch,
            "The current version of the project '\(project)' is \(current), but \(expected) was "
                + "expected: get it, apply the change to it and publish again.",
            currentVersion: current)
    }

    package static func tooManyOverrides(inProject project: String) -> TemplateStoreError {
        TemplateStoreError(
            .tooManyOverrides,
            "Values are pinned for \(TemplateStoreLimits.usersWithOverrides) users of the project "
                + "'\(project)', which is the maximum: remove those of another user first.")
    }

    package static func tooManyWebhooks(inProject project: String) -> TemplateStoreError {
        TemplateStoreError(
            .tooManyWebhooks,
            "The project '\(project)' has \(TemplateStoreLimits.webhooks) webhooks, which is the "
                + "maximum: remove another one first.")
    }

    package static func draftMismatch(
        inProject project: String, isThere: Bool
    ) -> TemplateStoreError {
        TemplateStoreError(
            .draftMismatch,
            isThere
                ? "The draft in the project '\(project)' is not the expected one: get it, "
                    + "apply the change to it and store it again."
                : "The project '\(project)' no longer has a draft: start another one.")
    }

    package static func overridesMismatch(
        ofUser userID: String, inProject project: String
    ) -> TemplateStoreError {
        TemplateStoreError(
            .overridesMismatch,
            "The values pinned for the user '\(userID)' in the project '\(project)' are not those "
                + "that were expected: get them, apply the change to them and store them again.")
    }

    package static func projectDetailsMismatch(inProject project: String) -> TemplateStoreError {
        TemplateStoreError(
            .projectDetailsMismatch,
            "The details of the project '\(project)' are not those that were expected: get them, "
                + "apply the change to them and store them again.")
    }

    package static func tooManyDrafts(inProjects projects: [String]) -> TemplateStoreError {
        TemplateStoreError(
            .tooManyDrafts,
            "You have \(TemplateStoreLimits.drafts) drafts, which is the maximum: publish or "
                + "discard one of those in \(projects.joined(separator: ", ")).")
    }

    package static func tokenExists(id: String) -> TemplateStoreError {
        TemplateStoreError(
            .tokenExists,
            "A token with the identifier '\(id)' or its hash exists already: create another one.")
    }

    package static func tokenNameExists(_ name: String) -> TemplateStoreError {
        TemplateStoreError(
            .tokenNameExists,
            "A token named \"\(name)\" already exists: choose a name that the audit trail can tell "
                + "apart.")
    }

    package static var closed: TemplateStoreError {
        TemplateStoreError(.unavailable, "The store is closed: open it again.")
    }
}
