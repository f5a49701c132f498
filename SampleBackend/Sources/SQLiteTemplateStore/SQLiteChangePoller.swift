import TemplateStore

/// Asks now and then what other processes have written, while somebody follows the changes.
final class SQLiteChangePoller: Sendable {
    private let interval: Duration
    /// Whom to tell.
    private let signal: ChangeSignal
    /// The task that asks, while there is one.
    private let task = Locked<Task<Void, Never>?>(nil)

    init(interval: Duration, signal: ChangeSignal) {
        self.interval = interval
        self.signal = signal
    }

    /// Begins to ask, unless it does already; it ends when nobody waits any more.
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

    /// Asks until nobody waits any more.
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

    /// Whether anybody waits; if not, the next wait starts another task.
    private func isNeeded() -> Bool {
        task.withLock { task in
            let isNeeded = signal.hasWaiters
            if !isNeeded { task = nil }
            return isNeeded
        }
    }
}
