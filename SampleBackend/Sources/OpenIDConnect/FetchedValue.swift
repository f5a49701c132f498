/// A value of a provider that is fetched again when it is too old; concurrent callers share a fetch.
actor FetchedValue<Value: Sendable> {
    /// A failure is repeated for this long without asking, so that many sign-ins do not add to the
    /// load of a failing provider.
    private static var failureTime: Duration { .seconds(3) }

    private typealias Outcome = Result<Value, OpenIDError>

    private let fetch: @Sendable () async throws(OpenIDError) -> Value
    private let now: @Sendable () -> ContinuousClock.Instant
    private var last: (outcome: Outcome, time: ContinuousClock.Instant)?
    private var running: Task<Outcome, Never>?

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        fetch: @escaping @Sendable () async throws(OpenIDError) -> Value
    ) {
        self.now = now
        self.fetch = fetch
    }

    /// The value, which is at most `maximumAge` old.
    func value(atMostOld maximumAge: Duration) async throws(OpenIDError) -> Value {
        if let last {
            let age = last.time.duration(to: now())
            switch last.outcome {
            case .success(let value): if age < maximumAge { return value }
            case .failure(let error): if age < Self.failureTime { throw error }
            }
        }
        let task = running ?? begin()
        return try await task.value.get()
    }

    private func begin() -> Task<Outcome, Never> {
        let task = Task { await finish() }
        running = task
        return task
    }

    private func finish() async -> Outcome {
        let time = now()
        let outcome: Outcome
        do throws(OpenIDError) {
            outcome = .success(try await fetch())
        } catch {
            outcome = .failure(error)
        }
        last = (outcome, time)
        running = nil
        return outcome
    }
}
