package import JSONTree

/// The signals of a client, from the query of its request (PROTOCOL 1).
///
/// All signals are optional, and a missing one makes the rules on it unknown: the server guesses
/// nothing, neither the country nor the language.
public struct Signals: Sendable, Hashable {
    /// The most custom signals that one request may carry.
    public static let maximumCustomCount = 100

    /// The most characters, in Unicode scalars, in the name of a custom signal.
    public static let maximumNameLength = 250

    /// The most characters, in Unicode scalars, in the value of any signal.
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

    /// Creates signals; those left out were not sent.
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
    /// When a name is set twice, the last value counts.
    ///
    /// - Parameters:
    ///   - value: The value, at most ``maximumValueLength`` Unicode scalars.
    ///   - name: A name that ``SignalName/init(_:)`` reads.
    /// - Throws: ``SignalError`` with the limit.
    public mutating func setValue(_ value: String, named name: String) throws(SignalError) {
        guard !value.isLonger(than: Self.maximumValueLength) else {
            throw SignalError(name: name, reason: .valueTooLong)
        }
        guard let signal = SignalName(name) else { throw SignalError(name: name, reason: .noName) }
        if case .custom(let custom) = signal {
            guard !custom.text.isLonger(than: Self.maximumNameLength) else {
                throw SignalError(name: name, reason: .nameTooLong)
            }
        }
        self[signal] = value
        guard custom.count <= Self.maximumCustomCount else {
            throw SignalError(name: name, reason: .tooMany)
        }
    }

    /// Reads the signals of a JSON object, such as `{"device.os": "ios", "plan": "gold"}`, and
    /// checks their limits (PROTOCOL 1).
    ///
    /// Booleans become their text, numbers the text that JavaScript gives them (`5.0` is "5");
    /// null, arrays and objects are ignored.
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

    /// The signals by their names in a query, sorted; ``setValue(_:named:)`` reads them back.
    package var namedValues: [(name: String, value: String)] {
        (SignalName.standard + custom.map { .custom($0.key) })
            .compactMap { name in self[name].map { (name: name.queryName, value: $0) } }
            .sorted { $0.name.precedes($1.name) }
    }

    /// The value to search in; nil when it is longer than a request can send.
    ///
    /// The rule is unknown then, so that its time is bounded.
    static func searchable(_ value: String) -> String? {
        value.isLonger(than: maximumValueLength) ? nil : value
    }
}
