#if canImport(FoundationNetworking)
    import Dispatch
    import Foundation
    public import FoundationNetworking
#else
    import Dispatch
    public import Foundation
#endif

/// Tells the backend which version of a configuration is in force, or why one is not used (HTTP 2).
///
/// ```swift
/// let acknowledger = ConfigurationAcknowledger(config, backend: backend)
/// ```
///
/// Nothing is sent unless the server asks for it, by the header field `ActiveConfig-Acknowledge` of
/// its answers: the share of clients that it wants to hear of. Each version is acknowledged once, also
/// across launches, after a random delay. What is sent is the version, the entity tag, and the settings
/// that could not be read, with the values of secrets masked.
///
/// It works as long as it is held.
public final class ConfigurationAcknowledger: Sendable {
    /// An acknowledgement that waits, or that is being sent.
    private struct Pending {
        let number: Int
        let outcome: ConfigurationOutcome
        let task: Task<Void, Never>
    }

    private struct State {
        /// The newest of each user.
        var pending: [UserID: Pending] = [:]
        var lastNumber = 0
        var observer: Int?
        /// Outcomes that were told and are not decided yet.
        var undecidedCount = 0
    }

    /// What is kept across launches.
    struct Record: Codable, Equatable, Sendable {
        struct User: Codable, Equatable, Sendable {
            /// SHA-256 of the user's ID; nil is the generic user.
            let digest: String?
            var inForce: Int?
            var refused: Int?
        }

        /// The share that the server asked for last.
        var share: Double?
        /// The users that were heard of last, the newest last.
        var users: [User] = []
    }

    /// Sends a request, and returns the answer's status.
    typealias Send = @Sendable (URLRequest) async throws -> Int

    fileprivate static let maximumUsers = 1_000
    /// Limits of the wire contract, in problems and in characters of their parts.
    private static let maximumProblems = 50
    private static let maximumNameLength = 256
    private static let maximumMessageLength = 500

    private let config: ActiveConfig
    private let backend: ActiveConfigBackend
    private let maximumDelay: Duration
    private let clock: any Clock<Duration>
    private let random: @Sendable () -> Double
    private let send: Send
    private let prepare: @Sendable (inout URLRequest) -> Void
    private let record: StoredState<Record>
    private let writes = BlockingCalls()
    private let decisions = DispatchQueue(label: "ActiveConfig.ConfigurationAcknowledger")
    private let state = Locked(State())

    /// Creates an acknowledger, which starts at once.
    ///
    /// - Parameters:
    ///   - config: The configuration; its store keeps what was acknowledged.
    ///   - backend: The backend, with the path of the project if it is not the default one.
    ///   - maximumDelay: The longest delay, which is random, so that the clients of a server do not all
    ///     answer a publish at once.
    ///   - prepare: Adds credentials to a request, the same as for downloads.
    public convenience init(
        _ config: ActiveConfig, backend: ActiveConfigBackend,
        maximumDelay: Duration = .seconds(30),
        prepare: @escaping @Sendable (inout URLRequest) -> Void = { _ in }
    ) {
        self.init(
            config, backend: backend, maximumDelay: maximumDelay, clock: ContinuousClock(),
            random: { .random(in: 0..<1) }, prepare: prepare, send: Self.post)
    }

    private static func post(_ request: URLRequest) async throws -> Int {
        let (_, response) = try await URLSessionTransport.data(
            for: request, maximumSize: 1 << 16, timeout: .seconds(30), reportedURL: nil,
            sessions: .shared)
        return response.statusCode
    }

    init(
        _ config: ActiveConfig, backend: ActiveConfigBackend, maximumDelay: Duration,
        clock: any Clock<Duration>, random: @escaping @Sendable () -> Double,
        prepare: @escaping @Sendable (inout URLRequest) -> Void = { _ in },
        send: @escaping Send
    ) {
        self.config = config
        self.backend = backend
        self.maximumDelay = min(max(maximumDelay, .zero), .seconds(86_400))
        self.clock = clock
        self.random = random
        self.prepare = prepare
        self.send = send
        record = StoredState(
            "acknowledgements", initial: Record(), store: config.configStore, log: config.log)
        let observer = config.outcomes.add { [weak self] outcome in self?.hear(outcome) }
        state.withLock { $0.observer = observer }
        if let earlier = config.earlierOutcome { hear(earlier) }
    }

    /// Called on any thread.
    private func hear(_ outcome: ConfigurationOutcome) {
        state.withLock { $0.undecidedCount += 1 }
        // In order, and off the threads of whoever tells it.
        decisions.async {
            self.take(outcome)
            self.state.withLock { $0.undecidedCount -= 1 }
        }
    }

    deinit { stop() }

    /// Stops it: nothing is sent any more.
    public func stop() {
        let (observer, pending) = state.withLock { state in
            defer { (state.observer, state.pending) = (nil, [:]) }
            return (state.observer, state.pending)
        }
        if let observer { config.outcomes.remove(observer) }
        for pending in pending.values { pending.task.cancel() }
    }

