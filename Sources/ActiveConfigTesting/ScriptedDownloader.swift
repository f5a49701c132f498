public import ActiveConfig

/// A downloader that answers by a script and records its requests.
///
/// ```swift
/// let downloader = ScriptedDownloader(.configuration(first), .unchanged, .failure(error))
/// ```
///
/// With ``Answer/held`` the test decides when, and therefore in which order, requests are answered:
///
/// ```swift
/// let downloader = ScriptedDownloader { _ in .held }
/// config.startDownload()
/// try await downloader.waitForRequests(1)
/// downloader.answer(1, with: .configuration(late))
/// ```
public final class ScriptedDownloader: ActiveConfigDownloader {
    private struct State: Sendable {
        var requests: [Request] = []
        var running: Set<Int> = []
        var peakRunningCount = 0
        var cancelled: Set<Int> = []
        var endedCount = 0
        /// Answers of held requests, by request number.
        var released: [Int: Answer] = [:]
    }

    /// The clock of delayed answers.
    public let clock: ManualClock

    private let script: @Sendable (Request) -> Answer
    private let state = AwaitableState(State())

    /// Creates a downloader that gives the answers one after the other, and after the last one
    /// fails with ``NoAnswerError``.
    ///
    /// - Parameters:
    ///   - answers: The answers.
    ///   - clock: The clock of delayed answers.
    public convenience init(_ answers: Answer..., clock: ManualClock = ManualClock()) {
        self.init(clock: clock) { request in
            answers.indices.contains(request.number - 1)
                ? answers[request.number - 1] : .failure(NoAnswerError(request: request))
        }
    }

    /// Creates a downloader that calls a script for each answer.
    ///
    /// - Parameters:
    ///   - clock: The clock of delayed answers.
    ///   - script: Answers a request. Called on any thread, concurrently.
    public init(
        clock: ManualClock = ManualClock(), script: @escaping @Sendable (Request) -> Answer
    ) {
        self.clock = clock
        self.script = script
    }

    /// All requests that have arrived, in order.
    public var requests: [Request] { state.value.requests }

    /// The requests that have not ended, in order of arrival.
    public var runningRequests: [Request] {
        let state = state.value
        return state.running.sorted().map { state.requests[$0 - 1] }
    }

    /// The maximum number of concurrent requests.
    public var peakRunningCount: Int { state.value.peakRunningCount }

    /// The numbers of the requests that were cancelled while they ran.
    public var cancelledRequests: Set<Int> { state.value.cancelled }

    /// Answers a request that is, or will be, held; a second answer has no effect once the request
    /// has continued.
    ///
    /// - Parameters:
    ///   - number: The request's number, from 1.
    ///   - answer: The answer; its delay starts when the request continues. With ``Answer/held`` it
    ///     stays held.
    public func answer(_ number: Int, with answer: Answer) {
        if case .held = answer.outcome { return }
        state.withLock { $0.released[number] = answer }
    }

    /// Waits for a number of requests to arrive.
    ///
    /// - Parameter count: The number of requests, since the beginning.
    /// - Returns: All requests.
    /// - Throws: `CancellationError` when the task is cancelled.
    @discardableResult
    public func waitForRequests(_ count: Int) async throws -> [Request] {
        try await state.wait { $0.requests.count >= count }.requests
    }

    /// Waits for a number of requests to end.
    ///
    /// - Parameter count: The number of requests, since the beginning.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func waitForEndedRequests(_ count: Int) async throws {
        try await state.wait { $0.endedCount >= count }
    }

    /// Waits for a number of requests to be cancelled.
    ///
    /// - Parameter count: The number of requests, since the beginning.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func waitForCancelledRequests(_ count: Int) async throws {
        try await state.wait { $0.cancelled.count >= count }
    }

    /// Answers as the script specifies.
    public func requestActiveConfig(
        forUserID userID: String?, lastKnown: ConfigurationState?
    ) async throws -> ConfigurationState? {
        let request = state.withLock { state in
            let request = Request(
                number: state.requests.count + 1, userID: userID, lastKnown: lastKnown)
            state.requests.append(request)
            state.running.insert(request.number)
            state.peakRunningCount = max(state.peakRunningCount, state.running.count)
            return request
        }
        defer {
            state.withLock { state in
                state.running.remove(request.number)
                state.endedCount += 1
            }
        }
        let answer = script(request)
        return try await withTaskCancellationHandler {
            guard answer.ignoresCancellation else {
                return try await perform(answer, of: request)
            }
            // An unstructured task does not inherit the cancellation.
            return try await Task { try await self.perform(answer, of: request) }.value
        } onCancel: {
            state.withLock { _ = $0.cancelled.insert(request.number) }
        }
    }

    /// Answers after the answer's delay.
    private func perform(
        _ answer: Answer, of request: Request
    ) async throws -> ConfigurationState? {
        try Task.checkCancellation()
        if answer.delay > .zero { try await clock.sleep(for: answer.delay) }
        if case .result(let result) = answer.outcome { return try result.get() }
        let number = request.number
        let released = try await state.wait { $0.released[number] != nil }.released[number]
        return try await perform(released ?? .held, of: request)
    }
}

extension ScriptedDownloader {
    /// A request.
    public struct Request: Sendable {
        /// Its number, from 1, in the order of arrival.
        public let number: Int
        /// The user; nil is the generic user.
        public let userID: String?
        /// The user's own last configuration that was passed, with its entity tag.
        public let lastKnown: ConfigurationState?
    }

    /// A request for which the script has no answer.
    public struct NoAnswerError: Error, Sendable, CustomStringConvertible {
        /// The request.
        public let request: Request

        /// One sentence with the request's number and user.
        public var description: String {
            "The script has no answer for request \(request.number), of \(UserID(request.userID))."
        }
    }
}

extension ScriptedDownloader {
    /// The answer to a request, its delay, and whether cancellation ends it.
    ///
    /// ```swift
    /// let answers: [ScriptedDownloader.Answer] = [
    ///     .configuration(.make()).after(.seconds(2)),
    ///     .failure(URLError(.timedOut)),
    ///     .held.ignoringCancellation,
    /// ]
    /// ```
    public struct Answer: Sendable {
        enum Outcome: Sendable {
            case result(Result<ConfigurationState?, any Error>)
            case held
        }

        let outcome: Outcome
        /// On the downloader's clock.
        private(set) var delay = Duration.zero
        private(set) var ignoresCancellation = false

        /// A new configuration.
        public static func configuration(_ configuration: ConfigurationState) -> Answer {
            Answer(outcome: .result(.success(configuration)))
        }

        /// "Not modified".
        public static let unchanged = Answer(outcome: .result(.success(nil)))

        /// A failure.
        public static func failure(_ error: any Error) -> Answer {
            Answer(outcome: .result(.failure(error)))
        }

        /// No answer yet: the request waits until the test answers it, with
        /// ``ScriptedDownloader/answer(_:with:)``.
        public static let held = Answer(outcome: .held)

        /// The same answer after a delay.
        ///
        /// - Parameter delay: The delay, on the downloader's clock.
        /// - Returns: The answer.
        public func after(_ delay: Duration) -> Answer {
            var answer = self
            answer.delay = delay
            return answer
        }

        /// The same answer from a downloader that ignores cancellation.
        public var ignoringCancellation: Answer {
            var answer = self
            answer.ignoresCancellation = true
            return answer
        }
    }
}
