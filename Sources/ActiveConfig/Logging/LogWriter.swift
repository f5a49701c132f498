/// A message with its level.
struct LogMessage: Sendable, Hashable {
    let level: ActiveConfigLog.Level
    let text: String
}

/// Calls the closure of a log, never from within itself.
///
/// A closure may read the configuration, which may have to be loaded, which may log. Such a message
/// waits until the call that it came of has returned; a nested call would end in a stack overflow.
final class LogWriter: Sendable {
    /// A call of a closure, with what it raises.
    private final class Call: Sendable {
        /// What a call has as long as it goes on.
        private struct State {
            /// The messages that are not written yet.
            var waiting: [LogMessage]
            /// All messages there were.
            var all: Set<LogMessage>
            /// The call of another log's closure that this one is made in, and so on.
            let outer: Call?
        }

        /// Nil when the call is over: a task that its closure started may keep the call for ever, and
        /// must not keep those that it was made in.
        private let state: Locked<State?>
        let writer: LogWriter

        init(_ message: LogMessage, of writer: LogWriter, in outer: Call?) {
            state = Locked(State(waiting: [message], all: [message], outer: outer))
            self.writer = writer
        }

        var outer: Call? { state.withLock { $0?.outer } }

        /// Adds a message, unless there was an equal one: a closure that raises what it is called for
        /// would never end.
        ///
        /// False: the call is over.
        func add(_ message: LogMessage) -> Bool {
            state.withLock { state in
                if state?.all.insert(message).inserted == true { state?.waiting.append(message) }
                return state != nil
            }
        }

        /// The next message; nil when there is none, and the call is over.
        func next() -> LogMessage? {
            // What it held is released behind the lock: a closure may go with its log.
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
    /// A task that a closure starts inherits it, and finds it over when the closure has returned.
    @TaskLocal private static var current: Call?

    private let body: @Sendable (ActiveConfigLog.Level, String) -> Void

    init(_ body: @escaping @Sendable (ActiveConfigLog.Level, String) -> Void) {
        self.body = body
    }

    /// Writes a message now, or after the message whose writing raised it.
    func write(_ message: LogMessage) {
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
