internal import Dispatch
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// Watches a folder for files replaced by any process.
struct FolderWatch: @unchecked Sendable {  // A source is cancelled on any thread.
    private let source: any DispatchSourceProtocol

    /// Nil if the system cannot watch the folder.
    ///
    /// - Parameters:
    ///   - path: The folder, which exists.
    ///   - onChange: Called after one change or several, by one thread at a time.
    ///   - onEnd: Called once after the folder was removed or renamed, which ends the watch.
    init?(
        _ path: String, onChange: @escaping @Sendable () -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) {
        let queue = DispatchQueue(label: "ActiveConfig.FolderWatch")
        #if canImport(Darwin)
            let file = unsafe open(path, O_EVTONLY | O_CLOEXEC)
            guard file >= 0 else { return nil }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: file, eventMask: [.write, .delete, .rename], queue: queue)
            source.setEventHandler {
                if source.data.isDisjoint(with: [.delete, .rename]) { return onChange() }
                source.cancel()
                onEnd()
            }
            source.setCancelHandler { close(file) }
        #elseif canImport(Glibc) || canImport(Musl)
            let file = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
            guard file >= 0 else { return nil }
            // Records are renamed into place, so IN_MOVED_TO suffices.
            let events = UInt32(IN_MOVED_TO) | Self.ends
            guard unsafe inotify_add_watch(file, path, events) >= 0 else {
                close(file)
                return nil
            }
            let source = DispatchSource.makeReadSource(fileDescriptor: file, queue: queue)
            source.setEventHandler {
                if Self.drain(file) { return onChange() }
                source.cancel()
                onEnd()
            }
            source.setCancelHandler { close(file) }
        #else
            return nil
        #endif
        self.source = source
        source.resume()
    }

    func cancel() { source.cancel() }

    #if canImport(Glibc) || canImport(Musl)
        private static let ends =
            UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_UNMOUNT) | UInt32(IN_IGNORED)

        /// Reads the pending events, so that the next one is noticed; false when the folder was
        /// removed.
        private static func drain(_ file: Int32) -> Bool {
            var isThere = true
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = unsafe read(file, &buffer, buffer.count)
                guard count > 0 else { return isThere }
                unsafe buffer.withUnsafeBytes { bytes in
                    // Watch, mask, cookie, and the length of the name that follows.
                    var offset = 0
                    while offset + 16 <= count {
                        let mask = unsafe bytes.loadUnaligned(
                            fromByteOffset: offset + 4, as: UInt32.self)
                        let nameCount = unsafe bytes.loadUnaligned(
                            fromByteOffset: offset + 12, as: UInt32.self)
                        if mask & ends != 0 { isThere = false }
                        offset += 16 + Int(nameCount)
                    }
                }
            }
        }
    #endif
}

/// Streams of changes in this process: one watch per folder, until its last stream ends.
///
/// A user has 128 inotify instances on Linux.
final class FolderWatches: Sendable {
    static let shared = FolderWatches()

    /// Not the path, which can be another folder's by now.
    private struct Folder: Hashable {
        let device: UInt64
        let inode: UInt64

        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    private struct Streams {
        let watch: FolderWatch
        let number: Int
        var changes: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    private struct State {
        var folders: [Folder: Streams] = [:]
        private var lastNumber = 0

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private let state = Locked(State())

    /// Yields the changes of a folder until the stream or the folder ends.
    ///
    /// - Returns: False if the system cannot watch the folder.
    func add(_ change: AsyncStream<Void>.Continuation, at path: String) -> Bool {
        guard let folder = Folder(path) else { return false }
        let number = state.withLock { state -> Int? in
            let number = state.nextNumber()
            guard var streams = state.folders[folder] ?? watch(folder, path, number) else {
                return nil
            }
            streams.changes[number] = change
            state.folders[folder] = streams
            return number
        }
        guard let number else { return false }
        change.onTermination = { [self] _ in remove(number, from: folder) }
        return true
    }

    private func watch(_ folder: Folder, _ path: String, _ number: Int) -> Streams? {
        FolderWatch(
            path,
            onChange: { [self] in
                let changes = state.withLock { $0.folders[folder]?.changes ?? [:] }
                for change in changes.values { change.yield() }
            },
            onEnd: { [self] in
                let ended = state.withLock { state -> Streams? in
                    guard state.folders[folder]?.number == number else { return nil }
                    return state.folders.removeValue(forKey: folder)
                }
                for change in (ended?.changes ?? [:]).values { change.finish() }
            }
        ).map { Streams(watch: $0, number: number) }
    }

    private func remove(_ number: Int, from folder: Folder) {
        let unused = state.withLock { state -> Streams? in
            guard state.folders[folder]?.changes.removeValue(forKey: number) != nil,
                state.folders[folder]?.changes.isEmpty == true
            else { return nil }
            return state.folders.removeValue(forKey: folder)
        }
        unused?.watch.cancel()
    }
}

extension FileDefaultsStore {
    /// Yields once at the start, so that no earlier change is missed, and whenever a file of the
    /// folder was replaced, by this or another process; unread changes coalesce into one.
    ///
    /// ```swift
    /// let store = FileDefaultsStore(directory: folder)
    /// for await _ in store.changes() { await config.reload() }
    /// ```
    ///
    /// All streams of a folder in the process share one watch. The folder is created if needed. If
    /// it cannot be watched, which is logged, the sequence ends at once. It works on Apple's
    /// platforms and on Linux, for folders on the same machine: changes that another machine makes
    /// on a network volume are not noticed.
    ///
    /// - Returns: The changes, until the iterating task is cancelled, or the folder is removed or
    ///   renamed.
    public func changes() -> AsyncStream<Void> {
        let (changes, change) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        do throws(StoreError) {
            try folder.withLock { () throws(StoreError) in }
        } catch {
            log(.warning, "The store's folder cannot be watched: \(error)")
            change.finish()
            return changes
        }
        if FolderWatches.shared.add(change, at: folder.path) {
            change.yield()
        } else {
            log(.warning, "The system cannot watch the store's folder \(folder.path).")
            change.finish()
        }
        return changes
    }
}
