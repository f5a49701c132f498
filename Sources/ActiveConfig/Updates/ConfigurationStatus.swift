public import Foundation

/// The last download of a configuration, and the freshness of the active document.
public struct ConfigurationStatus: Sendable, Hashable {
    /// The last request to the server, or the last change pushed over a stream, in this launch or
    /// an earlier one; nil: never.
    ///
    /// One is kept over all users: ``DownloadRecord/userID`` names the user. In the status of a
    /// ``UserConfiguration`` it is nil if it belongs to another user.
    ///
    /// Kept across launches if the store keeps records (``StoreRecord``), and written at most once
    /// a minute, so a killed process can lose the last minute's. State that decides whether the
    /// next launch may ask, such as a wait after a failure, is written at once.
    public let lastDownload: DownloadRecord?

    /// A Boolean value that indicates whether a download is running.
    public let isDownloading: Bool

    /// How fresh the active document is.
    public let freshness: ConfigurationFreshness

    /// When the server sent or confirmed the active document; nil: never.
    ///
    /// While an `ActiveConfigUpdater` runs, each long poll without a change confirms the document, and at
    /// most once a minute a heartbeat of the stream, unless the server has a lower version. Written to
    /// the store at most once a minute.
    public let confirmationDate: Date?

    /// The end of the wait during which downloads throw ``DownloadError/Code/throttled``; nil when
    /// there is none.
    ///
    /// See ``FetchPolicy/Backoff``. Within the policy's minimum interval, a download of a user who
    /// has a document neither asks the server nor throws, with or without a wait. A wait started by
    /// another process is noticed at the next download or `reload()`. The downloads of an
    /// `ActiveConfigUpdater` have waits of their own.
    public let throttledUntil: Date?

    /// Creates a status, for tests.
    ///
    /// - Parameters:
    ///   - lastDownload: The last request to the server.
    ///   - isDownloading: True when a download is running.
    ///   - freshness: How fresh the active document is.
    ///   - confirmationDate: When the server sent or confirmed the active document.
    ///   - throttledUntil: The end of the wait during which downloads throw.
    public init(
        lastDownload: DownloadRecord?, isDownloading: Bool = false,
        freshness: ConfigurationFreshness, confirmationDate: Date? = nil,
        throttledUntil: Date? = nil
    ) {
        self.lastDownload = lastDownload
        self.isDownloading = isDownloading
        self.freshness = freshness
        self.confirmationDate = confirmationDate
        self.throttledUntil = throttledUntil
    }

    /// The time since the server sent or confirmed the active document; nil when it never did.
    ///
    /// - Parameter date: The end of that time.
    /// - Returns: The time, never negative.
    public func age(at date: Date = Date()) -> Duration? {
        confirmationDate.map { .seconds(min(max(0, date.timeIntervalSince($0)), Self.longestAge)) }
    }

    /// In seconds, 30,000 years; `Duration` overflows beyond.
    private static let longestAge = 1e12
}
