public import ActiveConfig

/// Checks that every downloader has to pass.
///
/// It needs no test framework: it throws one error that lists each broken rule. For each check it
/// creates a downloader whose backend behaves as a ``Backend`` specifies:
///
/// ```swift
/// @Test func keepsTheRulesOfADownloader() async throws {
///     try await DownloaderConformance { backend in
///         let server = try await TestServer { request in
///             backend.requestArrived()
///             switch backend.conduct {
///             case .answers: return backend.configuration(forUserID: request.userID)
///             case .fails: throw ServerError()
///             case .hangs: return await untilCancelled()
///             }
///         }
///         return MyDownloader(server.url)
///     }.run()
/// }
/// ```
public struct DownloaderConformance: Sendable {
    /// The users who have documents at a backend.
    public static let userIDs: [String?] = [
        nil, "1", "2", "user two", "a&b=c#d?e/f+g%20h", "\u{E9}", "e\u{301}",
        "\u{1F468}\u{200D}\u{1F467}",
    ]

    private let patience: Duration
    private let makeDownloader: @Sendable (Backend) async throws -> any ActiveConfigDownloader

    /// Creates the suite.
    ///
    /// - Parameters:
    ///   - patience: The real time in which a cancelled request has to end. Elapses only when a
    ///     check fails.
    ///   - makeDownloader: Prepares a backend, and creates a downloader that uses it.
    public init(
        patience: Duration = .seconds(10),
        makeDownloader:
            @escaping @Sendable (_ backend: Backend) async throws -> any ActiveConfigDownloader
    ) {
        self.patience = patience
        self.makeDownloader = makeDownloader
    }

    /// Runs all checks.
    ///
    /// - Throws: ``ConformanceFailure`` that lists every check that failed.
    public func run() async throws {
        var checks = ConformanceChecks(of: "ActiveConfigDownloader")
        await checkUsers(&checks)
        await checkUnchanged(&checks)
        await checkFailure(&checks)
        await checkCancellation(&checks)
        try checks.finish()
    }

