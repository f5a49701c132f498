public import Foundation

/// The decision of a ``ConfigurationVetting`` on a document.
public struct VettingVerdict: Sendable {
    enum Kind: Sendable {
        case accept(ConfigurationState?)
        case refuse(ConfigurationRefusal)
        case ignore(ConfigurationRefusal, ConfigurationState?)
    }

    let kind: Kind

    /// The reason of a document that is not used; nil for one that may become active.
    public var refusal: ConfigurationRefusal? {
        switch kind {
        case .accept: nil
        case .refuse(let refusal), .ignore(let refusal, _): refusal
        }
    }

    /// A Boolean value that indicates whether the document is not used, and is no failure.
    public var isIgnored: Bool { if case .ignore = kind { true } else { false } }

    /// The document that takes the place of the one that was asked about; nil when none does.
    public var replacement: ConfigurationState? {
        switch kind {
        case .accept(let document), .ignore(_, let document): document
        case .refuse: nil
        }
    }

    /// The document may become active.
    public static let accept = VettingVerdict(kind: .accept(nil))

    /// The document may become active, as it is given here: such as read from signed bytes.
    ///
    /// The store keeps the document that was received, which the vetting gets at the next launch. After a
    /// change that is pushed, the whole document is downloaded.
    ///
    /// - Parameter document: The document.
    /// - Returns: The verdict.
    public static func accept(_ document: ConfigurationState) -> VettingVerdict {
        VettingVerdict(kind: .accept(document))
    }

    /// The document is not used.
    ///
    /// A download that brings it fails; one in the store is as good as none. Observers hear of it.
    ///
    /// - Parameter refusal: The reason. A download throws its error, if it has one, else the refusal.
    /// - Returns: The verdict.
    public static func refuse(_ refusal: ConfigurationRefusal) -> VettingVerdict {
        VettingVerdict(kind: .refuse(refusal))
    }

    /// The document is not used, and is no failure.
    ///
    /// A download that brings it has brought nothing new. Observers hear of it.
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
