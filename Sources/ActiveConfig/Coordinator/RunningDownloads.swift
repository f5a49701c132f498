/// The running downloads, one for each user.
///
/// A download ends when it is removed here, which happens once.
final class RunningDownloads: Sendable {
    private let downloads = Locked<[UserID: JoinedDownload]>([:])

    /// Returns the user's running download, or a new one, which the caller has to start.
    ///
    /// - Returns: The download, and one that was abandoned and is replaced by it.
    func join(
        _ userID: UserID
    ) -> (download: JoinedDownload, isNew: Bool, abandoned: JoinedDownload?) {
        downloads.withLock { downloads in
            if let running = downloads[userID], !running.isAbandoned {
                return (running, false, nil)
            }
            let new = JoinedDownload()
            return (new, true, downloads.updateValue(new, forKey: userID))
        }
    }

    /// Ends a download that has succeeded.
    ///
    /// - Returns: False when it was abandoned.
    func end(_ download: JoinedDownload, of userID: UserID) -> Bool {
        downloads.withLock { downloads in
            if download.isAbandoned { return false }
            downloads[userID] = nil
            return true
        }
    }

    /// Ends a download that has failed.
    ///
    /// - Returns: False when another one has replaced it, and so reported its end.
    func remove(_ download: JoinedDownload, of userID: UserID) -> Bool {
        downloads.withLock { downloads in
            guard downloads[userID] === download else { return false }
            downloads[userID] = nil
            return true
        }
    }

    /// Marks the user's download as abandoned: it will not end with a document.
    func markAbandoned(of userID: UserID) -> JoinedDownload? {
        downloads.withLock { downloads in
            let download = downloads[userID]
            download?.markAbandoned()
            return download
        }
    }

    #if DEBUG
        /// Number of downloads.
        var count: Int { downloads.withLock { $0.count } }
    #endif

    func isRunning(of userID: UserID) -> Bool {
        downloads.withLock { $0[userID].map { !$0.isAbandoned } ?? false }
    }
}
