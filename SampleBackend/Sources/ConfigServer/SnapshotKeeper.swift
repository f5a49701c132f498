import ClientAPI
import Foundation
import HTTPServing
import JSONTree
import Logging
import Metrics
import ServiceLifecycle
import TemplateStore

/// Keeps a file with a snapshot of the store up to date, and starts from it when the store does not
/// answer, or has lost changes that the snapshot has.
struct SnapshotKeeper: Service {
    /// Minimum interval between two writes of the file.
    private static let interval: Duration = .seconds(5)

    /// Maximum pause after failures; it doubles from one to the next.
    private static let maximumPause: Duration = .seconds(60)

    /// Maximum duration of the last write, at a shutdown.
    private static let lastWriteTime: Duration = .seconds(2)

    /// Errors of the store, in whose place the snapshot is served.
    private static let replacedErrors: Set<TemplateStoreError.Code> = [
        .unavailable, .outOfSpace, .changesLost, .damaged,
    ]

    /// A start from the file.
    private struct Start {
        /// The error of the store, in whose place the snapshot is served.
        let storeError: TemplateStoreError

        /// Number of records of the file that cannot be read.
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

    /// The reason why the file is not up to date, a sentence for everybody; nil when it is, as far as is
    /// known.
    var fault: String? {
        lastFailure.withLock { $0 } == nil
            ? nil
            : "The snapshot is not kept, as the server's log says: after a restart without the store "
                + "the server would be behind, or would not start."
    }

    /// The number of records that the snapshot lacks from which the server was started, since they cannot
    /// be read.
    var omissionCount: Int { startFromFile.withLock { $0?.omissionCount ?? 0 } }

    /// The damage of the store, in whose place the snapshot is served; nil when the store is whole.
    var storeDamage: TemplateStoreError? {
        guard library.snapshotDate != nil, let error = startFromFile.withLock({ $0?.storeError }),
            error.code == .damaged
        else { return nil }
        return error
    }

    /// Loads the library from the store, or else from the snapshot of an earlier run.
    ///
    /// From then on the store refuses everything unless it is a continuation of the snapshot.
    ///
    /// - Parameter load: Loads the library from the store.
    /// - Returns: True when the library is from the store.
    /// - Throws: The error of the file when it cannot be used, before the store is read or created; that of
    ///   the store when there is no snapshot; `otherStore`.
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
                    "The snapshot \(file.path) is of another store: give the server the file of its "
                        + "own store, or move the file away if the store was replaced on purpose.",
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
                ? ", and nothing is stored until the store has what the snapshot has; to serve the "
                    + "store as it is, move the file away and start the server again" : ""
            logger.warning(
                "The store cannot be read: started from the snapshot of \(kept.date.timestamp)\(advice)",
                metadata: ["file": "\(file.path)", "error": "\(error)"])
            return false
        }
    }

    /// Writes the file after changes, until the task is cancelled or the server shuts down, and once more
    /// then.
    func run() async {
        await cancelWhenGracefulShutdown {
            var pause = Self.interval
            while !Task.isCancelled {
                pause = await keepChanges() ? Self.interval : min(pause * 2, Self.maximumPause)
                try? await Task.sleep(for: pause)
            }
        }
        // The process is to end, even if the store does not answer.
        let end = await result(within: Self.lastWriteTime) { await keepChanges(always: true) }
        if end == nil {
            logger.warning(
                "The snapshot may lack the last changes", metadata: ["file": "\(file.path)"])
        }
    }

    /// Writes the file, and returns false after a failure; `always` even if the library knows no change
    /// since the last time: one that was made here may not have come by the feed yet.
    private func keepChanges(always: Bool = false) async -> Bool {
        guard library.snapshotDate == nil,
            always || keptRevision.withLock({ $0 }) != library.revision
        else { return true }
        // The content is encoded, hashed and synced, which takes a while.
        let revision = await withTaskExecutorPreference(WorkThreads.snapshots) { await keep() }
        guard let revision else { return false }
        keptRevision.withLock { $0 = revision }
        return true
    }

    /// Writes the file, and returns the revision of its snapshot; nil after a failure, which is logged
    /// unless it is that of before.
    private func keep() async -> StoreRevision? {
        var revision: StoreRevision?
        var failure: TemplateStoreError?
        do throws(TemplateStoreError) {
            // The store may be large.
            try file.checkIsWritable()
            let snapshot = try await library.store.snapshot()
            // After the snapshot, all of whose changes come before that of the mark then.
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
            logger.warning("No snapshot was kept", metadata: ["error": "\(failure)"])
        } else if failure == nil, before != nil {
            logger.notice("The snapshot is kept again", metadata: ["file": "\(file.path)"])
        }
        return revision
    }
}

extension WorkThreads {
    /// For writing snapshots.
    fileprivate static let snapshots = WorkThreads()
}
