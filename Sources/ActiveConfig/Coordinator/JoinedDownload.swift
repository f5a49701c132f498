/// A download of one user's configuration, awaited by any number of callers.
typealias JoinedDownload = SharedTask<DownloadExchange, DownloadResult>

/// A request with its answer.
struct DownloadExchange: Sendable {
    let lastKnown: ConfigurationState?
    /// The user's revision when the request was made.
    let revision: Int
    /// Nil for "not modified"; `lastKnown` with another version when only the version differs.
    var answer: Vetted?
    var outcome = DownloadOutcome.downloaded
    /// The sections changed by a document that another process has stored, when no request was made.
    var reloadedNames: Set<String> = []
    /// Header fields of the answer; empty without a document.
    var headerFields: [String: String] = [:]
}

/// A request that was made.
struct DownloadAttempt: Sendable {
    let request: DownloadHistory.Request
    /// The time since it was made.
    let duration: @Sendable () -> Duration
    /// A document that has already arrived; nil when a server was asked for one.
    var received: ReceivedDocument?
    /// True when the app's code, not the server, makes it fail.
    let isAppAtFault = Locked(false)
}

extension SharedTask where Answer == DownloadExchange, Value == DownloadResult {
    typealias Exchange = DownloadExchange
    typealias Attempt = DownloadAttempt

    /// Fails the download with ``DownloadError/Code/timedOut`` after `timeout`.
    ///
    /// - Throws: `CancellationError` when the download is already settled.
    func limitTime(to timeout: Duration, by clock: any Clock<Duration>) throws {
        if isSettled { throw CancellationError() }
        // Clocks overflow at very long times; 30 years are long enough.
        let timeout = min(max(timeout, .zero), .seconds(1_000_000_000))
        keep(
            Task {
                guard (try? await clock.sleep(for: timeout)) != nil else { return }
                fail(DownloadError(.timedOut))
            })
    }
}
