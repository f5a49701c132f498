/// A place in the log of a store's changes, which moves on as it is read.
///
/// It holds a part of the log only, and asks for more when that is read: a reader that does not
/// keep up takes no memory, and loses the watch when the log no longer has what it missed.
package actor ChangeCursor {
    /// Reads what the log has after a revision, in order, some of it or nothing.
    package typealias Read =
        @Sendable (StoreRevision) async throws(TemplateStoreError) -> [StoreChange]

    /// The revision of the last change given.
    private var position: StoreRevision
    /// What was read and not given, the newest first.
    private var pending: [StoreChange] = []
    /// Whether there is nothing to come.
    private var isFinished = false
    /// Says that there may be more.
    private let signal: ChangeSignal
    /// Reads the log.
    private let read: Read
    /// Called when a reader begins to wait.
    private let whenWaiting: @Sendable () -> Void

    /// Makes a cursor after a revision.
    package init(
        after revision: StoreRevision, signal: ChangeSignal,
        whenWaiting: @escaping @Sendable () -> Void, read: @escaping Read
    ) {
        position = revision
        self.signal = signal
        self.whenWaiting = whenWaiting
        self.read = read
    }

    /// The next change, or nil when the store is closed or the task cancelled.
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
    /// Makes a sequence of what a log has after a revision and of what is added to it.
    ///
    /// - Parameters:
    ///   - revision: The revision.
    ///   - signal: Says that there may be more.
    ///   - whenWaiting: Called when the reader begins to wait.
    ///   - read: Reads the log.
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
    /// That changes may have been missed, since the engine failed.
    fileprivate static func watchLost(
        after revision: StoreRevision, _ error: TemplateStoreError
    ) -> TemplateStoreError {
        TemplateStoreError(
            .watchLost,
            "The changes after revision \(revision) cannot be read; read a snapshot and follow on "
                + "from its revision.", underlyingError: error)
    }

    /// That a log does not have what comes after a revision.
    ///
    /// - Parameters:
    ///   - revision: The revision.
    ///   - latest: The newest revision of the store.
    /// - Returns: The error.
    package static func watchLost(
        after revision: StoreRevision, latest: StoreRevision
    ) -> TemplateStoreError {
        let reason =
            revision > latest
            ? "is newer than the store, which is at \(latest): it was replaced"
            : "is so old that what came after it is no longer kept"
        return TemplateStoreError(
            .watchLost,
            "Revision \(revision) \(reason); read a snapshot and follow on from its revision.")
    }
}
