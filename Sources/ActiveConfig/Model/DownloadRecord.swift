public import Foundation

/// The outcome of a download.
///
/// Outcomes may be added: keep a `default` when you switch over it.
public struct DownloadOutcome: Sendable, Hashable, Codable, CustomStringConvertible {
    private enum Kind: String, Codable {
        case downloaded, notModified, withinInterval, failed, pushed
    }

    private let kind: Kind

    /// The server gave a document.
    public static let downloaded = DownloadOutcome(kind: .downloaded)
    /// The server said that nothing has changed.
    public static let notModified = DownloadOutcome(kind: .notModified)
    /// The server was not asked, since the last download was less than the ``FetchPolicy``'s
    /// interval ago.
    public static let withinInterval = DownloadOutcome(kind: .withinInterval)
    /// The server told a change over a stream, without being asked.
    public static let pushed = DownloadOutcome(kind: .pushed)
    /// There was no usable answer.
    public static let failed = DownloadOutcome(kind: .failed)

    /// The name, such as `notModified`.
    public var description: String { kind.rawValue }
}

/// The last time that the server was asked, or told a change over a stream.
public struct DownloadRecord: Sendable, Codable {
    /// When the download ended, by the device's clock.
    public let time: Date
    /// The outcome, never ``DownloadOutcome/withinInterval``.
    public let outcome: DownloadOutcome
    /// The status of a server that gave no usable answer.
    public let status: Int?
    /// How long it took, without time that the device slept; zero for a change that was pushed.
    public let duration: Duration
    /// The user whose configuration was asked for; nil is the generic user.
    public let userID: String?

    /// Creates a record, as for a test.
    ///
    /// - Parameters:
    ///   - time: When the download ended.
    ///   - outcome: What became of it.
    ///   - status: The status of a server that gave no usable answer.
    ///   - duration: How long it took.
    ///   - userID: The user.
    public init(
        time: Date, outcome: DownloadOutcome, status: Int? = nil, duration: Duration,
        userID: String?
    ) {
        self.time = time
        self.outcome = outcome
        self.status = status
        self.duration = duration
        self.userID = userID
    }
}

extension DownloadRecord: Hashable {
    /// Returns a Boolean value that indicates whether all members are equal; user IDs are compared
    /// byte by byte.
    public static func == (left: DownloadRecord, right: DownloadRecord) -> Bool {
        left.time == right.time && left.outcome == right.outcome && left.status == right.status
            && left.duration == right.duration && UserID(left.userID) == UserID(right.userID)
    }

    /// Hashes time and outcome.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(time)
        hasher.combine(outcome)
    }
}

/// How fresh the active document is, as far as the client knows.
public enum ConfigurationFreshness: Sendable, Hashable {
    /// The server gave or confirmed it, and nothing says that there is a newer one.
    case upToDate
    /// There is or may be a newer one, since that time: the configuration was marked stale, the
    /// interval of the ``FetchPolicy`` is over, a newer document waits for its activation, or the
    /// user has only the generic user's document. `distantPast` when the time is not known.
    case stale(since: Date)
    /// Only the bootstrap configuration is there.
    case bootstrapOnly
    /// There is no document.
    case noDocument
}
