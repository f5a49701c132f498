import JSONTree

/// A type that says which limit a signal exceeds (HTTP 1).
public struct SignalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of excess.
    enum Reason: Sendable, Hashable {
        /// The value is too long.
        case tooLong
        /// The name is too long.
        case nameTooLong
        /// There is no name behind `signal.`.
        case noName
        /// There are too many custom signals.
        case tooMany
    }

    /// The signal's name as it was given.
    public let name: String

    /// The kind of excess.
    let reason: Reason

    /// The limit.
    let limit: Int

    /// What is wrong and what to do, one sentence.
    public var description: String { message(for: "signal") }

    /// What is wrong and what to do, one sentence.
    ///
    /// - Parameter thing: What the name is called, such as "query parameter".
    /// - Returns: The sentence.
    package func message(for thing: String) -> String {
        let shown = "\"\(name.shortened)\""
        return switch reason {
        case .tooLong:
            "The value of the \(thing) \(shown) is too long: send at most \(limit) characters."
        case .nameTooLong:
            "The name of the \(thing) \(shown) is too long: use at most \(limit) characters after "
                + "\"signal.\"."
        case .noName: "The \(thing) \(shown) names no signal: put the name after the dot."
        case .tooMany:
            "The \(thing) \(shown) is one custom signal too many: send at most \(limit)."
        }
    }
}
