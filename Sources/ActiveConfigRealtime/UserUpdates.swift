import ActiveConfig
import Foundation

/// Keeps one user's configuration up to date: connects, follows the stream or polls, and waits
/// between connections.
///
/// One run at a time; a new one waits for the end of the previous one.
final class UserUpdates: Sendable {
    struct State {
        var delay: ReconnectDelay
        /// Until when streams and long polls are not tried.
        var noStreamsUntil = Duration.zero
        var noLongPollsUntil = Duration.zero
        var pollInterval: Duration
        /// When the connection became useful.
        var openedAt: Duration?
        /// Number of requested reconnects.
        var anewCount = 0
        /// Ends the body of `untilAnew`.
        var anew: AsyncStream<Void>.Continuation?
    }

    /// Why a connection ended.
    enum End: Sendable {
        /// The document is fetched, and nothing else is available.
        case poll
        /// Another way to receive changes is to be tried.
        case otherWay
        case over(ActiveConfigUpdateState.WaitReason, asked: Duration? = nil)
    }

    /// The bounds of the interval that a server can set.
    static let pollIntervals: ClosedRange<Duration> = .seconds(15) ... .seconds(24 * 60 * 60)

    /// How long a connection must be open to count as working.
    private static let usefulTime = Duration.seconds(60)

    let updater: ActiveConfigUpdater
    let feed: ConfigurationFeed
    let state: Locked<State>
    private let turns = CallLimit(1)

    var userID: UserID { feed.userID }
    var time: UpdateTime { updater.time }
    var options: ActiveConfigUpdater.Options { updater.options }

    init(_ updater: ActiveConfigUpdater, userID: UserID) {
        self.updater = updater
        feed = ConfigurationFeed(updater.config, of: userID)
        let delay = ReconnectDelay(
            maximum: updater.options.maximumDelay, random: updater.makeRandom())
        state = Locked(State(delay: delay, pollInterval: updater.options.pollInterval))
    }

    /// Runs until the task is cancelled; starts after a random time up to `spread`.
    func run(within spread: Duration) async {
        try? await turns.run {
            updater.failures.begin(userID)
            defer { updater.failures.end(userID) }
            if spread > .zero { try await time.sleep(random(upTo: spread)) }
            while !Task.isCancelled { try await connectAndWait() }
        }
    }

    /// One connection, and the wait before the next.
    private func connectAndWait() async throws {
        let count = state.withLock { $0.anewCount }
        let end = await untilAnew(since: count) { await self.connectOnce() } ?? .otherWay
        try Task.checkCancellation()
        let (wait, next) = wait(after: end)
        show(next)
        if case .poll = end {
            await untilAnew(since: count) { try? await self.time.sleep(wait) }
        } else {
            try await time.sleep(wait)
        }
    }

    /// Ends the connection, or the wait for the next poll; another connection follows soon.
    ///
    /// Does not shorten a wait after a failure; the connection after it uses the new values.
    func connectAnew() {
        let anew = state.withLock { state in
            state.anewCount += 1
            return state.anew
        }
        anew?.yield()
    }

