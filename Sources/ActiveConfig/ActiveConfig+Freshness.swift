public import Foundation

extension ActiveConfig {
    /// The last time that the server was asked, or told a change over a stream, in this launch or an
    /// earlier one; nil: never.
    ///
    /// It is kept across launches if the store keeps records (``StoreRecord``): written once a minute at
    /// most, so that a process that is killed may lose the last minute's. What decides whether the next
    /// launch may ask, such as a wait after a failure, is written at once.
    public var lastDownload: DownloadRecord? { history.last }

    /// The time since the server gave or confirmed the active document; nil when it never did.
    public var age: Duration? {
        let snapshot = loadedSnapshot()
        if snapshot.source == .bootstrap || snapshot.source == .none { return nil }
        return history.age(of: snapshot.source == .genericUser ? .generic : snapshot.userID)
    }

    /// How fresh the active document is, as far as is known.
    public var freshness: ConfigurationFreshness { freshness(of: loadedSnapshot()) }

    /// The end of the wait in which the current user's downloads throw
    /// ``DownloadError/Code/throttled``; nil when none is known.
    ///
    /// See ``FetchPolicy/Backoff``. Within the policy's minimum interval, a download of a user who has a
    /// document neither asks the server nor throws, whether there is a wait or not. A wait that another
    /// process has begun is known after the next download or `reload()`. A wait after an answer 4xx ends
    /// earlier with other credentials; those that are made asynchronously, such as tokens, are known once
    /// a download has asked for them. The downloads of an `ActiveConfigUpdater` have waits of their own.
    public var throttledUntil: Date? {
        let userID = state.withLock { $0.userID }
        return history.waitEnd(for: history.request(of: userID, by: configDownloader))
    }

    /// Lets the next download ask the server, whatever interval the ``FetchPolicy`` has, such as after
    /// a push notification: see <doc:Push-notifications>.
    ///
    /// It is kept across launches, for all users, until each has been downloaded. A download that is
    /// running does not count, as the server may have answered before. When it returns the mark is
    /// stored, which takes a few milliseconds.
    @available(*, noasync, message: "Await the function of the same name.")
    public func markStale() {
        history.markStale()
        signalChange()
    }

    /// Lets the next download ask the server, whatever interval the ``FetchPolicy`` has, such as after
    /// a push notification: see <doc:Push-notifications>.
    ///
    /// It is kept across launches, for all users, until each has been downloaded. A download that is
    /// running does not count, as the server may have answered before.
    public func markStale() async {
        await storeCalls.run { self.history.markStale() }
        signalChange()
    }

    /// What an observer sees of downloads.
    var downloadState: DownloadState {
        DownloadState(
            last: lastDownload, freshness: freshness, throttledUntil: throttledUntil)
    }

    /// Tells sequences and observers that something may have changed.
    func signalChange() { signals.yield() }

    private func freshness(of snapshot: ConfigurationSnapshot) -> ConfigurationFreshness {
        let isPending = snapshot.known.pending != nil
        if !isPending {
            if snapshot.source == .none { return .none }
            if snapshot.source == .bootstrap { return .bootstrapOnly }
        }
        let isFallback = snapshot.source == .genericUser && !isPending
        let request = history.request(
            of: isFallback ? .generic : snapshot.userID, configDownloader.requestDigest)
        let time = history.staleTime(of: request, isPending: isPending)
        // The user's own document was never asked for.
        if isFallback { return .stale(since: time ?? history.time(of: .generic) ?? .distantPast) }
        return time.map { .stale(since: $0) } ?? .upToDate
    }
}
