/// Defers calls of the app's code, such as its log and its observers, while the calling code holds
/// one of the framework's queues.
enum HeldCalls {
    private typealias Call = @Sendable () -> Void

    private final class Waiting: Sendable {
        /// Nil once they are made: a task started meanwhile may keep this object.
        private let calls = Locked<[Call]?>([])

        var isOver: Bool { calls.withLock { $0 == nil } }

        /// False when they are made already.
        func add(_ call: @escaping Call) -> Bool {
            calls.withLock { calls in
                calls?.append(call)
                return calls != nil
            }
        }

        func make() {
            let calls = calls.withLock { calls in
                defer { calls = nil }
                return calls
            }
            for call in calls ?? [] { call() }
        }
    }

    @TaskLocal private static var waiting: Waiting?

    /// Runs code that holds a queue, and makes its calls afterwards.
    static func holding<Result>(_ body: () throws -> Result) rethrows -> Result {
        if let waiting, !waiting.isOver { return try body() }
        let waiting = Waiting()
        defer { waiting.make() }
        return try $waiting.withValue(waiting, operation: body)
    }

    /// Makes a call now, or when no queue is held any more.
    static func call(_ call: @escaping @Sendable () -> Void) {
        if waiting?.add(call) != true { call() }
    }
}
