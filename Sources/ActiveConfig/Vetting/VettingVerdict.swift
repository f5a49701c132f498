public import Foundation

/// The decision of a ``ConfigurationVetting`` on a document.
public struct VettingVerdict: Sendable {
    enum Kind: Sendable {
        case accept(ConfigurationState?)
        case refuse(ConfigurationRefusal)
        case ignore(ConfigurationRefusal, ConfigurationState?)
    }

    let kind: Kind

    /// The document may become active.
    public static let accept = VettingVerdict(kind: .accept(nil))

    /// The document may become active, as it is given here: such as read from signed bytes.
    ///
    /// - Parameter document: The document.
    /// - Returns: The verdict.
    public static func accept(_ document: ConfigurationState) -> VettingVerdict {
        VettingVerdict(kind: .accept(document))
    }

    /// The document is not used.
    ///
    /// A download that brings it fails; one in the store is as good as none.
    ///
    /// - Parameter refusal: The reason. A download throws its error, if it has one, else the refusal.
    /// - Returns: The verdict.
    public static func refuse(_ refusal: ConfigurationRefusal) -> VettingVerdict {
        VettingVerdict(kind: .refuse(refusal))
    }

    /// The document is not used, and is no failure.
    ///
    /// A download that brings it has brought nothing new.
    ///
    /// - Parameters:
    ///   - refusal: The reason.
    ///   - replacement: The user's document that is used instead of one in the store, if it is accepted in
    ///     turn.
    /// - Returns: The verdict.
    public static func ignore(
        _ refusal: ConfigurationRefusal, using replacement: ConfigurationState? = nil
    ) -> VettingVerdict {
        VettingVerdict(kind: .ignore(refusal, replacement))
    }
}

/// The reason why a document is not used.
public struct ConfigurationRefusal: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The reason, for logs and for the server: a sentence, in which no user is named.
    public let reason: String
    /// The error with which a download fails; nil for the refusal itself.
    public let underlyingError: (any Error)?

    /// Creates a refusal.
    ///
    /// - Parameters:
    ///   - reason: The reason: a sentence, in which no user is named.
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