    /// Checks that each user gets that user's document.
    private func checkUsers(_ checks: inout ConformanceChecks) async {
        let rule = "A user's request is answered with that user's document, the generic user's too."
        await checks.group(rule) { checks in
            let backend = Backend(.answers)
            let downloader = try await makeDownloader(backend)
            for userID in Self.userIDs {
                let answer = try await downloader.requestActiveConfig(
                    forUserID: userID, lastKnown: nil)
                checks.expect(
                    answer == backend.configuration(forUserID: userID), rule,
                    found: "\(Self.describe(answer)) for \(UserID(userID)).")
            }
        }
        await checks.group("Several users can be requested concurrently.") { checks in
            let backend = Backend(.answers)
            let downloader = try await makeDownloader(backend)
            let answers = try await withThrowingTaskGroup(
                of: (String?, ConfigurationState?).self
            ) { group in
                for userID in Self.userIDs {
                    group.addTask {
                        let answer = try await downloader.requestActiveConfig(
                            forUserID: userID, lastKnown: nil)
                        return (userID, answer)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for (userID, answer) in answers {
                checks.expect(
                    answer == backend.configuration(forUserID: userID),
                    "Concurrent requests do not get each other's answers.",
                    found: "\(Self.describe(answer)) for \(UserID(userID)).")
            }
        }
    }

    /// Checks that an unchanged configuration is nil.
    private func checkUnchanged(_ checks: inout ConformanceChecks) async {
        let rule =
            "A request with the last configuration and its entity tag is answered with nil "
            + "when nothing has changed."
        await checks.group(rule) { checks in
            let backend = Backend(.answers)
            let downloader = try await makeDownloader(backend)
            let first = try await downloader.requestActiveConfig(forUserID: "1", lastKnown: nil)
            guard let first else { return }  // Told by the first check.
            let second = try await downloader.requestActiveConfig(forUserID: "1", lastKnown: first)
            // Without a tag the same document again is a correct answer.
            let isEqual = first.entityTag == nil && second == first
            checks.expect(second == nil || isEqual, rule, found: Self.describe(second))
            var old = ConfigurationState.make(sections: ["Old": ["owner": "1"]])
            for tag in [nil, "\"an old one\""] {
                old.entityTag = tag
                let third = try await downloader.requestActiveConfig(forUserID: "1", lastKnown: old)
                checks.expect(
                    third == first,
                    "A request with an older configuration is answered with the new one.",
                    found: Self.describe(third))
            }
        }
    }

    /// Checks that a failure throws.
    private func checkFailure(_ checks: inout ConformanceChecks) async {
        await checks.group("A failing backend can be asked.") { checks in
            let downloader = try await makeDownloader(Backend(.fails))
            for lastKnown in [nil, ConfigurationState.make(entityTag: "\"a\"")] {
                let answer = await Task {
                    try await downloader.requestActiveConfig(forUserID: "1", lastKnown: lastKnown)
                }.result
                guard case .success(let answer) = answer else { continue }
                checks.expect(
                    false,
                    "A request that fails throws; it never answers that nothing has changed.",
                    found: Self.describe(answer))
            }
        }
    }

    /// Checks that a cancelled request ends soon.
    private func checkCancellation(_ checks: inout ConformanceChecks) async {
        await checks.group("A backend that does not answer can be asked.") { checks in
            let backend = Backend(.hangs)
            let downloader = try await makeDownloader(backend)
            let request = Task {
                try await downloader.requestActiveConfig(forUserID: "1", lastKnown: nil)
            }
            let hasArrived = await isDone(within: patience) { await backend.waitForRequest() }
            checks.expect(
                hasArrived, "A request reaches the backend, and the backend records it.",
                found: "none within \(patience). The backend has to call `requestArrived()`.")
            request.cancel()
            let hasEnded = await isDone(within: patience) { _ = await request.result }
            checks.expect(
                hasEnded, "A cancelled request ends soon.", found: "it runs after \(patience).")
            if hasEnded, case .success(let answer) = await request.result {
                checks.expect(false, "A cancelled request throws.", found: Self.describe(answer))
            }
        }
    }

    private static func describe(_ answer: ConfigurationState?) -> String {
        answer.map { "the document \(String(decoding: $0.jsonData(), as: UTF8.self))" } ?? "nil"
    }

    /// Returns true when `body` ends within `patience`, in real time; otherwise `body` continues.
    private func isDone(
        within patience: Duration, _ body: @escaping @Sendable () async -> Void
    ) async -> Bool {
        let verdict = AwaitableState<Bool?>(nil)
        let work = Task {
            await body()
            verdict.withLock { $0 = $0 ?? true }
        }
        let alarm = Task {
            // Swift's clocks trap on Linux at times beyond a few hundred years.
            try await Task.sleep(for: min(patience, .seconds(365 * 24 * 60 * 60)))
            verdict.withLock { $0 = $0 ?? false }
        }
        defer {
            work.cancel()
            alarm.cancel()
        }
        return (try? await verdict.wait { $0 != nil }).flatMap { $0 } ?? false
    }
}

extension DownloaderConformance {
    /// The behaviour of a backend that a check needs.
    public struct Backend: Sendable {
        /// The behaviour at a request.
        public enum Conduct: Sendable, Hashable {
            /// It answers with the user's document, or with "not modified".
            case answers
            /// It answers with a failure.
            case fails
            /// It does not answer.
            case hangs
        }

        /// The behaviour at each request.
        public let conduct: Conduct

        private let hasRequest = AwaitableState(false)

        init(_ conduct: Conduct) { self.conduct = conduct }

        /// A user's document; nil for an unknown user, which no check requests.
        ///
        /// - Parameter userID: The user; IDs are compared byte by byte.
        /// - Returns: The document, with the entity tag to answer with.
        public func configuration(forUserID userID: String?) -> ConfigurationState? {
            let known = DownloaderConformance.userIDs
            guard let index = known.firstIndex(where: { UserID($0) == UserID(userID) }) else {
                return nil
            }
            return .make(
                sections: [
                    "Conformance": ["owner": .string(userID ?? ""), "number": .integer(index)]
                ],
                entityTag: "\"conformance-\(index)\"")
        }

        /// Records that a request has arrived; the backend must call it.
        public func requestArrived() {
            hasRequest.withLock { $0 = true }
        }

        /// Also returns when the task is cancelled.
        func waitForRequest() async {
            _ = try? await hasRequest.wait { $0 }
        }
    }
}
