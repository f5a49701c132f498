/// Signals changes to any number of streams; unread signals coalesce into one.
package final class ChangeSignals: Sendable {
    private struct State {
        var observers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastNumber = 0
        var count = 0
    }

    private let state = Locked(State())

    package init() {}

    #if DEBUG
        var observerCount: Int { state.withLock { $0.observers.count } }
    #endif

    /// How often it has changed.
    var count: Int { state.withLock { $0.count } }

    package func yield() {
        let observers = state.withLock { state in
            state.count += 1
            return Array(state.observers.values)
        }
        for observer in observers { observer.yield() }
    }

    /// The changes from now on.
    package func makeStream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.lastNumber += 1
            state.observers[state.lastNumber] = continuation
            return state.lastNumber
        }
        continuation.onTermination = { [weak self] _ in
            // Released after the lock.
            _ = self?.state.withLock { $0.observers.removeValue(forKey: number) }
        }
        return stream
    }
}
