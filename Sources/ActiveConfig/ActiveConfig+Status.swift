import Foundation

extension ActiveConfig {
    /// The last download, and how fresh the current user's active document is.
    public var status: ConfigurationStatus { status(of: loadedSnapshot(), history.last) }

    /// Lets the next download ask the server regardless of the ``FetchPolicy``'s interval, for
    /// example after a push notification: see <doc:Downloading-and-activating>.
    ///
    /// It is kept across launches, for all users, until each has been downloaded. A download that is
    /// running does not count, as the server may have answered before. When it returns the mark is
    /// stored, which takes a few milliseconds. If it cannot be stored, it lasts for this launch: see
    /// ``ActiveConfigStore``.
    @available(
        *, noasync,
        message: "Await the function of the same name, in a type with @main if in main.swift."
    )
    public func markStale() {
        history.markStale()
        signalChange()
    }

    /// Lets the next download ask the server regardless of the ``FetchPolicy``'s interval, for
    /// example after a push notification: see <doc:Downloading-and-activating>.
    ///
    /// It is kept across launches, for all users, until each has been downloaded. A download that is
    /// running does not count, as the server may have answered before. If it cannot be stored, it lasts for
    /// this launch: see ``ActiveConfigStore``.
    public func markStale() async {
        await storeCalls.run { self.history.markStale() }
        signalChange()
    }

    /// The status of any user.
    func status(of entry: UserEntry) -> ConfigurationStatus {
        let last = history.last
        return status(
            of: loadedSnapshot(of: entry), UserID(last?.userID) == entry.userID ? last : nil)
    }

    private func status(
        of contents: SnapshotContents, _ last: DownloadRecord?
    ) -> ConfigurationStatus {
        let source = contents.source
        let isDocument = source != .bootstrap && source != .absent
        return ConfigurationStatus(
            lastDownload: last, isDownloading: running.isRunning(of: contents.userID),
            freshness: freshness(of: contents),
            confirmationDate: isDocument
                ? history.confirmationDate(of: source == .genericUser ? .generic : contents.userID)
                : nil,
            throttledUntil: history.waitEnd)
    }

    private func freshness(of contents: SnapshotContents) -> ConfigurationFreshness {
        let isPending = contents.known.pending != nil
        if !isPending {
            if contents.source == .absent { return .noDocument }
            if contents.source == .bootstrap { return .bootstrapOnly }
        }
        let isFallback = contents.source == .genericUser && !isPending
        let request = history.request(
            of: isFallback ? .generic : contents.userID, configDownloader.requestDigest)
        let time = history.staleTime(of: request, isPending: isPending)
        // The user's own document was never requested.
        if isFallback { return .stale(since: time ?? history.time(of: .generic) ?? .distantPast) }
        return time.map { .stale(since: $0) } ?? .upToDate
    }

    /// Signals sequences and observers that something may have changed, for one user or for all.
    func signalChange(of userID: UserID? = nil) {
        signals.yield()
        if let userID {
            users.usedEntry(of: userID)?.signal()
        } else {
            for entry in users.livingEntries { entry.signal() }
        }
    }
}
