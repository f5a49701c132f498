internal import Foundation

/// What the calling thread is inside of.
///
/// Threads are compared, so a task or a thread that is started there is not concerned: it may wait.
package enum ThreadMark: Int, CaseIterable, Sendable {
    /// A user's turn: the thread must not wait for a turn, which could be its own or wait for it.
    case turn
    /// A call of a store: the thread must not wait for a turn or for the write of a record, which
    /// could wait for this call.
    case storeCall
    /// A call of an observer: the thread must not wait for such a call, which could be its own.
    case observerCall

    private typealias Call = @Sendable () -> Void

    private struct Marks {
        /// Nested runs by mark.
        var depths = Array(repeating: 0, count: ThreadMark.allCases.count)
        /// Calls of the app's code, to be made when the thread is not held any more.
        var calls: [Call] = []

        var isHeld: Bool {
            depths[ThreadMark.turn.rawValue] + depths[ThreadMark.storeCall.rawValue] > 0
        }

        /// The calls that may be made now.
        mutating func takeCalls() -> [Call] {
            guard !isHeld else { return [] }
            defer { calls = [] }
            return calls
        }
    }

    /// Of the threads that have marks.
    private static let threads = Locked<[ObjectIdentifier: Marks]>([:])

    private static var thread: ObjectIdentifier { ObjectIdentifier(Thread.current) }

    package var isSet: Bool {
        let thread = Self.thread
        return Self.threads.withLock { $0[thread].map { $0.depths[rawValue] > 0 } ?? false }
    }

    /// True inside a turn or a store's call: what would wait for a turn has to happen afterwards.
    static var isHeld: Bool {
        let thread = Self.thread
        return threads.withLock { $0[thread]?.isHeld ?? false }
    }

    /// Runs `body` with the mark, and afterwards the calls that it has put off.
    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        begin()
        defer { end() }
        return try body()
    }

    private func begin() {
        let thread = Self.thread
        Self.threads.withLock { $0[thread, default: Marks()].depths[rawValue] += 1 }
    }

    private func end() {
        let thread = Self.thread
        let calls = Self.threads.withLock { threads -> [Call] in
            guard var marks = threads[thread] else { return [] }
            marks.depths[rawValue] -= 1
            let calls = marks.takeCalls()
            threads[thread] = marks.depths.allSatisfy { $0 == 0 } ? nil : marks
            return calls
        }
        for call in calls { call() }
    }

    /// Calls code of the app, such as its log and its observers: now, or at the end of the thread's
    /// turn or store's call, as that code may call the framework and wait.
    static func afterwards(_ call: @escaping @Sendable () -> Void) {
        let thread = Self.thread
        let isHeld = threads.withLock { threads in
            guard threads[thread]?.isHeld == true else { return false }
            threads[thread]?.calls.append(call)
            return true
        }
        if !isHeld { call() }
    }
}
