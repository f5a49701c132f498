/// A value of the context that rules look at.
enum Subject: Sendable, Hashable {
    /// The user's ID.
    case userID
    /// The application's identifier.
    case appID
    /// The version people see.
    case appVersion
    /// The build number.
    case appBuild
    /// The operating system.
    case deviceOS
    /// The region's code.
    case deviceCountry
    /// The language's code.
    case deviceLanguage
    /// A custom signal, by its name.
    case customSignal(ExactText)

    /// Its name in expressions.
    var name: String {
        switch self {
        case .userID: "user.id"
        case .appID: "app.id"
        case .appVersion: "app.version"
        case .appBuild: "app.build"
        case .deviceOS: "device.os"
        case .deviceCountry: "device.country"
        case .deviceLanguage: "device.language"
        case .customSignal(let key): "app.customSignal['\(key)']"
        }
    }

    /// Why there is no value, for an explanation.
    var absence: String {
        switch self {
        case .userID: "no user was given"
        case .customSignal(let key): "no signal signal.\(key) was sent"
        default: "no signal \(name) was sent"
        }
    }

    /// Looks the value up.
    ///
    /// - Parameter context: Who asks.
    /// - Returns: nil when the context has none.
    func value(in context: TargetingContext) -> String? {
        switch self {
        case .userID: context.userID
        case .appID: context.signals.appID
        case .appVersion: context.signals.appVersion
        case .appBuild: context.signals.appBuild
        case .deviceOS: context.signals.deviceOS
        case .deviceCountry: context.signals.deviceCountry
        case .deviceLanguage: context.signals.deviceLanguage
        case .customSignal(let key): context.signals.custom[key]
        }
    }

    /// Reads a version as rules on this value compare it.
    ///
    /// - Parameter text: The actual value.
    /// - Returns: nil when it is no version.
    func version(_ text: String) -> VersionNumber? {
        if case .customSignal = self {
            VersionNumber(signal: text)
        } else {
            VersionNumber(appVersion: text)
        }
    }
}
