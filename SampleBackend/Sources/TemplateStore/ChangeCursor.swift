/// A cursor in a store's change log.
///
/// Holds one page of the log, and reads the next page when that is consumed. A slow reader
/// therefore needs no memory; it gets `watchLost` when the log no longer has the changes that it
/// missed.
package actor ChangeCursor {
    /// Reads a page of the log after a revision, in order; empty at the end of the log.
    package typealias Read =
        @Sendable (StoreRevision) async throws(TemplateStoreError) -> [StoreChange]

    /// Revision of the last change returned.
    private var position: StoreRevision
    /// The rest of the page, newest first.
    private var pending: [StoreChange] = []
    private var isFinished = false
    private let signal: ChangeSignal
    private let read: Read
    /// Called when a reader starts waiting.
    private let whenWaiting: @Sendable () -> Void

    package init(
        after revision: StoreRevision, signal: ChangeSignal,
        whenWaiting: @escaping @Sendable () -> Void, read: @escaping Read
    ) {
        position = revision
        self.signal = signal
        self.whenWaiting = whenWaiting
        self.read = read
    }

    /// The next change, or nil when the store is closed or the task is cancelled.
    package func next() async throws(TemplateStoreError) -> StoreChange? {
        while !isFinished {
            if signal.isFinished || Task.isCancelled { break }
            if let change = pending.popLast() {
                position = change.revision
                return change
            }
            do {
                pending = try await read(position).reversed()
            } catch {
                isFinished = true
                if signal.isFinished || Task.isCancelled { break }
                throw error.code == .watchLost ? error : .watchLost(after: position, error)
            }
            if pending.isEmpty {
                await signal.wait(after: position, whenWaiting: whenWaiting)
            }
        }
        isFinished = true
        return nil
    }
}

extension StoreChanges {
    /// Follows the log after a revision: existing changes first, then appended ones.
    package init(
        after revision: StoreRevision, signal: ChangeSignal,
        whenWaiting: @escaping @Sendable () -> Void = {}, read: @escaping ChangeCursor.Read
    ) {
        let cursor = ChangeCursor(
            after: revision, signal: signal, whenWaiting: whenWaiting, read: read)
        self.init(AsyncThrowingStream { try await cursor.next() })
    }
}

extension TemplateStoreError {
    /// The error after a failure of the engine, in which changes may have been missed.
    fileprivate static func watchLost(
        after revision: StoreRevision, _ error: TemplateStoreError
    ) -> TemplateStoreError {
        TemplateStoreError(
            .watchLost,
            "The changes after revision \(revision) cannot be read; read a snapshot and follow on "
                + "from its revision.", underlyingError: error)
    }

    /// The error when the log no longer has the changes after a revision.
    package static func watchLost(
        after revision: StoreRevision, latest: StoreRevision
    ) -> TemplateStoreError {
        let reason =
            revision > latest
            ? "is newer than the store, which is at \(latest): it was replaced"
            : "is so old that the changes after it are no longer kept"
        return TemplateStoreError(
            .watchLost,
            "Revision \(revision) \(reason); read a snapshot and follow on from its revision.")
    }
}
