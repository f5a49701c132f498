import ActiveConfig

/// Buffers an answer between its receiver and the one task that reads it.
///
/// The unread size is bounded: exceeding it ends the answer with an error.
final class StreamBuffer<Head: Sendable, Element: Sendable>: Sendable {
    private struct State {
        var head: Head?
        var elements: [Element] = []
        /// The size of the elements, in bytes.
        var size = 0
        /// Nil while more may arrive.
        var end: Result<Void, any Error>?
        /// The reading task, while it waits.
        var waiting: CheckedContinuation<Void, Never>?
        /// Change count, so that a task that is about to wait misses none.
        var changes = 0
        /// True once the reading task was cancelled.
        var isCancelled = false

        mutating func takeElements() -> [Element] {
            defer { (elements, size) = ([], 0) }
            return elements
        }
    }

    /// Limit of the unread size.
    private let maximumSize: Int
    private let state = Locked(State())

    init(maximumSize: Int) { self.maximumSize = maximumSize }

    var hasEnded: Bool { state.withLock { $0.end != nil } }

    func receive(_ head: Head) {
        wake { state in
            if state.end == nil { state.head = head }
        }
    }

    /// False when nothing more is wanted, or the size exceeds the limit: the answer has then ended
    /// with `tooLarge` of its head.
    func receive(
        _ elements: some Collection<Element>, size: Int, orEndWith tooLarge: (Head?) -> any Error
    ) -> Bool {
        var isWanted = true
        wake { state in
            guard state.end == nil else {
                isWanted = false
                return
            }
            guard size <= maximumSize - state.size else {
                isWanted = false
                _ = state.takeElements()
                state.end = .failure(tooLarge(state.head))
                return
            }
            state.elements.append(contentsOf: elements)
            state.size += size
        }
        return isWanted
    }

    /// Only the first end counts.
    func end(_ result: Result<Void, any Error>) {
        wake { state in
            guard state.end == nil else { return }
            state.end = result
            if case .failure = result { _ = state.takeElements() }
        }
    }

    /// The head of the answer, as soon as it arrives.
    func head() async throws -> Head {
        try await wait { state in
            if let head = state.head { return .success(head) }
            return state.end.map { $0.flatMap { .failure(DownloadError(.connectionLost)) } }
        }
    }

    /// The whole body, once complete.
    func body() async throws -> [Element] {
        try await wait { state in state.end.map { $0.map { state.takeElements() } } }
    }

    /// The elements that arrived since the last call, at least one; nil at the end.
    func next() async throws -> [Element]? {
        try await wait { state in
            if !state.elements.isEmpty { return .success(state.takeElements()) }
            return state.end.map { $0.map { nil } }
        }
    }

    /// Waits until `outcome` returns one; `outcome` is called under the lock.
    private func wait<Value: Sendable>(
        _ outcome: @Sendable (inout State) -> Result<Value, any Error>?
    ) async throws -> Value {
        while true {
            let (found, seen) = state.withLock { state in
                (state.isCancelled ? .failure(CancellationError()) : outcome(&state), state.changes)
            }
            if let found { return try found.get() }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let hasChanged = state.withLock { state in
                        if state.changes == seen { state.waiting = continuation }
                        return state.changes != seen
                    }
                    if hasChanged { continuation.resume() }
                }
            } onCancel: {
                wake { $0.isCancelled = true }
            }
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            state.changes += 1
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }
}
