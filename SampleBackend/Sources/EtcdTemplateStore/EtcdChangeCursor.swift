import Foundation
import TemplateStore

/// A reader of the store's changes, based on the history of the key of the last change.
///
/// It holds one watch, and opens another one at the next member when the watch ends, fails or is
/// silent. While no member responds it waits, since no change is lost.
actor EtcdChangeCursor {
    /// The revision of the last returned change.
    private var position: StoreRevision
    /// Changes that were read but not returned yet, newest first.
    private var pending: [StoreChange] = []
    private var watch: EtcdWatchLines?
    private var isFinished = false
    private let store: EtcdTemplateStore

    init(after revision: StoreRevision, of store: EtcdTemplateStore) {
        position = revision
        self.store = store
    }

    /// The next change; nil when the store is closed or the task is cancelled.
    func next() async throws(TemplateStoreError) -> StoreChange? {
        var attempts = EtcdAttempts(members: store.gateway.location.members.count)
        while !isFinished, !store.isClosed, !Task.isCancelled {
            if let change = pending.popLast() {
                position = change.revision
                return change
            }
            do throws(EtcdFailure) {
                pending = try await read().reversed()
                if !pending.isEmpty {
                    attempts = EtcdAttempts(members: store.gateway.location.members.count)
                }
            } catch {
                watch = nil
                if store.isClosed || Task.isCancelled { break }
                switch error.kind {
                case .notMade, .unknown:
                    store.gateway.leaveMember()
                    _ = await attempts.pause()
                case .compacted:
                    isFinished = true
                    let latest = try? await store.latestRevision()
                    throw .watchLost(after: position, latest: latest ?? .zero)
                default:
                    isFinished = true
                    throw TemplateStoreError(
                        .watchLost,
                        "The changes after revision \(position) cannot be read; read a snapshot and "
                            + "follow on from its revision.", underlyingError: error)
                }
            }
        }
        isFinished = true
        watch = nil
        return nil
    }

    /// Reads the next line of the watch; opens the watch first if there is none.
    private func read() async throws(EtcdFailure) -> [StoreChange] {
        guard let watch else {
            // The members may have been restored from an earlier backup since the last watch.
            do throws(TemplateStoreError) {
                _ = try await store.read([])
            } catch {
                throw EtcdFailure(
                    error.code == .unavailable ? .notMade : .otherCluster, error.message)
            }
            self.watch = try await open()
            return []
        }
        guard let line = try await watch.next() else {
            throw EtcdFailure(.unknown, "a watch has ended")
        }
        if line.isCanceled {
            guard line.compactRevision > 0 else {
                throw EtcdFailure(.refused, line.cancelReason ?? "a watch was canceled")
            }
            throw EtcdFailure(.compacted, "the history up to \(line.compactRevision) is gone")
        }
        var changes: [StoreChange] = []
        for event in line.events {
            guard !event.isRemoval, let record = try? ChangeRecord(decoding: event.keyValue) else {
                throw EtcdFailure(
                    .refused, "the key of the last change was removed or cannot be read")
            }
            // A newer program can store subjects that this program does not serve.
            guard let subject = record.subject else { continue }
            store.note(MarkedChange(record))
            changes.append(
                StoreChange(subject, revision: StoreRevision(event.keyValue.modRevision)))
        }
        return changes
    }

    /// Opens a watch for the changes after the position.
    private func open() async throws(EtcdFailure) -> EtcdWatchLines {
        let key = store.keys.change
        let found: EtcdRangeAnswer = try await store.gateway.call(
            "/v3/kv/range", EtcdRange(keys: .key(key), part: .keys))
        let latest = found.keyValues.first
        guard position.number <= latest?.modRevision ?? 0 else {
            throw EtcdFailure(.compacted, "the revision is newer than the store")
        }
        let start =
            if position.number == latest?.modRevision ?? 0, let header = found.header {
                // Nothing was missed so far, even if the history is compacted.
                header.revision + 1
            } else {
                max(position.number + 1, latest?.createRevision ?? 0)
            }
        let lines = EtcdWatchLines(
            try await store.gateway.watch(EtcdWatchRequest(key: key, from: start)))
        // The first line confirms the watch.
        guard let line = try await lines.next(), !line.isCanceled else {
            throw EtcdFailure(.refused, "a watch was refused")
        }
        return lines
    }
}
