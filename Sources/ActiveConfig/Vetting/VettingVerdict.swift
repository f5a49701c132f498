public import Foundation

/// The decision of a ``ConfigurationVetting`` on a document.
public struct VettingVerdict: Sendable {
    enum Kind: Sendable {
        case accept(ConfigurationState?)
        case refuse(ConfigurationRefusal)
        case ignore(ConfigurationRefusal, ConfigurationState?)
    }

    let kind: Kind

    /// Why a document is not used; nil for one that may become active.
    public var refusal: ConfigurationRefusal? {
        switch kind {
        case .accept: nil
        case .refuse(let refusal), .ignore(let refusal, _): refusal
        }
    }

    /// A Boolean value that indicates whether the document is not used without this being a
    /// failure.
    public var isIgnored: Bool { if case .ignore = kind { true } else { false } }

    /// The document used instead; nil when there is none.
    public var replacement: ConfigurationState? {
        switch kind {
        case .accept(let document), .ignore(_, let document): document
        case .refuse: nil
        }
    }

    /// The document may become active.
    public static let accept = VettingVerdict(kind: .accept(nil))

    /// Lets a changed document become active, such as one read from signed bytes.
    ///
    /// The store keeps the document as received, and the vetting gets it again at the next launch.
    /// After a pushed change the whole document is downloaded.
    ///
    /// - Parameter document: The document.
    /// - Returns: The verdict.
    public static func accept(_ document: ConfigurationState) -> VettingVerdict {
        VettingVerdict(kind: .accept(document))
    }

    /// The document is not used.
    ///
    /// The download fails; a stored document counts as absent. Observers receive the refusal.
    ///
    /// - Parameter refusal: The reason. A download throws its underlying error if it has one, else
    ///   the refusal itself.
    /// - Returns: The verdict.
    public static func refuse(_ refusal: ConfigurationRefusal) -> VettingVerdict {
        VettingVerdict(kind: .refuse(refusal))
    }

    /// The document is not used; this is not a failure.
    ///
    /// The download ends as "not modified". Observers receive the refusal.
    ///
    /// - Parameters:
    ///   - refusal: The reason.
    ///   - replacement: The user's document to use instead of a stored one, if it is accepted in
    ///     turn.
    /// - Returns: The verdict.
    public static func ignore(
        _ refusal: ConfigurationRefusal, using replacement: ConfigurationState? = nil
    ) -> VettingVerdict {
        VettingVerdict(kind: .ignore(refusal, replacement))
    }
}

/// The reason why a document is not used; a download throws it if it has no underlying error.
public struct ConfigurationRefusal: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The reason, for logs and for the server: a sentence without a user's name.
    public let reason: String
    /// The error with which a download fails; nil for the refusal itself.
    public let underlyingError: (any Error)?

    /// Creates a refusal.
    ///
    /// - Parameters:
    ///   - reason: The reason: a sentence without a user's name.
    ///   - underlyingError: The error with which a download fails.
    public init(_ reason: String, underlyingError: (any Error)? = nil) {
        self.reason = reason
        self.underlyingError = underlyingError
    }

    /// The underlying error's description, else the reason.
    public var description: String { underlyingError.map { "\($0)" } ?? reason }

    /// The description.
    public var errorDescription: String? { description }

    /// The error with which a download fails.
    var thrown: any Error { underlyingError ?? self }
}
