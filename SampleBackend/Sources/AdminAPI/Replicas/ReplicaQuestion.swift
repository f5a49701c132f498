import TemplateStore

/// Reads the announcements of all replicas, one read at a time, shared by concurrent callers.
///
/// Callers wait together for a read in progress; after a failure no caller waits for the next read.
/// Only a few requests of administrators run at a time, so waiting ones would block all others.
final class ReplicaQuestion: Sendable {
    typealias Answer = [ReplicaAnnouncement]?

    /// The time for which a failure is returned, unless a later read succeeds.
    private static let failureTime: Duration = .seconds(10)

    /// Minimum time between the end of a failed read and the start of the next.
    private static let pause: Duration = .seconds(1)

    private struct State: Sendable {
        var asking: Task<Answer, Never>?
        /// The time of the last failure; nil after a success.
        var failure: ContinuousClock.Instant?
    }

    private let state = Locked(State())
    private let ask: @Sendable () async -> Answer

    /// - Parameter ask: Reads the store; nil when it fails.
    init(_ ask: @escaping @Sendable () async -> Answer) { self.ask = ask }

    /// The announcements; nil when the store fails or has recently failed.
    func answer() async -> Answer {
        let asking = state.withLock { state -> Task<Answer, Never>? in
            let failureAge = state.failure.map { $0.duration(to: .now) }
            if state.asking == nil, failureAge ?? Self.pause >= Self.pause {
                state.asking = Task { await self.askOnce() }
            }
            if let failureAge, failureAge < Self.failureTime { return nil }
            return state.asking
        }
        return await asking?.value
    }

    private func askOnce() async -> Answer {
        let answer = await ask()
        state.withLock { state in
            state.asking = nil
            state.failure = answer == nil ? .now : nil
        }
        return answer
    }
}
