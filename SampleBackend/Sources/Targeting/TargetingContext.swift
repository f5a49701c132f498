public import Foundation

/// The values that conditions can test: the user, the signals and the time.
public struct TargetingContext: Sendable, Hashable {
    /// The user's ID; nil means the generic user, for whom rules on the user and `percent` are
    /// unknown.
    public var userID: String?

    /// The signals that the client sent.
    public var signals: Signals

    /// The value of `dateTime`.
    public var date: Date

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - userID: The user's ID; nil means the generic user.
    ///   - signals: The signals that the client sent.
    ///   - date: The value of `dateTime`.
    public init(userID: String?, signals: Signals = Signals(), date: Date) {
        self.userID = userID
        self.signals = signals
        self.date = date
    }
}

/// The value that a rule tests.
enum Subject: Sendable, Hashable {
    case userID
    case signal(SignalName)

    var name: String {
        switch self {
        case .userID: "user.id"
        case .signal(.custom(let key)): "app.customSignal['\(key)']"
        case .signal(let signal): signal.queryName
        }
    }

    /// The reason for a missing value, for an explanation.
    var absence: String {
        switch self {
        case .userID: "no user was given"
        case .signal(let signal): "no signal \(signal.queryName) was sent"
        }
    }

    /// The value in a context; nil when it is missing.
    func value(in context: TargetingContext) -> String? {
        switch self {
        case .userID: context.userID
        case .signal(let signal): context.signals[signal]
        }
    }

    /// Parses a version in the way that rules on this value compare it; nil when it is not a
    /// version.
    func version(_ text: String) -> VersionNumber? {
        if case .signal(.custom) = self {
            VersionNumber(signal: text)
        } else {
            VersionNumber(appVersion: text)
        }
    }
}
