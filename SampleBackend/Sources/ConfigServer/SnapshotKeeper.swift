import ClientAPI
import Foundation
import HTTPServing
import JSONTree
import Logging
import Metrics
import ServiceLifecycle
import TemplateStore

/// Keeps a snapshot of the store in a file, and starts the server from it when the store does not
/// answer or has lost changes that the snapshot contains.
struct SnapshotKeeper: Service {
    /// Minimum interval between two writes of the file.
    private static let interval: Duration = .seconds(5)

    /// Maximum pause after failures; the pause doubles with each failure.
    private static let maximumPause: Duration = .seconds(60)

    /// Maximum duration of the final write at shutdown.
    private static let lastWriteTime: Duration = .seconds(2)

    /// Errors of the store for which the server falls back to the snapshot.
    private static let replacedErrors: Set<TemplateStoreError.Code> = [
        .unavailable, .outOfSpace, .changesLost, .damaged,
    ]

    /// A start from the file.
    private struct Start {
        /// The store's error that caused the fallback.
        let storeError: TemplateStoreError

        /// Number of unreadable records in the file.
        let omissionCount: Int
    }

    private let file: SnapshotFile
    private let library: TemplateLibrary
    private let logger: Logger
    private let gauge = Gauge(label: "activeconfig_snapshot_written")
    private let lastFailure = Locked<TemplateStoreError?>(nil)
    private let keptRevision = Locked<StoreRevision?>(nil)
    private let startFromFile = Locked<Start?>(nil)

    init(file: SnapshotFile, library: TemplateLibrary, logger: Logger) {
        self.file = file
        self.library = library
        self.logger = logger
    }

    /// The reason why the file is out of date, as a sentence without confidential details; nil when
    /// no failure is known.
    var fault: String? {
        lastFailure.withLock { $0 } == nil
            ? nil
            : "The snapshot is out of date (see the server log): after a restart without the "
                + "store the server would serve older versions, or would not start."
    }

    /// Number of unreadable records that are missing from the snapshot from which the server
    /// started.
    var omissionCount: Int { startFromFile.withLock { $0?.omissionCount ?? 0 } }

    /// The error of a damaged store for which the snapshot is being served; nil when there is none.
    var storeDamage: TemplateStoreError? {
        guard library.snapshotDate != nil, let error = startFromFile.withLock({ $0?.storeError }),
            error.code == .damaged
        else { return nil }
        return error
    }

    /// Loads the library from the store, or from the snapshot of an earlier run if that fails.
    ///
    /// From then on the store refuses all operations unless it contains the snapshot's changes.
    ///
    /// - Parameter load: Loads the library from the store.
    /// - Returns: True when the library was loaded from the store.
    /// - Throws: The file's error when the file cannot be used, before the store is read or
    ///   created; the store's error when there is no snapshot; `otherStore`.
    func start(
        byStore load: () async throws(TemplateStoreError) -> Void
    ) async throws(TemplateStoreError) -> Bool {
        let kept = try file.read()
        do throws(TemplateStoreError) {
            if let mark = kept?.mark, let store = library.store as? any StoreMarking {
                try store.expect(mark)
            }
            try await load()
            return true
        } catch {
            if error.code == .otherStore {
                throw TemplateStoreError(
                    .otherStore,
                    "The snapshot \(file.path) is of another store: use the snapshot of this "
                        + "store, or move the file away if the store was replaced on purpose.",
                    underlyingError: error)
            }
            guard let kept, Self.replacedErrors.contains(error.code) else { throw error }
            startFromFile.withLock {
                $0 = Start(
                    storeError: error, omissionCount: kept.snapshot.omissions.count)
            }
            try await library.load(kept.snapshot, takenAt: kept.date)
            let advice =
                error.code == .changesLost
                ? ". Nothing is stored until the store has all changes of the snapshot; to serve "
                    + "the store as it is, move the file away and restart the server" : ""
            logger.warning(
                "The store cannot be read: started from the snapshot of \(kept.date.timestamp)\(advice)",
                metadata: ["file": "\(file.path)", "error": "\(error)"])
            return false
        }
    }

    /// Writes the file after changes until the task is cancelled or the server shuts down, then a
    /// last time.
    func run() async {
        await cancelWhenGracefulShutdown {
            var pause = Self.interval
            while !Task.isCancelled {
                pause = await keepChanges() ? Self.interval : min(pause * 2, Self.maximumPause)
                try? await Task.sleep(for: pause)
            }
        }
        // Time-limited: the process must end even if the store does not answer.
        let end = await result(within: Self.lastWriteTime) { await keepChanges(always: true) }
        if end == nil {
            logger.warning(
                "The snapshot may lack the last changes", metadata: ["file": "\(file.path)"])
        }
    }

    /// Writes the file if there are changes, and returns false after a failure.
    ///
    /// `always` writes it even if the library knows of no change, since the feed may not have
    /// delivered this process's own changes yet.
    private func keepChanges(always: Bool = false) async -> Bool {
        guard library.snapshotDate == nil,
            always || keptRevision.withLock({ $0 }) != library.revision
        else { return true }
        // Encoding, hashing and syncing are slow, so they run on separate threads.
        let revision = await withTaskExecutorPreference(WorkThreads.snapshots) { await keep() }
        guard let revision else { return false }
        keptRevision.withLock { $0 = revision }
        return true
    }

    /// Writes the file and returns the revision of its snapshot.
    ///
    /// Returns nil after a failure, which is logged unless it repeats the last one.
    private func keep() async -> StoreRevision? {
        var revision: StoreRevision?
        var failure: TemplateStoreError?
        do throws(TemplateStoreError) {
            // Checked first, since reading a large store is expensive.
            try file.checkIsWritable()
            let snapshot = try await library.store.snapshot()
            // Read after the snapshot, so that every change in the snapshot precedes the mark.
            let mark = try await (library.store as? any StoreMarking)?.mark()
            try file.write(SnapshotFile.Kept(snapshot: snapshot, date: Date(), mark: mark))
            revision = snapshot.revision
        } catch {
            if Task.isCancelled { return nil }
            failure = error
        }
        gauge.record(failure == nil ? 1 : 0)
        let before = lastFailure.withLock { last in
            defer { last = failure }
            return last
        }
        if let failure, failure.description != before?.description {
            logger.warning("The snapshot could not be written", metadata: ["error": "\(failure)"])
        } else if failure == nil, before != nil {
            logger.notice("The snapshot is up to date again", metadata: ["file": "\(file.path)"])
        }
        return revision
    }
}

extension WorkThreads {
    /// The threads that write snapshots.
    fileprivate static let snapshots = WorkThreads()
}
