import ClientAPI
import Foundation
import HTTPServing
import JSONTree
import Logging
import ServiceLifecycle
import TemplateStore

/// Keeps a file with a snapshot of the store up to date, and starts from it when the store does not
/// answer.
struct SnapshotKeeper: Service {
    /// Minimum interval between two writes of the file.
    private static let interval: Duration = .seconds(5)

    let file: SnapshotFile
    let library: TemplateLibrary
    let logger: Logger

    /// Loads the snapshot of an earlier run into the library.
    ///
    /// - Parameter error: The reason why the store cannot be read.
    /// - Throws: This reason when there is no snapshot; an error of the file when that cannot be used.
    func start(insteadOf error: TemplateStoreError) async throws(TemplateStoreError) {
        guard let kept = try file.read() else { throw error }
        try await library.load(kept.snapshot, takenAt: kept.date)
        logger.warning(
            "The store cannot be read: started from the snapshot of \(kept.date.timestamp)",
            metadata: ["file": "\(file.path)", "error": "\(error)"])
    }

    /// Writes the file after changes, until the task is cancelled or the server shuts down.
    func run() async {
        // The content is encoded, hashed and synced, which takes a while.
        await withTaskExecutorPreference(WorkThreads.snapshots) {
            await cancelWhenGracefulShutdown {
                var revision: StoreRevision?
                while !Task.isCancelled {
                    if library.snapshotDate == nil, revision != library.revision {
                        revision = await keep() ?? revision
                    }
                    try? await Task.sleep(for: Self.interval)
                }
            }
        }
    }

    /// Writes the file, and returns the revision of its snapshot; nil after a failure, which is logged.
    private func keep() async -> StoreRevision? {
        do throws(TemplateStoreError) {
            let snapshot = try await library.store.snapshot()
            try file.write(SnapshotFile.Kept(snapshot: snapshot, date: Date()))
            return snapshot.revision
        } catch {
            logger.warning("No snapshot was kept", metadata: ["error": "\(error)"])
            return nil
        }
    }
}

extension WorkThreads {
    /// For writing snapshots.
    fileprivate static let snapshots = WorkThreads()
}
