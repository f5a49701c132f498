import TemplateStore

/// The question for the announcements of all replicas: one at a time, for all who ask meanwhile.
///
/// Those who ask before it has failed wait for it together, and nobody waits for the next one: requests of
/// administrators run a few at a time, so that those who wait would keep out all others.
final class ReplicaQuestion: Sendable {
    typealias Answer = [ReplicaAnnouncement]?

    /// The time for which a failure is the answer, unless a later question succeeds.
    private static let failureTime: Duration = .seconds(10)

    /// Minimum time between the ends of a question that fails and the beginning of the next.
    private static let pause: Duration = .seconds(1)

    private struct State: Sendable {
        var asking: Task<Answer, Never>?
        /// The time of the last failure; nil after a success.
        var failure: ContinuousClock.Instant?
    }

    private let state = Locked(State())
    private let ask: @Sendable () async -> Answer

    /// - Parameter ask: Asks the store; nil when it fails.
    init(_ ask: @escaping @Sendable () async -> Answer) { self.ask = ask }

    /// The announcements; nil when the store has just failed, or fails now.
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
