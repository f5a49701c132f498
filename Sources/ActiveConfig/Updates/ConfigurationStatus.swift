public import Foundation

/// The last download of a configuration, and how fresh the active document is, as far as is known.
public struct ConfigurationStatus: Sendable, Hashable {
    /// The last time that the server was asked, or sent a change over a stream, in this launch or an
    /// earlier one; nil: never.
    ///
    /// One is kept, of whichever user: ``DownloadRecord/userID`` says whose. In the status of a
    /// ``UserConfiguration`` it is nil when it was another user's.
    ///
    /// It is kept across launches if the store keeps records (``StoreRecord``): written once a minute at
    /// most, so that a process that is killed may lose the last minute's. What decides whether the next
    /// launch may ask, such as a wait after a failure, is written at once.
    public let lastDownload: DownloadRecord?

    /// A Boolean value that indicates whether a download is running.
    public let isDownloading: Bool

    /// How fresh the active document is.
    public let freshness: ConfigurationFreshness

    /// When the server gave or confirmed the active document; nil when it never did.
    public let confirmationDate: Date?

    /// The end of the wait in which downloads throw ``DownloadError/Code/throttled``; nil when none is known.
    ///
    /// See ``FetchPolicy/Backoff``. Within the policy's minimum interval, a download of a user who has a
    /// document neither asks the server nor throws, whether there is a wait or not. A wait that another
    /// process has begun is known after the next download or `reload()`. A wait after an answer 4xx ends
    /// earlier with other credentials; those that are made asynchronously, such as tokens, are known once
    /// a download has asked for them. The downloads of an `ActiveConfigUpdater` have waits of their own.
    public let throttledUntil: Date?

    /// Creates a status, as for a test.
    ///
    /// - Parameters:
    ///   - lastDownload: The last time that the server was asked.
    ///   - isDownloading: True when a download is running.
    ///   - freshness: How fresh the active document is.
    ///   - confirmationDate: When the server gave or confirmed the active document.
    ///   - throttledUntil: The end of the wait in which downloads throw.
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

    /// The time since the server gave or confirmed the active document; nil when it never did.
    ///
    /// - Parameter date: The time until which it is counted.
    /// - Returns: The time, never negative.
    public func age(at date: Date = Date()) -> Duration? {
        confirmationDate.map { .seconds(min(max(0, date.timeIntervalSince($0)), Self.longestAge)) }
    }

    /// In seconds, 30,000 years; a duration cannot be of any length.
    private static let longestAge = 1e12
}
