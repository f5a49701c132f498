internal import Dispatch

/// Whether a download has succeeded on this installation, which is reported once.
///
/// If the store cannot record it, the first download of this launch counts as the installation's,
/// and each later one tries again.
final class FirstDownload: Sendable {
    /// The outcome of recording a success.
    struct Record: Sendable {
        /// True for the first successful download of the installation.
        var isFirst = false
        /// True when the store has now recorded it.
        var isStored = false
    }

    private struct State: Sendable {
        /// True since the first download of this launch.
        var isFinished = false
        /// True once the store is known to have recorded it for the installation; without a store,
        /// once it is reported.
        var isRecorded = false
        /// True when it was recorded by a download that was abandoned, and so is not reported yet.
        var isUnreported = false
    }

    private let state = Locked(State())
    /// Taken within users' turns.
    private let queue = DispatchQueue(label: "ActiveConfig.firstDownload")
    private let store: MarkedStore?
    private let log: ActiveConfigLog

    init(store: MarkedStore?, log: ActiveConfigLog) { (self.store, self.log) = (store, log) }

    /// True in this launch or an earlier one recorded in the store.
    var isFinished: Bool {
        state.withLock { $0.isFinished } || store?.firstDownloadFinished ?? false
    }

    /// Runs the end of a download: until the first one is recorded, one after the other, so that the
    /// first one is reported before the others.
    func inOrder<Result>(_ end: () -> Result) -> Result {
        state.withLock { $0.isRecorded } ? end() : queue.sync(execute: end)
    }

    /// Records in the store that a download has succeeded.
    func record() -> Record {
        let (isFirstHere, isRecorded) = state.withLock { (!$0.isFinished, $0.isRecorded) }
        if isRecorded { return Record() }
        guard let store else { return Record(isFirst: isFirstHere) }
        do {
            let isFirst =
                try !store.firstDownloadFinished && store.recordFirstDownloadFinished()
            return Record(isFirst: isFirst && isFirstHere, isStored: true)
        } catch {
            log(
                .error,
                "That the first download succeeded could not be stored: \(error.logDescription)")
            return Record(isFirst: isFirstHere)
        }
    }

    /// Notes the end of a download.
    ///
    /// - Parameters:
    ///   - isFirst: True for the installation's first download.
    ///   - isCounted: False for one without a request.
    /// - Returns: True when the first download is to be reported.
    func finish(isFirst: Bool, isCounted: Bool) -> Bool {
        state.withLock { state in
            state.isFinished = true
            guard isFirst || isCounted && state.isUnreported else { return false }
            state.isUnreported = false
            return true
        }
    }

    /// Notes what was recorded, once its download is reported or abandoned.
    func settle(_ record: Record, isAbandoned: Bool) {
        guard record.isFirst || record.isStored else { return }
        state.withLock { state in
            // Set last: ends that read true do not take turns, so the first must be reported before.
            if record.isStored || store == nil && !isAbandoned { state.isRecorded = true }
            if record.isFirst, isAbandoned { state.isUnreported = true }
        }
    }
}
