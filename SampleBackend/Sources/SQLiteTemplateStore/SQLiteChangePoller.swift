import TemplateStore

/// Polls for changes by other processes while readers wait for changes.
final class SQLiteChangePoller: Sendable {
    private let interval: Duration
    /// Advanced by each poll.
    private let signal: ChangeSignal
    /// The polling task; nil while no reader waits.
    private let task = Locked<Task<Void, Never>?>(nil)

    init(interval: Duration, signal: ChangeSignal) {
        self.interval = interval
        self.signal = signal
    }

    /// Starts polling unless it is running.
    ///
    /// Polling stops when no reader waits.
    ///
    /// `latest` reads the newest revision.
    func start(
        reading latest: @escaping @Sendable () async throws(TemplateStoreError) -> StoreRevision
    ) {
        task.withLock { task in
            guard task == nil else { return }
            task = Task { await self.poll(latest) }
        }
    }

    /// Polls until no reader waits.
    private func poll(
        _ latest: @Sendable () async throws(TemplateStoreError) -> StoreRevision
    ) async {
        while isNeeded() {
            do {
                let revision = try await latest()
                // An older revision means that the content was replaced.
                if revision < signal.latest { signal.wake() }
                signal.advance(to: revision)
            } catch {
                // The waiting readers will get the failure themselves.
                signal.wake()
            }
            try? await Task.sleep(for: interval)
        }
    }

    /// True while a reader waits.
    ///
    /// Otherwise clears the task, so that the next wait starts another one.
    private func isNeeded() -> Bool {
        task.withLock { task in
            let isNeeded = signal.hasWaiters
            if !isNeeded { task = nil }
            return isNeeded
        }
    }
}
