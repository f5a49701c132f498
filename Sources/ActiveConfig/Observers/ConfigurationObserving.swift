public import Foundation

/// Follows from outside what becomes of configurations, such as for analytics, metrics or acknowledgements.
///
/// ```swift
/// struct Metrics: ConfigurationObserving {
///     func observe(_ event: ConfigurationEvent) {
///         if case .refused(let refusal, _) = event.kind { refusals.increment(refusal.reason) }
///     }
/// }
/// let token = config.addObserver(Metrics())
/// ```
public protocol ConfigurationObserving: Sendable {
    /// Called with each event, in their order, one after the other, on any thread.
    ///
    /// That a user is forgotten is told by `forgetUser(_:)` itself, ahead of the events that
    /// wait and maybe while an event of another user is told on another thread. No earlier event of the user
    /// comes after it, and no later one before it.
    ///
    /// When `forgetUser(_:)` returns, all observers have heard of it, and none is in the middle of an
    /// earlier event of the user: it waits for a call that has one, on another thread, up to 5 seconds. If
    /// that call takes longer, or if an observer forgets a user with whose event one is being called, then
    /// `forgetUser(_:)` returns, and the observers hear of it as soon as that call has returned. An observer
    /// should not wait for a thread that forgets users, such as the main one.
    ///
    /// It may use the framework, and must not take long: downloads and reads go on only afterwards. While it
    /// takes long, up to 10,000 events wait. Beyond, the oldest are left out, reads before all others, and the
    /// log says so; that a user is forgotten is never left out.
    func observe(_ event: ConfigurationEvent)
}

/// News of a user's configuration, for a ``ConfigurationObserving``.
public struct ConfigurationEvent: Sendable {
    /// The kind of news.
    ///
    /// Kinds may be added: keep a `default` when you switch over it.
    public enum Kind: Sendable {
        /// A setting was read by a typed key, or with its section by `decode(_:)`, and gave another value
        /// than the configuration before, or was read for the first time.
        case read(SettingRead)
        /// The document is active, and was brought or confirmed by a server, or stored by another process.
        ///
        /// Of the current user and of users with handles.
        case active
        /// A document that has arrived, or one in the store, is not used, for this reason; `keptTemplateVersion` is
        /// the version of the user's document that is.
        ///
        /// Once for each document in a launch, of the last 8 of a user.
        case refused(ConfigurationRefusal, keptTemplateVersion: Int?)
        /// The user is forgotten.
        case forgotten
    }

    /// The kind of news.
    public let kind: Kind
    /// The user; nil is the generic user.
    public let userID: String?
    /// The document; nil when the user is forgotten.
    public let document: ConfigurationState?
    /// Header fields of the answer that brought or confirmed the document, by their names in lower case:
    /// those that begin with `activeconfig-`.
    public let headerFields: [String: String]
    /// The time of the event.
    public let time: Date
    /// The user's epoch that it is of; nil for one that was made for a test, and for a forgetting.
    package let epoch: UserEpoch?

    /// Creates an event, as for a test.
    ///
    /// - Parameters:
    ///   - kind: The kind of news.
    ///   - userID: The user; nil is the generic user.
    ///   - document: The document.
    ///   - headerFields: Header fields of the answer, by their names in lower case.
    ///   - time: The time.
    public init(
        _ kind: Kind, userID: String?, document: ConfigurationState?,
        headerFields: [String: String] = [:], time: Date
    ) {
        self.init(
            kind, userID: userID, document: document, headerFields: headerFields, time: time,
            epoch: nil)
    }

    init(
        _ kind: Kind, userID: String?, document: ConfigurationState?,
        headerFields: [String: String] = [:], time: Date, epoch: UserEpoch?
    ) {
        self.kind = kind
        self.userID = userID
        self.document = document
        self.headerFields = headerFields
        self.time = time
        self.epoch = epoch
    }
}

/// A value that was read.
public struct SettingRead: Sendable, Hashable {
    /// The setting.
    public let setting: SettingPath
    /// The value, not converted; nil when the default of the key was used, or ``isMasked``.
    public let value: SettingValue?
    /// True when the value is a secret, see ``ConfigurationDiagnostics/markSecret(_:)``.
    public let isMasked: Bool
    /// Where the value comes from.
    public let source: SettingSource
    /// A hash of the value, also of one that is masked; another one in each process.
    public let valueHash: Int

    /// Creates a value that was read, as for a test.
    ///
    /// - Parameters:
    ///   - setting: The setting.
    ///   - value: The value, not converted.
    ///   - isMasked: True when the value is a secret, which is left out.
    ///   - source: Where the value comes from.
    public init(
        _ setting: SettingPath, _ value: SettingValue?, isMasked: Bool = false,
        from source: SettingSource
    ) {
        self.setting = setting
        self.value = isMasked ? nil : value
        self.isMasked = isMasked
        self.source = source
        var hasher = Hasher()
        hasher.combine(value)
        valueHash = hasher.finalize()
    }
}
