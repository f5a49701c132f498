struct LogMessage: Sendable, Hashable {
    let level: ActiveConfigLog.Level
    let text: String
}

/// Calls a log's closure without reentrancy.
///
/// The closure may read the configuration, which may load it, which may log. Such a message waits
/// until the current call has returned; nested calls would overflow the stack.
final class LogWriter: Sendable {
    /// A running call of the closure, with the messages that it causes.
    private final class Call: Sendable {
        private struct State {
            /// Messages not written yet.
            var waiting: [LogMessage]
            /// All messages so far.
            var all: Set<LogMessage>
            /// The call of another log's closure that caused this one.
            let outer: Call?
        }

        /// Nil when the call is over: a task started by the closure may keep this object forever,
        /// and must not keep the outer calls.
        private let state: Locked<State?>
        let writer: LogWriter

        init(_ message: LogMessage, of writer: LogWriter, in outer: Call?) {
            state = Locked(State(waiting: [message], all: [message], outer: outer))
            self.writer = writer
        }

        var outer: Call? { state.withLock { $0?.outer } }

        /// Adds a message unless an equal one was added before, which prevents endless cycles of
        /// messages.
        ///
        /// - Returns: False when the call is over.
        func add(_ message: LogMessage) -> Bool {
            state.withLock { state in
                if state?.all.insert(message).inserted == true { state?.waiting.append(message) }
                return state != nil
            }
        }

        /// Nil ends the call.
        func next() -> LogMessage? {
            // Released after the lock: a closure may be released with its log.
            let (message, over): (LogMessage?, State?) = state.withLock { state in
                guard state?.waiting.isEmpty != false else {
                    return (state?.waiting.removeFirst(), nil)
                }
                defer { state = nil }
                return (nil, state)
            }
            withExtendedLifetime(over) {}
            return message
        }
    }

    /// The call that this code runs in.
    ///
    /// A task started by a closure inherits it, and finds it over once the closure has returned.
    @TaskLocal private static var current: Call?

    private let body: @Sendable (ActiveConfigLog.Level, String) -> Void

    init(_ body: @escaping @Sendable (ActiveConfigLog.Level, String) -> Void) {
        self.body = body
    }

    /// Writes a message now, or after the one that caused it; not within a turn or a
    /// store's call.
    func write(_ message: LogMessage) {
        ThreadMark.afterwards { self.writeInOrder(message) }
    }

    private func writeInOrder(_ message: LogMessage) {
        var outer = Self.current
        while let call = outer {
            if call.writer === self, call.add(message) { return }
            outer = call.outer
        }
        let call = Call(message, of: self, in: Self.current)
        Self.$current.withValue(call) {
            while let message = call.next() { body(message.level, message.text) }
        }
    }
}