    /// Runs `body`, which is cancelled by a reconnect: then, or if one was requested since the
    /// count was read, it returns nil.
    @discardableResult
    private func untilAnew<Result: Sendable>(
        since count: Int, _ body: @escaping @Sendable () async -> Result
    ) async -> Result? {
        let (changes, change) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let isAsked = state.withLock { state in
            state.anew = change
            return state.anewCount != count
        }
        if isAsked { change.yield() }
        defer { state.withLock { $0.anew = nil } }
        return await withTaskGroup(of: Result?.self) { group in
            group.addTask { await body() }
            group.addTask {
                for await _ in changes { break }
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    func show(_ new: ActiveConfigUpdateState) {
        // The canceller of the task sets the next state.
        updater.board.set(new, of: userID) { !Task.isCancelled }
    }

    func random(upTo limit: Duration) -> Duration {
        state.withLock { $0.delay.random(upTo: limit) }
    }

    /// Runs one connection, from the document to its end.
    private func connectOnce() async -> End {
        show(.connecting)
        state.withLock { $0.openedAt = nil }
        let connection = updater.source.connection(forUserID: userID.string)
        defer { connection.close() }
        let first = SingleFetchDownloader(connection, of: userID, updater.failures)
        var step = UpdateFailures.Step.stream
        do {
            let record = try await fetch(first)
            let now = time.elapsed()
            let (noStreamsUntil, noLongPollsUntil) = state.withLock {
                ($0.noStreamsUntil, $0.noLongPollsUntil)
            }
            if now >= noStreamsUntil {
                do {
                    guard first.answer?.allowsStream != false else {
                        throw NoEventStreamError(
                            "the server closes the connection after each answer")
                    }
                    let end = try await follow(
                        connection, from: record, isServerBehind: first.isBehind)
                    updater.failures.noteSuccess(of: userID, at: .stream)
                    return end
                } catch let error as NoEventStreamError {
                    updater.failures.noteSuccess(of: userID, at: .stream)
                    feed.log(
                        .info,
                        "\(userID.logName) gets no stream of changes. \(error.logDescription)")
                    let until =
                        time.elapsed() + options.retryStreamsAfter
                        + random(upTo: options.retryStreamsAfter / 2)
                    state.withLock { $0.noStreamsUntil = until }
                    return .otherWay
                }
            }
            if now >= noLongPollsUntil, record.entityTag != nil, !first.isBehind {
                step = .longPoll
                return try await longPoll(connection)
            }
            return .poll
        } catch let failure as DocumentFailure {
            return .over(
                first.retryAfter == nil ? .failure(failure.error) : .askedByServer(failure.error),
                asked: failure.retryAfter)
        } catch {
            report(error, at: step)
            return .over(.failure(error), asked: (error as? DownloadError)?.retryAfter)
        }
    }

    /// Logs a warning for a failure of a stream or a long poll whose cause is new.
    private func report(_ error: any Error, at step: UpdateFailures.Step) {
        let openTime = state.withLock { $0.openedAt }.map { time.elapsed() - $0 } ?? .zero
        if openTime >= Self.usefulTime { updater.failures.noteSuccess(of: userID, at: step) }
        // A cancelled task is about to end, and its failure may result from that.
        guard !Task.isCancelled, !UpdateFailures.isTransportError(error),
            updater.failures.isNew(error, of: userID, at: step)
        else { return }
        let way = step == .stream ? "a stream" : "long polls"
        feed.log(
            .warning,
            "The changes of \(userID.logName) cannot be followed by \(way): \(error.logDescription)"
        )
    }

    /// Fetches the document as a download of the configuration, and returns the user's resulting
    /// document.
    ///
    /// - Throws: ``DocumentFailure``, or `CancellationError`.
    @discardableResult
    func fetch(_ document: SingleFetchDownloader) async throws -> DocumentRecord {
        let result: DownloadResult
        do {
            result = try await feed.download(by: document)
        } catch {
            if error is CancellationError { throw error }
            // The newest document is refused: the next one is received as if it was not.
            if let newest = document.newest, feed.isRefused(newest) {
                return DocumentRecord(newest)
            }
            throw DocumentFailure(error: error, retryAfter: document.retryAfter)
        }
        updater.failures.noteSuccess(of: userID, at: .document)
        if let new = document.answer?.configuration {
            note(new.meta)
            // A vetting can refuse an answer, or a newer document arrived during the request.
            if result.outcome == .downloaded,
                DocumentRecord(new) != document.lastKnown.map({ DocumentRecord($0) })
            {
                tell(new, result)
            }
        } else if let known = document.lastKnown {
            note(known.meta)
        }
        return document.newest.map { DocumentRecord($0) }
            ?? DocumentRecord(version: nil, entityTag: nil)
    }

    /// Fetches the document again; throws as `fetch` does.
    @discardableResult
    func fetchAgain(over connection: any ActiveConfigEventConnection) async throws -> DocumentRecord
    {
        try await fetch(SingleFetchDownloader(connection, of: userID, updater.failures))
    }

    func tell(_ new: ConfigurationState, _ result: DownloadResult) {
        let (version, pending) = (new.templateVersion, result.pendingSectionNames)
        let isChanged = result.isActive || !result.userChanges.isEmpty
        updater.board.tell(
            isChanged
                ? AppliedUpdate(
                    userID: userID.string, templateVersion: version,
                    changedSectionNames: result.userChanges) : nil,
            result.isActive
                ? nil
                : PendingUpdate(
                    userID: userID.string, templateVersion: version, sectionNames: pending),
            of: userID)
    }

    /// Adopts the document's polling interval.
    func note(_ meta: [String: SettingValue]) {
        let seconds = meta["poll_interval_seconds"]?.doubleValue
        // A `Duration` of an arbitrary number would trap.
        let wanted = seconds.flatMap { $0.isFinite ? Duration.seconds(min(max($0, 0), 1e6)) : nil }
        let interval = min(
            max(wanted ?? options.pollInterval, Self.pollIntervals.lowerBound),
            Self.pollIntervals.upperBound)
        state.withLock { $0.pollInterval = interval }
    }

    private func wait(after end: End) -> (Duration, ActiveConfigUpdateState) {
        let now = time.elapsed()
        let (wait, interval) = state.withLock { state -> (Duration, Duration) in
            let interval = state.pollInterval
            switch end {
            case .poll:
                // A tenth more or less, so that clients that started together drift apart.
                return (interval * 9 / 10 + state.delay.random(upTo: interval / 5), interval)
            case .otherWay:
                return (state.delay.random(upTo: .seconds(1)), interval)
            case .over(_, let asked):
                let openTime = state.openedAt.map { now - $0 } ?? .zero
                return (state.delay.next(afterOpen: openTime, asked: asked), interval)
            }
        }
        switch end {
        case .poll: return (wait, .polling(every: interval))
        case .otherWay: return (wait, .connecting)
        case .over(let reason, _):
            let until = time.date() + wait / .seconds(1)
            return (wait, .waiting(until: until, reason: reason))
        }
    }
}
