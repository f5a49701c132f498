import TemplateStore

/// Polls for changes by other processes while anybody follows the changes.
final class SQLiteChangePoller: Sendable {
    private let interval: Duration
    /// Advanced by each poll.
    private let signal: ChangeSignal
    /// The polling task; nil while nobody waits.
    private let task = Locked<Task<Void, Never>?>(nil)

    init(interval: Duration, signal: ChangeSignal) {
        self.interval = interval
        self.signal = signal
    }

    /// Starts polling unless it runs; it ends when nobody waits.
    ///
    /// - Parameter latest: Reads the newest revision.
    func start(
        reading latest: @escaping @Sendable () async throws(TemplateStoreError) -> StoreRevision
    ) {
        task.withLock { task in
            guard task == nil else { return }
            task = Task { await self.poll(latest) }
        }
    }

    /// Polls until nobody waits.
    private func poll(
        _ latest: @Sendable () async throws(TemplateStoreError) -> StoreRevision
    ) async {
        while isNeeded() {
            do {
                let revision = try await latest()
                // An older one means that what is stored was replaced.
                if revision < signal.latest { signal.wake() }
                signal.advance(to: revision)
            } catch {
                // Those who wait find the failure themselves.
                signal.wake()
            }
            try? await Task.sleep(for: interval)
        }
    }

    /// Whether anybody waits; if not, clears the task so that the next wait starts another.
    private func isNeeded() -> Bool {
        task.withLock { task in
            let isNeeded = signal.hasWaiters
            if !isNeeded { task = nil }
            return isNeeded
        }
    }
}
