import Dispatch
import Foundation

/// Batches records of downloads for the store.
extension DownloadHistory {
    /// Records that are not stored yet.
    struct Unwritten {
        var last: DownloadRecord?
        var fetches: [String: Fetch] = [:]
        /// When the record was written last; nil: not in this launch.
        var writeTime: Date?
        /// True while a later write is scheduled.
        var isScheduled = false

        var isEmpty: Bool { last == nil && fetches.isEmpty }

        /// Merges these records into the stored state, in which another process may have newer
        /// ones.
        func add(to state: inout State, at now: Date) {
            if let last { state.last = last.newest(state.last, at: now) }
            state.fetches.merge(fetches) { stored, noted in noted.newest(stored, at: now) }
            state.fetches.trim(by: \.time) { fetches[$0] != nil }
        }

        /// Removes the records, which become changes of the stored state.
        mutating func take() -> Self {
            defer { (last, fetches) = (nil, [:]) }
            return self
        }
    }

    /// Number of users whose last download is stored, which bounds the size of a write.
    static let maximumStoredCount = 50
    /// Minimum seconds between two deferrable writes.
    static let writeInterval = 60.0

    /// Records a successful download; blocks when that must be written at once.
    ///
    /// `isActive`: the newest document is the active one. `isStored`: the store has it; otherwise the
    /// next launch has an older one, which starts no interval.
    func noteSuccess(
        of request: Request, _ outcome: DownloadOutcome, after duration: Duration, isActive: Bool,
        isStored: Bool = true
    ) {
        let (state, time) = (stored.value, now())
        let old = fetch(of: request.userID)
        let hasFailed = state.wait != nil || state.failureCount != 0
        let wasStale = old.map { $0.staleCount != request.staleCount } ?? false
        // Otherwise the next launch would ask within the interval.
        let isFirst =
            old == nil && isStored && policy.minimumInterval > .zero
            && state.fetches.count < Self.maximumStoredCount
        note(
            DownloadRecord(
                time: time, outcome: outcome, duration: duration, userID: request.userID.string),
            Fetch(
                time: time,
                documentTime: outcome == .downloaded ? time : old?.documentTime ?? time,
                confirmedTime: isActive ? time : old?.confirmedTime, digest: request.digest,
                staleCount: request.staleCount),
            of: request.userID, isStored: isStored)
        users.withLock { $0[request.userID]?.rejectionStatus = nil }
        write(atOnce: hasFailed || wasStale || isFirst) { state in
            if hasFailed { (state.failureCount, state.wait) = (0, nil) }
        }
    }

    /// Records a pushed change; blocks when that must be written at once.
    ///
    /// Does not clear a stale mark: the server may have sent the change before.
    ///
    /// `isActive` and `isStored` as for a download.
    func notePush(of request: Request, isActive: Bool, isStored: Bool) {
        let (time, userID) = (now(), request.userID)
        let old = fetch(of: userID)
        note(
            DownloadRecord(
                time: time, outcome: .pushed, duration: .zero, userID: userID.string),
            Fetch(
                time: time, documentTime: time,
                confirmedTime: isActive ? time : old?.confirmedTime,
                digest: old?.digest ?? request.digest,
                staleCount: old?.staleCount ?? request.staleCount),
            of: userID, isStored: isStored)
        write(atOnce: false)
    }

    /// Records that the server has confirmed a document without a download; blocks as for a change.
    ///
    /// Not a download of its own, and does not clear a stale mark, as the answer may have been on its
    /// way before.
    ///
    /// `isActive` and `isStored` as for a download.
    func noteConfirmation(of request: Request, isActive: Bool, isStored: Bool) {
        let (time, userID) = (now(), request.userID)
        let old = fetch(of: userID)
        note(
            nil,
            Fetch(
                time: time, documentTime: old?.documentTime ?? time,
                confirmedTime: isActive ? time : old?.confirmedTime,
                digest: old?.digest ?? request.digest,
                staleCount: old?.staleCount ?? request.staleCount),
            of: userID, isStored: isStored)
        write(atOnce: false)
    }

