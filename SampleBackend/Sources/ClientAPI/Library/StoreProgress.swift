package import HTTPServing
import HTTPTypes
package import TemplateStore

/// The progress of this process in following a store that other processes also change.
///
/// A project or token that this process does not know may be new. Before refusing it, the process
/// reads the newest revision of the store and waits until that revision is applied. Requests share
/// reads: one read runs at a time, at most every 250 ms (10 ms from a file of this machine),
/// regardless of how many unknown names clients send.
package final class StoreProgress: Sendable {
    /// Minimum time between the starts of two reads.
    private let readInterval: Duration

    /// Maximum time that a request waits.
    private static let maximumWait: Duration = .seconds(2)

    private struct State: Sendable {
        /// The revision up to which changes are applied.
        var applied = StoreRevision.zero
        /// Receives ``applied`` for the read in progress.
        var observer: AsyncStream<StoreRevision>.Continuation?
        /// The read that has not started yet; its value is true when its revision was reached.
        var next: Task<Bool, Never>?
        /// The last read.
        var last: Task<Bool, Never>?
        var lastStart: ContinuousClock.Instant?
    }

    private let state = Locked(State())
    private let newestRevision: @Sendable () async throws(TemplateStoreError) -> StoreRevision

    /// Nil for a store that no other process can change.
    package convenience init?(of store: any TemplateStore) {
        guard let store = store as? any SharedStoring else { return nil }
        let isOnOtherMachines = store is any ReplicaStoring
        self.init(readInterval: .milliseconds(isOnOtherMachines ? 250 : 10)) {
            () async throws(TemplateStoreError) -> StoreRevision in
            try await store.newestRevision()
        }
    }

    init(
        readInterval: Duration = .milliseconds(250),
        newestRevision: @escaping @Sendable () async throws(TemplateStoreError) -> StoreRevision
    ) {
        self.readInterval = readInterval
        self.newestRevision = newestRevision
    }

    /// Records that all changes up to a revision are applied.
    package func advance(to revision: StoreRevision) {
        let observer = state.withLock { state in
            state.applied = revision
            return state.observer
        }
        observer?.yield(revision)
    }

    /// Returns when all changes that the store had at the time of the call are applied.
    ///
    /// - Throws: A ``RequestError`` with status 503 when this takes more than two seconds.
    package func catchUp() async throws(RequestError) {
        let read = nextRead()
        guard await result(within: Self.maximumWait, of: { await read.value }) == true else {
            throw .behindStore
        }
    }

    /// The next read, which starts after the last one.
    func nextRead() -> Task<Bool, Never> {
        state.withLock { state in
            if let next = state.next { return next }
            let (last, lastStart) = (state.last, state.lastStart)
            let next = Task {
                _ = await last?.value
                if let lastStart {
                    try? await Task.sleep(until: lastStart + self.readInterval, clock: .continuous)
                }
                return await self.readAndAwait()
            }
            (state.next, state.last) = (next, next)
            return next
        }
    }

    /// Reads the newest revision and waits until it is applied; returns false after a failure or a
    /// timeout.
    private func readAndAwait() async -> Bool {
        state.withLock { state in
            state.next = nil
            state.lastStart = .now
        }
        return await result(within: Self.maximumWait) { () async -> Bool in
            guard let newest = try? await self.newestRevision() else { return false }
            return await self.reaches(newest)
        } ?? false
    }

    private func reaches(_ revision: StoreRevision) async -> Bool {
        let (revisions, continuation) = AsyncStream.makeStream(
            of: StoreRevision.self, bufferingPolicy: .bufferingNewest(1))
        let isReached = state.withLock { state in
            state.observer = continuation
            return state.applied >= revision
        }
        if isReached { return true }
        for await applied in revisions where applied >= revision { return true }
        return false
    }
}

extension RequestError {
    /// 503: the server has not applied all changes of its store.
    fileprivate static let behindStore = RequestError(
        httpStatus: .serviceUnavailable, statusName: "UNAVAILABLE",
        message:
            "The server is behind its store, which may have the resource: try again in a second.",
        headerFields: [.retryAfter: "1"])
}
