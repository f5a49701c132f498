import ClientAPI
import Foundation
import HTTPServing
import JSONTree
import Logging
import Metrics
import TemplateStore

/// Keeps a snapshot of what the server serves in a file, and starts the server from it when the
/// store does not answer or has lost changes that the snapshot contains.
struct SnapshotKeeper: Sendable {
    /// Minimum interval between two writes of the file; a slow write is followed by a longer one.
    private static let interval: Duration = .seconds(1)

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

    /// Changes whenever the content of the library does.
    private struct LibraryState: Equatable {
        let revision: StoreRevision
        /// Changes that this process applies before the store announces them do not advance the
        /// revision.
        let changeCount: Int
    }

    private let file: SnapshotFile
    private let library: TemplateLibrary
    private let logger: Logger
    private let gauge = Gauge(label: "activeconfig_snapshot_written")
    private let lastFailure = Locked<TemplateStoreError?>(nil)
    private let changeCount = Locked(0)
    private let keptState = Locked<LibraryState?>(nil)
    private let startFromFile = Locked<Start?>(nil)

    init(file: SnapshotFile, library: TemplateLibrary, logger: Logger) {
        self.file = file
        self.library = library
        self.logger = logger
        library.observe { [changeCount] _ in changeCount.withLock { $0 += 1 } }
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

    /// Writes the file after changes until the task is cancelled.
    func run() async {
        var pause = Self.interval
        while !Task.isCancelled {
            let start = ContinuousClock.now
            let isKept = await keepChanges()
            let minimum = max(Self.interval, start.duration(to: .now) * 10)
            pause = isKept ? minimum : max(minimum, min(pause * 2, Self.maximumPause))
            try? await Task.sleep(for: pause)
        }
    }

    /// Ends the task of ``run()`` and writes the file if there are changes, within a time limit: the
    /// process must end even if the disk does not answer.
    func keepLastChanges(ending keeping: Task<Void, Never>) async {
        keeping.cancel()
        let end = await result(within: Self.lastWriteTime) {
            await keeping.value
            return await keepChanges()
        }
        if end == nil {
            logger.warning(
                "The snapshot may lack the last changes", metadata: ["file": "\(file.path)"])
        }
    }

    /// Writes the file if there are changes, and returns false after a failure.
    private func keepChanges() async -> Bool {
        // Read before the content, so that a later change is written again.
        let state = LibraryState(
            revision: library.revision, changeCount: changeCount.withLock { $0 })
        guard library.snapshotDate == nil, keptState.withLock({ $0 }) != state else { return true }
        // Encoding, hashing and syncing are slow, so they run on separate threads.
        let isKept = await withTaskExecutorPreference(WorkThreads.snapshots) { keep() }
        if isKept { keptState.withLock { $0 = state } }
        return isKept
    }

    /// Writes the file and returns false after a failure, which is logged unless it repeats the
    /// last one.
    ///
    /// The content is that of the library, never read from the store: the file has everything that
    /// clients have seen, even while the store does not answer.
    private func keep() -> Bool {
        var failure: TemplateStoreError?
        do throws(TemplateStoreError) {
            // Checked first, since encoding a large library is expensive.
            try file.checkIsWritable()
            let snapshot = library.snapshot()
            // Read after the snapshot, so that every change in the snapshot precedes the mark.
            let mark = (library.store as? any StoreMarking)?.knownMark
            try file.write(SnapshotFile.Kept(snapshot: snapshot, date: Date(), mark: mark))
        } catch {
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
        return failure == nil
    }
}

extension WorkThreads {
    /// The threads that write snapshots.
    fileprivate static let snapshots = WorkThreads()
}
