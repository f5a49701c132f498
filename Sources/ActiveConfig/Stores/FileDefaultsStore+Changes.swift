import Foundation

extension FileDefaultsStore {
    /// Yields once at the start, so that no earlier change is missed, and within about a second
    /// after a file of the folder was replaced, by this or another process; unread changes coalesce
    /// into one.
    ///
    /// ```swift
    /// let store = FileDefaultsStore(directory: folder)
    /// for await _ in store.changes() { await config.reload() }
    /// ```
    ///
    /// It asks for the folder's modification date each second, also on network volumes. The folder
    /// is created if needed. If it cannot be, which is logged, the sequence ends at once. A change
    /// may be yielded twice, and a folder in which nothing changes yields twice at the start.
    ///
    /// - Returns: The changes, until the iterating task is cancelled, or the folder is removed or
    ///   renamed.
    public func changes() -> AsyncStream<Void> { changes(every: .seconds(1)) }

    /// ``changes()``, with another interval.
    ///
    /// - Parameter interval: The time between two questions for the modification date.
    /// - Returns: The changes.
    package func changes(every interval: Duration) -> AsyncStream<Void> {
        let (changes, change) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let path = folder.path
        do throws(StoreError) {
            try folder.withLock { () throws(StoreError) in }
        } catch {
            log(.warning, "The store's folder cannot be watched: \(error)")
            change.finish()
            return changes
        }
        guard var known = FolderVersion(path) else {
            log(.warning, "The store's folder \(path) cannot be watched: it has no date of change.")
            change.finish()
            return changes
        }
        change.yield()
        let polling = Task {
            // Two changes within the file system's resolution of dates (2 s at most) have one date,
            // so the question after a change yields too.
            var isDateRecent = true
            // A network volume can take long to answer.
            let calls = BlockingCalls()
            while (try? await Task.sleep(for: interval)) != nil,
                let current = await calls.run({ FolderVersion(path) }),
                current.isOfSameFolder(as: known)
            {
                let isChanged = current != known
                if isChanged || isDateRecent { change.yield() }
                (known, isDateRecent) = (current, isChanged)
            }
            change.finish()
        }
        change.onTermination = { _ in polling.cancel() }
        return changes
    }
}

/// A folder as it was at a time.
private struct FolderVersion: Equatable, Sendable {
    private let modificationDate: Date
    /// The path can become another folder's.
    private let device: UInt
    private let inode: UInt

    /// Nil if there is no folder at the path.
    init?(_ path: String) {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let date = attributes[.modificationDate] as? Date,
            let device = attributes[.systemNumber] as? UInt,
            let inode = attributes[.systemFileNumber] as? UInt
        else { return nil }
        (modificationDate, self.device, self.inode) = (date, device, inode)
    }

    func isOfSameFolder(as other: FolderVersion) -> Bool {
        device == other.device && inode == other.inode
    }
}
