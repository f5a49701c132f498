/// The reason why a store refused a change, or could not make it.
public struct TemplateStoreError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case versionMismatch, projectMissing, versionMissing, tooManyOverrides, watchLost
            case tokenExists, tooManyWebhooks, newerSchema, damaged, outOfSpace
            case filesReplaced, unavailable, draftMismatch, tooManyDrafts, projectDetailsMismatch
            case overridesMismatch, tokenNameExists, outcomeUnknown, notEmpty, incompleteCopy
            case otherStore, changesLost
        }

        private let kind: Kind

        /// The current version is not the one that the publisher expected.
        public static let versionMismatch = Code(kind: .versionMismatch)
        /// Nothing was ever published in the project.
        public static let projectMissing = Code(kind: .projectMissing)
        /// The version does not exist, or is no longer kept.
        public static let versionMissing = Code(kind: .versionMissing)
        /// The values pinned for the user are not those that were expected.
        public static let overridesMismatch = Code(kind: .overridesMismatch)
        /// Values are pinned for the most users allowed.
        public static let tooManyOverrides = Code(kind: .tooManyOverrides)
        /// The stored draft is not the one that was expected.
        public static let draftMismatch = Code(kind: .draftMismatch)
        /// The details of the project are not those that were expected.
        public static let projectDetailsMismatch = Code(kind: .projectDetailsMismatch)
        /// The administrator has the most drafts allowed.
        public static let tooManyDrafts = Code(kind: .tooManyDrafts)
        /// A token with the same identifier or hash exists.
        public static let tokenExists = Code(kind: .tokenExists)
        /// A valid token with the same name exists.
        public static let tokenNameExists = Code(kind: .tokenNameExists)
        /// The project has the most webhooks allowed.
        public static let tooManyWebhooks = Code(kind: .tooManyWebhooks)
        /// Changes may have been missed: read a snapshot.
        public static let watchLost = Code(kind: .watchLost)
        /// The content was written by a newer version of this program; it was not touched.
        public static let newerSchema = Code(kind: .newerSchema)
        /// The content cannot be read.
        public static let damaged = Code(kind: .damaged)
        /// There is no room to store the change, and nothing of it was stored.
        public static let outOfSpace = Code(kind: .outOfSpace)
        /// A store is to be filled that has content already; it was not touched.
        public static let notEmpty = Code(kind: .notEmpty)
        /// The content is that of a copy that was interrupted.
        public static let incompleteCopy = Code(kind: .incompleteCopy)
        /// The engine's files were removed, moved or replaced while they were in use: nothing more
        /// is stored until a restart.
        public static let filesReplaced = Code(kind: .filesReplaced)
        /// The store is another one than that of a ``StoreMark``.
        public static let otherStore = Code(kind: .otherStore)
        /// The store is that of a ``StoreMark`` without its change, or is not there: it was emptied, or
        /// restored from an earlier backup.
        public static let changesLost = Code(kind: .changesLost)
        /// The engine did not answer a change, which is stored already, will be, or never will be: the
        /// audit trail tells.
        public static let outcomeUnknown = Code(kind: .outcomeUnknown)
        /// The engine does not answer, or could not write.
        public static let unavailable = Code(kind: .unavailable)

        /// The code's name, such as `versionMismatch`.
        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public let code: Code

    /// One sentence with the failure and what to do.
    public let message: String

    /// The sentence for clients, who see no addresses and files, where the engine has one of its own.
    public let clientMessage: String?

    /// The current version for a `versionMismatch`; 0 when there is none.
    public let currentVersion: Int?

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

    /// The failure and what to do, with the engine's error.
    public var description: String {
        underlyingError.map { "\(message) (\($0))" } ?? message
    }
}

// Errors that every engine throws with the same text.
extension TemplateStoreError {
    package static func projectMissing(_ project: String) -> TemplateStoreError {
        TemplateStoreError(
            .projectMissing,
            "There is no project '\(project)': publish a template in it first.")
    }

    package static func versionMismatch(
        expected: Int, current: Int, inProject project: String
    ) -> TemplateStoreError {
        TemplateStoreError(
            .versionMismatch,
            "The current version of the project '\(project)' is \(current), where \(expected) was "
                + "expected: read it, make the change to it and publish again.",
            currentVersion: current)
    }

    package static func tooManyOverrides(inProject project: String) -> TemplateStoreError {
        TemplateStoreError(
            .tooManyOverrides,
            "Values are pinned for \(TemplateStoreLimits.usersWithOverrides) users of the project "
                + "'\(project)', which is the most: remove those of another user first.")
    }

    package static func tooManyWebhooks(inProject project: String) -> TemplateStoreError {
        TemplateStoreError(
            .tooManyWebhooks,
            "The project '\(project)' has \(TemplateStoreLimits.webhooks) webhooks, which is the "
                + "most: remove another one first.")
    }

    package static func draftMismatch(
        inProject project: String, isThere: Bool
    ) -> TemplateStoreError {
        TemplateStoreError(
            .draftMismatch,
            isThere
                ? "The draft in the project '\(project)' is not the one that was expected: get it, "
                    + "make the change to it and store it again."
                : "There is no draft in the project '\(project)' any more: start another one.")
    }

    package static func overridesMismatch(
        ofUser userID: String, inProject project: String
    ) -> TemplateStoreError {
        TemplateStoreError(
            .overridesMismatch,
            "The values pinned for the user '\(userID)' in the project '\(project)' are not those "
                + "that were expected: get them, make the change to them and store them again.")
    }

    package static func projectDetailsMismatch(inProject project: String) -> TemplateStoreError {
        TemplateStoreError(
            .projectDetailsMismatch,
            "The details of the project '\(project)' are not those that were expected: get them, "
                + "make the change to them and store them again.")
    }

    package static func tooManyDrafts(inProjects projects: [String]) -> TemplateStoreError {
        TemplateStoreError(
            .tooManyDrafts,
            "You have \(TemplateStoreLimits.drafts) drafts, which is the most: publish or discard "
                + "one of those in \(projects.joined(separator: ", ")).")
    }

    package static func tokenExists(id: String) -> TemplateStoreError {
        TemplateStoreError(
            .tokenExists,
            "There is a token with the identifier '\(id)' or its hash already: make another one.")
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
