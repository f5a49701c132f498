public import Foundation

/// The outcome of a download.
///
/// Outcomes may be added: keep a `default` when you switch over it.
public struct DownloadOutcome: Sendable, Hashable, Codable, CustomStringConvertible {
    private enum Kind: String, Codable {
        case downloaded, notModified, withinInterval, failed, pushed
    }

    private let kind: Kind

    /// The server sent a document.
    public static let downloaded = DownloadOutcome(kind: .downloaded)
    /// The server answered that nothing has changed.
    public static let notModified = DownloadOutcome(kind: .notModified)
    /// The server was not asked, because the last download was within the ``FetchPolicy``'s
    /// interval.
    ///
    /// A newer document that another process has stored was taken over.
    public static let withinInterval = DownloadOutcome(kind: .withinInterval)
    /// The server pushed a change over a stream.
    public static let pushed = DownloadOutcome(kind: .pushed)
    /// No usable answer arrived.
    public static let failed = DownloadOutcome(kind: .failed)

    /// The name, such as `notModified`.
    public var description: String { kind.rawValue }
}

/// The last request to the server, or the last change that it pushed over a stream.
public struct DownloadRecord: Sendable, Codable {
    /// When the download ended, by the device's clock.
    public let time: Date
    /// The outcome, never ``DownloadOutcome/withinInterval``.
    public let outcome: DownloadOutcome
    /// The HTTP status of an unusable answer; nil when there was none.
    public let status: Int?
    /// The code of the ``DownloadError``; nil unless it failed with one.
    public let code: DownloadError.Code?
    /// Why it failed, in one sentence; nil unless it failed.
    ///
    /// Without a token or a query of a URL.
    public let message: String?
    /// How long it took, without time during which the device slept; zero for a pushed change.
    public let duration: Duration
    /// The user whose configuration was asked for; nil is the generic user.
    public let userID: String?

    /// Creates a record, for tests.
    ///
    /// - Parameters:
    ///   - time: When the download ended.
    ///   - outcome: The outcome.
    ///   - status: The HTTP status of an unusable answer.
    ///   - code: The code of the ``DownloadError``.
    ///   - message: Why it failed.
    ///   - duration: How long it took.
    ///   - userID: The user.
    public init(
        time: Date, outcome: DownloadOutcome, status: Int? = nil, code: DownloadError.Code? = nil,
        message: String? = nil, duration: Duration, userID: String?
    ) {
        self.time = time
        self.outcome = outcome
        self.status = status
        self.code = code
        self.message = message
        self.duration = duration
        self.userID = userID
    }
}

extension DownloadRecord: Hashable {
    /// Returns a Boolean value that indicates whether all members are equal; user IDs are compared
    /// byte by byte.
    public static func == (left: DownloadRecord, right: DownloadRecord) -> Bool {
        left.time == right.time && left.outcome == right.outcome && left.status == right.status
            && left.code == right.code && left.message == right.message
            && left.duration == right.duration && UserID(left.userID) == UserID(right.userID)
    }

    /// Hashes time and outcome.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(time)
        hasher.combine(outcome)
    }
}

extension DownloadRecord: CustomStringConvertible {
    /// One line with outcome, time, user and message; it names the user as the log does.
    public var description: String {
        "\(outcome) at \(time), \(UserID(userID).logName)" + (message.map { ": \($0)" } ?? "")
    }
}

/// How fresh the active document is, to the client's knowledge.
public enum ConfigurationFreshness: Sendable, Hashable {
    /// The server sent or confirmed it, and there is no sign of a newer one.
    case upToDate
    /// There may be a newer one, since that time: the configuration was marked stale, the interval
    /// of the ``FetchPolicy`` expired, a newer document is pending, or the user has only the
    /// generic user's document. `distantPast` when the time is unknown.
    case stale(since: Date)
    /// Only the bootstrap configuration is available.
    case bootstrapOnly
    /// There is no document.
    case noDocument
}
