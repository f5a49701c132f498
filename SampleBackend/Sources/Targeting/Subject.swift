/// What a rule looks at.
enum Subject: Sendable, Hashable {
    case userID
    case signal(SignalName)

    /// Its name in expressions.
    var name: String {
        switch self {
        case .userID: "user.id"
        case .signal(.custom(let key)): "app.customSignal['\(key)']"
        case .signal(let signal): signal.queryName
        }
    }

    /// Why there is no value, for an explanation.
    var absence: String {
        switch self {
        case .userID: "no user was given"
        case .signal(let signal): "no signal \(signal.queryName) was sent"
        }
    }

    /// The value in a context; nil when it has none.
    func value(in context: TargetingContext) -> String? {
        switch self {
        case .userID: context.userID
        case .signal(let signal): context.signals[signal]
        }
    }

    /// Reads a version as rules on this value compare it; nil when it is none.
    func version(_ text: String) -> VersionNumber? {
        if case .signal(.custom) = self {
            VersionNumber(signal: text)
        } else {
            VersionNumber(appVersion: text)
        }
    }
}
