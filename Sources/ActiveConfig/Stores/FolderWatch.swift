internal import Dispatch
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Notices that files of a folder are replaced, by any process.
struct FolderWatch: @unchecked Sendable {  // A source is cancelled on any thread.
    private let source: any DispatchSourceProtocol

    /// Nil where the system cannot watch the folder.
    ///
    /// - Parameters:
    ///   - path: The folder, which exists.
    ///   - onChange: Called after one change or several, by one thread at a time.
    init?(_ path: String, onChange: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "ActiveConfig.FolderWatch")
        #if canImport(Darwin)
            let file = unsafe open(path, O_EVTONLY | O_CLOEXEC)
            guard file >= 0 else { return nil }
            source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: file, eventMask: .write, queue: queue)
            source.setEventHandler { onChange() }
            source.setCancelHandler { close(file) }
        #elseif canImport(Glibc) || canImport(Musl)
            let file = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
            guard file >= 0 else { return nil }
            // Files are only ever renamed into place.
            guard unsafe inotify_add_watch(file, path, UInt32(IN_MOVED_TO)) >= 0 else {
                close(file)
                return nil
            }
            source = DispatchSource.makeReadSource(fileDescriptor: file, queue: queue)
            source.setEventHandler {
                FolderWatch.drain(file)
                onChange()
            }
            source.setCancelHandler { close(file) }
        #else
            return nil
        #endif
        source.resume()
    }

    func cancel() { source.cancel() }

    #if !canImport(Darwin)
        /// Reads what is there, so that the next event is noticed.
        private static func drain(_ file: Int32) {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while unsafe read(file, &buffer, buffer.count) > 0 {}
        }
    #endif
}

extension FileDefaultsStore {
    /// Yields after a file of the folder was replaced, by this process or another one; changes that
    /// nobody has read yet are one.
    ///
    /// ```swift
    /// for await _ in store.changes() { await config.reload() }
    /// ```
    ///
    /// The folder is created if needed. Where it cannot be watched, which is logged, the sequence ends at
    /// once. It works on Apple's platforms and on Linux, for folders on the same machine: what another
    /// one writes to a network volume is not noticed.
    ///
    /// - Returns: The changes from now on, until the iterating task is cancelled.
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
        guard let watch = FolderWatch(folder.path, onChange: { change.yield() }) else {
            log(.warning, "The system cannot watch the store's folder \(folder.path).")
            change.finish()
            return changes
        }
        change.onTermination = { _ in watch.cancel() }
        return changes
    }
}
