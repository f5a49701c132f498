public import JSONTree

/// The signals of a client, from the query of its request (PROTOCOL 1).
///
/// All signals are optional. A missing signal makes the rules on it unknown: the server does not
/// guess values, such as a country or a language.
public struct Signals: Sendable, Hashable {
    /// Maximum number of custom signals in one request.
    public static let maximumCustomCount = 100

    /// Maximum length of a custom signal's name, in Unicode scalars.
    public static let maximumNameLength = 250

    /// Maximum length of a signal's value, in Unicode scalars.
    public static let maximumValueLength = 500

    /// `app.id`: the application's identifier in the app stores.
    public var appID: String?

    /// `app.version`: the version that users see, such as `1.4.2`.
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
    public var custom: CustomSignals

    /// Creates signals; omitted ones count as not sent.
    ///
    /// - Parameters:
    ///   - appID: `app.id`.
    ///   - appVersion: `app.version`.
    ///   - appBuild: `app.build`.
    ///   - deviceOS: `device.os`.
    ///   - deviceCountry: `device.country`.
    ///   - deviceLanguage: `device.language`.
    ///   - custom: The custom signals by name. Their limits are checked when a request is read, not
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
        self.custom = CustomSignals(custom)
    }
}

extension Signals {
    /// The value of a signal; nil when it was not sent.
    package subscript(name: SignalName) -> String? {
        get {
            switch name {
            case .appID: appID
            case .appVersion: appVersion
            case .appBuild: appBuild
            case .deviceOS: deviceOS
            case .deviceCountry: deviceCountry
            case .deviceLanguage: deviceLanguage
            case .custom(let name): custom[name]
            }
        }
        set {
            switch name {
            case .appID: appID = newValue
            case .appVersion: appVersion = newValue
            case .appBuild: appBuild = newValue
            case .deviceOS: deviceOS = newValue
            case .deviceCountry: deviceCountry = newValue
            case .deviceLanguage: deviceLanguage = newValue
            case .custom(let name): custom[name] = newValue
            }
        }
    }

    /// Sets the signal of a name and checks its limits (PROTOCOL 1).
    ///
    /// If a name is set twice, the last value wins.
    ///
    /// - Parameters:
    ///   - value: The value, at most ``maximumValueLength`` Unicode scalars.
    ///   - name: A name that ``SignalName/init(_:)`` accepts.
    /// - Throws: ``SignalError`` with the limit.
    public mutating func setValue(_ value: String, named name: String) throws(SignalError) {
        try setValue(value, of: SignalName(name), named: name)
    }

    /// As ``setValue(_:named:)``; nil is a name that is none.
    package mutating func setValue(
        _ value: String, of signal: SignalName?, named name: String
    ) throws(SignalError) {
        guard !value.isLonger(than: Self.maximumValueLength) else {
            throw SignalError(name: name, reason: .valueTooLong)
        }
        guard let signal else { throw SignalError(name: name, reason: .noName) }
        if case .custom(let custom) = signal {
            guard !custom.text.isEmpty else { throw SignalError(name: name, reason: .noName) }
            guard !custom.text.isLonger(than: Self.maximumNameLength) else {
                throw SignalError(name: name, reason: .nameTooLong)
            }
        }
        self[signal] = value
        guard custom.count <= Self.maximumCustomCount else {
            throw SignalError(name: name, reason: .tooMany)
        }
    }

    /// Reads the signals in a JSON object, such as `{"device.os": "ios", "plan": "gold"}`, and
    /// checks their limits (PROTOCOL 1).
    ///
    /// A Boolean becomes its text, a number its JavaScript text (`5.0` is "5"); null, arrays and
    /// objects are ignored.
    ///
    /// - Throws: ``SignalError`` with the limit.
    package init(
        members: some Sequence<(key: String, value: JSONNode)>
    ) throws(SignalError) {
        self.init()
        for (name, value) in members {
            switch value {
            case .string(let text): try setValue(text, named: name)
            case .number(let text): try setValue(ScriptNumber.text(ofJSON: text), named: name)
            case .bool(let value): try setValue(value ? "true" : "false", named: name)
            case .null, .array, .object: break
            }
        }
    }

    /// The signals by query name, sorted; ``setValue(_:named:)`` reads them back.
    package var namedValues: [(name: String, value: String)] {
        (SignalName.standard + custom.map { .custom($0.key) })
            .compactMap { name in self[name].map { (name: name.queryName, value: $0) } }
            .sorted { $0.name.precedes($1.name) }
    }

    /// The value to search in; nil when it is longer than a request can send.
    ///
    /// A rule on it is unknown then, which bounds the evaluation time.
    static func searchable(_ value: String) -> String? {
        value.isLonger(than: maximumValueLength) ? nil : value
    }
}