    /// Records a failed download; blocks when it starts a wait, which is written at once.
    ///
    /// `isOfApp`: it says nothing about the server, and starts none.
    func noteFailure(
        of request: Request, _ error: any Error, after duration: Duration, isOfApp: Bool = false
    ) {
        let (state, time) = (stored.value, now())
        let download = error as? DownloadError
        let status = download?.status
        note(
            DownloadRecord(
                time: time, outcome: .failed, status: status, code: download?.code,
                message: error.logDescription, duration: duration, userID: request.userID.string),
            nil, of: request.userID)
        guard let backoff = policy.backoff, !isOfApp, let failure = FetchPolicy.Failure(error)
        else {
            return write(atOnce: false)
        }
        let count = min(max(state.failureCount, 0), 1_000) + 1
        let new = Wait(
            start: time,
            seconds: backoff.wait(afterFailures: count, failure, drawn: backoff.draw()),
            status: status)
        // Concurrent requests fail together: one wait covers all.
        let isCovered = wait?.covers(new, at: time) ?? false
        write(atOnce: !isCovered) { state in
            if !isCovered { (state.failureCount, state.wait) = (count, new) }
        }
    }

    /// `isStored`: false keeps `fetch` in memory.
    private func note(
        _ last: DownloadRecord?, _ fetch: Fetch?, of userID: UserID, isStored: Bool = true
    ) {
        let key = userID.digest
        if let fetch { remember(userID) { $0.fetch = fetch } }
        unwritten.withLock { unwritten in
            if let last { unwritten.last = last }
            guard let fetch, isStored else { return }
            unwritten.fetches[key] = fetch
            unwritten.fetches.trim(by: \.time) { $0 == key }
        }
    }

    /// Writes the records if one is urgent or a minute has passed; else schedules a write.
    private func write(
        atOnce isNeeded: Bool, _ change: @escaping @Sendable (inout State) -> Void = { _ in }
    ) {
        let time = now()
        // Read before the lock is taken.
        _ = stored.value
        let (isDue, isFirst) = unwritten.withLock { unwritten in
            let elapsed = unwritten.writeTime.map { time.timeIntervalSince($0) }
            if !isNeeded, let elapsed, (0..<Self.writeInterval).contains(elapsed) {
                defer { unwritten.isScheduled = true }
                return (false, !unwritten.isScheduled)
            }
            unwritten.writeTime = time
            // Under the lock, which orders it with `forget`.
            let noted = unwritten.take()
            stored.note { state in
                noted.add(to: &state, at: time)
                change(&state)
            }
            return (true, false)
        }
        if isDue {
            stored.write()
        } else if isFirst {
            DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + writeDelay) {
                [weak self] in self?.writeLate()
            }
        }
    }

    private func writeLate() {
        let isEmpty = unwritten.withLock { unwritten in
            unwritten.isScheduled = false
            return unwritten.isEmpty
        }
        if !isEmpty { write(atOnce: true) }
    }

    /// Blocks.
    func markStale() {
        let time = now()
        stored.update { state in
            // Counts can overflow: only the difference to a user's matters.
            state.staleCount &+= 1
            state.staleTime = time
        }
    }

    /// Records that a user's newest document became active; blocks.
    func noteActivation(of userID: UserID) {
        users.withLock { users in
            guard let time = users[userID]?.fetch?.time else { return }
            users[userID]?.fetch?.confirmedTime = time
        }
        write(atOnce: true) { state in
            guard var fetch = state.fetches[userID.digest] else { return }
            fetch.confirmedTime = fetch.time
            state.fetches[userID.digest] = fetch
        }
    }

    /// Blocks.
    ///
    /// - Throws: when the store keeps a record with the user; memory has none any more.
    func forget(_ userID: UserID) throws {
        _ = stored.value
        users.withLock { $0[userID] = nil }
        unwritten.withLock { unwritten in
            unwritten.fetches[userID.digest] = nil
            if UserID(unwritten.last?.userID) == userID { unwritten.last = nil }
            stored.note { state in
                state.fetches[userID.digest] = nil
                if UserID(state.last?.userID) == userID { state.last = nil }
            }
        }
        if let failure = stored.write() { throw failure }
    }
}

extension Dictionary where Key == String {
    /// Drops the oldest beyond the limit, but none of the newest, whose time can be earlier after
    /// the clock was set back.
    fileprivate mutating func trim(
        by time: (Value) -> Date, keeping isNewest: (String) -> Bool
    ) {
        let surplus = count - DownloadHistory.maximumStoredCount
        guard surplus > 0 else { return }
        let old = filter { !isNewest($0.key) }.sorted { time($0.value) < time($1.value) }
        for (key, _) in old.prefix(surplus) { self[key] = nil }
    }
}
