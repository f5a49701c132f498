public import Foundation

/// A document that a ``ConfigurationVetting`` decides on.
public struct ConfigurationCandidate: Sendable {
    /// Where a document came from.
    ///
    /// More may be added: keep a `default` when you switch over it.
    public struct Origin: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case stored, downloaded, confirmed, superseded, pushed
        }

        private let kind: Kind

        /// Read from the store.
        public static let stored = Origin(kind: .stored)
        /// Contained in an answer of the server.
        public static let downloaded = Origin(kind: .downloaded)
        /// Unchanged according to an answer without a document (304).
        public static let confirmed = Origin(kind: .confirmed)
        /// Contained in an answer, but older than the last known document: it is not used and only
        /// has to be authentic.
        public static let superseded = Origin(kind: .superseded)
        /// Arrived without a request, such as over a stream.
        public static let pushed = Origin(kind: .pushed)

        /// The name, such as `stored`.
        public var description: String { kind.rawValue }
    }

    /// The document.
    public internal(set) var document: ConfigurationState
    /// The user whose document it is; nil is the generic user.
    public let userID: String?
    /// Where it came from.
    public let origin: Origin
    /// The user's own last document, for one that has just arrived.
    public let lastKnown: ConfigurationState?
    /// The document that the request was about; see
    /// ``ConfigurationVetting/requestBase(_:forUserID:)``.
    public let requestBase: ConfigurationState?
    /// The highest known version of the user's documents, including refused ones.
    public let newestKnownVersion: Int?
    /// The time of the decision.
    public let time: Date

    /// Creates a candidate, for tests.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - userID: The user whose document it is; nil is the generic user.
    ///   - origin: Where it came from.
    ///   - lastKnown: The user's own last document.
    ///   - requestBase: The document that the request was about.
    ///   - newestKnownVersion: The highest known version of the user's documents.
    ///   - time: The time of the decision.
    public init(
        _ document: ConfigurationState, userID: String?, origin: Origin,
        lastKnown: ConfigurationState? = nil, requestBase: ConfigurationState? = nil,
        newestKnownVersion: Int? = nil, time: Date = Date()
    ) {
        self.document = document
        self.userID = userID
        self.origin = origin
        self.lastKnown = lastKnown
        self.requestBase = requestBase
        self.newestKnownVersion = newestKnownVersion
        self.time = time
    }
}

/// A document that is, or is about to become, active for the current user.
public struct ConfigurationActivation: Sendable {
    /// The document; nil for one that comes with the app.
    public let document: ConfigurationState?
    /// The user whose document it is; nil is the generic user.
    public let userID: String?
    /// False when only some of its sections become active.
    public let isWhole: Bool

    /// Creates an activation, for tests.
    ///
    /// - Parameters:
    ///   - document: The document; nil for one that comes with the app.
    ///   - userID: The user whose document it is; nil is the generic user.
    ///   - isWhole: False when only some of its sections become active.
    public init(_ document: ConfigurationState?, userID: String?, isWhole: Bool = true) {
        self.document = document
        self.userID = userID
        self.isWhole = isWhole
    }
}
