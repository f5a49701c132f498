/// A value of a provider that is fetched again when it is too old; concurrent callers share a fetch.
actor FetchedValue<Value: Sendable> {
    /// A failure is repeated for this long without asking, so that many sign-ins do not add to the
    /// load of a failing provider.
    private static var failureTime: Duration { .seconds(3) }

    private typealias Outcome = Result<Value, OpenIDError>

    private let fetch: @Sendable () async throws(OpenIDError) -> Value
    private let now: @Sendable () -> ContinuousClock.Instant
    /// The last value, which a later failure leaves in use.
    private var value: (value: Value, time: ContinuousClock.Instant)?
    /// The failure of the last fetch; nil after a success.
    private var failure: (error: OpenIDError, time: ContinuousClock.Instant)?
    private var running: Task<Outcome, Never>?

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        fetch: @escaping @Sendable () async throws(OpenIDError) -> Value
    ) {
        self.now = now
        self.fetch = fetch
    }

    /// The value, which is at most `maximumAge` old unless the provider does not answer.
    func value(atMostOld maximumAge: Duration) async throws(OpenIDError) -> Value {
        if let value, value.time.duration(to: now()) < maximumAge { return value.value }
        let hasJustFailed = failure.map { $0.time.duration(to: now()) < Self.failureTime } ?? false
        let outcome: Outcome
        if let failure, hasJustFailed {
            outcome = .failure(failure.error)
        } else {
            outcome = await (running ?? begin()).value
        }
        if let value, case .failure = outcome, maximumAge > .zero { return value.value }
        return try outcome.get()
    }

    private func begin() -> Task<Outcome, Never> {
        let task = Task { await finish() }
        running = task
        return task
    }

    private func finish() async -> Outcome {
        let start = now()
        do throws(OpenIDError) {
            let fetched = try await fetch()
            (value, failure) = ((fetched, start), nil)
            running = nil
            return .success(fetched)
        } catch {
            // A provider that hangs fails after the time limit of a request.
            failure = (error, now())
            running = nil
            return .failure(error)
        }
    }
}
