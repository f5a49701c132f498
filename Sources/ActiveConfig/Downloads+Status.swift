internal import Foundation

/// The last download of a user, and how fresh the document is.
extension Downloads {
    /// The status of any user.
    func status(of entry: UserEntry) -> ConfigurationStatus {
        let last = history.last
        return status(
            of: users.loadedSnapshot(of: entry), UserID(last?.userID) == entry.userID ? last : nil)
    }

    func status(
        of contents: SnapshotContents, _ last: DownloadRecord?
    ) -> ConfigurationStatus {
        let source = contents.source
        let isDocument = source != .bootstrap && source != .absent
        return ConfigurationStatus(
            lastDownload: last, isDownloading: front.running.isRunning(of: contents.userID),
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
            of: isFallback ? .generic : contents.userID, downloader.requestDigest)
        let time = history.staleTime(of: request, isPending: isPending)
        // The user's own document was never requested.
        if isFallback { return .stale(since: time ?? history.time(of: .generic) ?? .distantPast) }
        return time.map { .stale(since: $0) } ?? .upToDate
    }
}
