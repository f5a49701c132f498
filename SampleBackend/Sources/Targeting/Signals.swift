import JSONTree

/// What a client says about itself in the query of a request (HTTP 1).
///
/// All signals are optional, and a missing one makes the rules on it false: the server guesses
/// nothing, neither the country nor the language.
public struct Signals: Sendable, Hashable {
    /// The most custom signals that one request may carry.
    public static let maximumCustomCount = 100

    /// The most characters in the name of a custom signal.
    public static let maximumNameLength = 250

    /// The most characters in the value of any signal.
    public static let maximumValueLength = 500

    /// `app.id`: the application's identifier, as the stores know it.
    public var appID: String?

    /// `app.version`: the version people see, such as `1.4.2`.
    public var appVersion: String?

    /// `app.build`: the build number.
    public var appBuild: String?

    /// `device.os`: the operating system, such as `ios`.
    public var deviceOS: String?

    /// `device.country`: the region's code, such as `JP`.
    public var deviceCountry: String?

    /// `device.language`: the language's code, such as `ja` or `pt-BR`.
    public var deviceLanguage: String?

    /// `signal.<name>`: the custom signals by their name, without `signal.`.
    ///
    /// Names are compared byte by byte.
    public var custom: [ExactText: String]

    /// Makes the signals of a client that says nothing but what is given here.
    ///
    /// - Parameters:
    ///   - appID: `app.id`.
    ///   - appVersion: `app.version`.
    ///   - appBuild: `app.build`.
    ///   - deviceOS: `device.os`.
    ///   - deviceCountry: `device.country`.
    ///   - deviceLanguage: `device.language`.
    ///   - custom: The custom signals by name. The limits are checked when a request is read, not
    ///     here.
    public init(
        appID: String? = nil, appVersion: String? = nil, appBuild: String? = nil,
        deviceOS: String? = nil, deviceCountry: String? = nil, deviceLanguage: String? = nil,
        custom: [ExactText: String] = [:]
    ) {
        self.appID = appID
        self.appVersion = appVersion
        self.appBuild = appBuild
        self.deviceOS = deviceOS
        self.deviceCountry = deviceCountry
        self.deviceLanguage = deviceLanguage
        self.custom = custom
    }
}

extension Signals {
    /// A value as rules look for something in it.
    ///
    /// - Parameter value: The value of a signal.
    /// - Returns: nil when it is longer than a request can send it: the rule is unknown then, so that
    ///   its time is bounded.
    static func searchable(_ value: String) -> String? {
        value.isLonger(than: maximumValueLength) ? nil : value
    }
}
