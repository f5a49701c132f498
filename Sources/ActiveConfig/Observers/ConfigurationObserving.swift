public import Foundation

/// Observes the fate of configurations from outside, for analytics, metrics or acknowledgements.
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
    /// Called with each event, in order, one at a time, on any thread.
    ///
    /// `forgetUser(_:)` itself delivers `.forgotten`, ahead of waiting events and possibly while
    /// another thread delivers an event of another user. No earlier event of the user follows it,
    /// and no later one precedes it.
    ///
    /// When `forgetUser(_:)` returns, all observers have received `.forgotten`, and none is still
    /// handling an earlier event of the user: it waits up to 5 seconds for such a call on another
    /// thread. If that call takes longer, or if an observer forgets the user whose event it is
    /// handling, `forgetUser(_:)` returns and the observers receive `.forgotten` as soon as that
    /// call has returned. An observer should not wait for a thread that forgets users, such as the
    /// main thread.
    ///
    /// It may call the framework, and must return quickly: downloads and reads continue only
    /// afterwards. Up to 10,000 events wait for a slow observer. Beyond that the oldest are
    /// dropped, reads first, and the log reports it; `.forgotten` is never dropped.
    func observe(_ event: ConfigurationEvent)
}

/// An event of a user's configuration, for a ``ConfigurationObserving``.
public struct ConfigurationEvent: Sendable {
    /// The kind of news.
    public enum Kind: Sendable {
        /// A setting was read by a typed key, or with its section by `decode(_:)`, for the first
        /// time or with another value than in the previous configuration.
        case read(SettingRead)
        /// The document is active: a server sent or confirmed it, or another process stored it.
        ///
        /// Sent for the current user and users with handles.
        case active
        /// A received or stored document is not used, for this reason; `keptTemplateVersion` is the
        /// version of the document that the user keeps.
        ///
        /// Sent once per document and launch, for the last 8 documents of a user.
        case refused(ConfigurationRefusal, keptTemplateVersion: Int?)
        /// The user is forgotten.
        case forgotten
    }

    /// The kind of event.
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
    /// The user's epoch; nil for events created for tests, and for `.forgotten`.
    package let epoch: UserEpoch?

    /// Creates an event, for tests.
    ///
    /// - Parameters:
    ///   - kind: The kind of event.
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
    /// A hash of the value, masked or not; it differs between processes.
    public let valueHash: Int

    /// Creates a read, for tests.
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