    /// Decides whether an outcome is acknowledged, and when.
    private func take(_ outcome: ConfigurationOutcome) {
        if let share = outcome.share, share != record.value.share {
            record.update { $0.share = share }
        }
        let known = record.value
        guard let share = outcome.share ?? known.share, share > 0,
            !known.hasTold(of: outcome), state.withLock({ $0.observer != nil })
        else { return }
        if random() >= share {
            // Decided once for a version, not at each of its confirmations.
            return record.update { $0.note(outcome) }
        }
        let delay = maximumDelay * random()
        // A newer version makes the acknowledgement of an older one needless.
        let old = state.withLock { state -> Task<Void, Never>? in
            guard state.observer != nil,
                state.pending[outcome.userID]?.outcome.isSame(as: outcome) != true
            else { return nil }
            state.lastNumber += 1
            let number = state.lastNumber
            // Started under the lock, so that it cannot end before it is noted.
            let task = Task { [weak self, clock] in
                guard (try? await clock.sleep(for: delay)) != nil else { return }
                await self?.acknowledge(outcome)
                self?.end(number, of: outcome.userID)
            }
            let pending = Pending(number: number, outcome: outcome, task: task)
            return state.pending.updateValue(pending, forKey: outcome.userID)?.task
        }
        old?.cancel()
    }

    private func end(_ number: Int, of userID: UserID) {
        state.withLock { state in
            if state.pending[userID]?.number == number { state.pending[userID] = nil }
        }
    }

    private func acknowledge(_ outcome: ConfigurationOutcome) async {
        guard let request = await request(for: outcome) else { return }
        let status = try? await send(request)
        await writes.run { [self] in
            // Without an answer, the next confirmation of the version tries again.
            guard let status, status < 500, status != 429 else { return }
            if status == 404 {
                // Switched off, until an answer asks for it again.
                record.update { $0.share = nil }
            } else {
                record.update { $0.note(outcome) }
            }
        }
    }

    /// The request; nil when the version is no longer the newest word on the user.
    private func request(for outcome: ConfigurationOutcome) async -> URLRequest? {
        let problems: [SettingValue]
        switch outcome.verdict {
        case .refused(let message): problems = [Self.problem("", nil, message)]
        case .inForce:
            let snapshot = await config.snapshotInForce(of: outcome.userID)
            guard let snapshot, snapshot.configuration.templateVersion == outcome.version else {
                return nil
            }
            problems = snapshot.decoded.problems.prefix(Self.maximumProblems).map { problem in
                let masked = config.masked(problem)
                return Self.problem(masked.sectionName, masked.settingName, masked.reason)
            }
        }
        var body: [String: SettingValue] = ["template_version": .integer(outcome.version)]
        body["etag"] = outcome.entityTag.map { .string($0) }
        if !problems.isEmpty { body["problems"] = .array(problems) }
        guard let url = backend.acknowledgementURL(forUserID: outcome.userID.string) else {
            return nil
        }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = SettingValue.object(body).jsonData()
        prepare(&request)
        return request
    }

    private static func problem(
        _ section: String, _ key: String?, _ message: String
    ) -> SettingValue {
        func text(_ text: String, _ maximum: Int) -> SettingValue {
            .string(String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximum))))
        }
        var problem: [String: SettingValue] = [
            "section": text(section, maximumNameLength),
            "message": text(message, maximumMessageLength),
        ]
        if let key, !key.isEmpty { problem["key"] = text(key, maximumNameLength) }
        return .object(problem)
    }

    /// Returns once everything that was told is decided.
    func drain() async {
        while state.withLock({ $0.undecidedCount > 0 }) { await Task.yield() }
    }

    /// True as long as anything that was decided to be sent is not answered.
    var hasPending: Bool { state.withLock { !$0.pending.isEmpty } }
}

extension ConfigurationAcknowledger.Record {
    fileprivate func hasTold(of outcome: ConfigurationOutcome) -> Bool {
        let digest = Self.digest(of: outcome.userID)
        guard let user = users.last(where: { $0.digest == digest }) else { return false }
        switch outcome.verdict {
        case .inForce: return user.inForce == outcome.version
        case .refused: return user.refused == outcome.version
        }
    }

    fileprivate mutating func note(_ outcome: ConfigurationOutcome) {
        let digest = Self.digest(of: outcome.userID)
        let index = users.lastIndex { $0.digest == digest }
        var user =
            index.map { users.remove(at: $0) } ?? User(digest: digest, inForce: nil, refused: nil)
        switch outcome.verdict {
        case .inForce: user.inForce = outcome.version
        case .refused: user.refused = outcome.version
        }
        users.append(user)
        users.removeFirst(max(users.count - ConfigurationAcknowledger.maximumUsers, 0))
    }

    private static func digest(of userID: UserID) -> String? {
        userID.string.map { SHA256.hexDigest(of: $0.utf8) }
    }
}

extension ActiveConfig {
    /// The configuration that is in force for a user; nil when none is loaded.
    fileprivate func snapshotInForce(of userID: UserID) async -> ConfigurationSnapshot? {
        let current = await loadedSnapshotInTask()
        return current.userID == userID ? current : users.livingEntry(of: userID)?.snapshot
    }
}
