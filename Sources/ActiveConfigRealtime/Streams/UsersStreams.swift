import ActiveConfig
import ActiveConfigEventStream
import Foundation

/// One source's streams of many users (*Client protocol*, section 2), and their assignment.
///
/// The users of a stream are named when it is opened. Users who arrive at about the same time get a
/// new one, which takes over the users of streams that have no more users than itself: so there are
/// few streams, and a user moves between them a few times at most. Each user then resumes after its
/// last event.
final class UsersStreams: Sendable {
    /// Creates a connection that opens a stream with a request with that body; its document is the
    /// user's.
    typealias ConnectionMaker =
        @Sendable (_ userID: String?, _ body: Data) -> any ActiveConfigEventConnection

    /// The maximum number of users per stream (*Client protocol*, section 2).
    static let maximumCount = 1_000
    /// The maximum length of the body.
    ///
    /// On Linux a body that is not sent at once keeps a core busy.
    static let maximumSize = 48 << 10
    /// How long users are gathered before a stream is opened.
    private static let gatherTime = Duration.milliseconds(100)
    /// Number of consecutive unanswered streams after which users try other ways.
    private static let toleratedCount = 2
    /// How long a server without such streams is not asked again.
    private static let retryTime = Duration.seconds(30 * 60)

    fileprivate struct Stream {
        var parts: [UserID: UserStreamPart] = [:]
        var size = 0
        /// The user who joined last, whose document precedes the stream.
        var newest: UserStreamPart?
        /// Users who have left, but for whom the server still sends events.
        var leftCount = 0
        /// True once the server has sent events for users who have left for ``leftTime``.
        var isOverdue = false
        var task: Task<Void, Never>?
    }

    private struct State {
        /// Users waiting for a stream.
        var pending: [UserStreamPart] = []
        var isGathering = false
        var streams: [Int: Stream] = [:]
        var lastNumber = 0
        /// Number of consecutive streams without a timely answer.
        var unansweredCount = 0
        var unavailableUntil: ContinuousClock.Instant?
    }

    private let leftTime: Duration
    private let clock: any Clock<Duration>
    private let makeConnection: ConnectionMaker
    private let state = Locked(State())

    /// Creates the streams of a source; the server may keep sending events for users who left, and
    /// count them as connected, for `leftTime`.
    init(
        leftTime: Duration = .seconds(60), clock: any Clock<Duration> = ContinuousClock(),
        _ makeConnection: @escaping ConnectionMaker
    ) {
        self.leftTime = leftTime
        self.clock = clock
        self.makeConnection = makeConnection
    }

    /// False for a time after the server had no such stream.
    var isAvailable: Bool {
        state.withLock { $0.unavailableUntil.map { $0 <= .now } ?? true }
    }

    /// Waits until the server has accepted a stream with the user.
    ///
    /// - Throws: What a connection's `openEvents` throws.
    func join(_ part: UserStreamPart) async throws {
        state.withLock { $0.pending.append(part) }
        gather()
        try await part.events.head()
    }

    /// Removes a user.
    ///
    /// A stream without users ends. One that most users have left is reopened, and any other one
    /// after ``leftTime``.
    func leave(_ part: UserStreamPart) {
        enum Next {
            case end(Task<Void, Never>?)
            case gather
            case renewLater(Int)
        }
        let next = state.withLock { state -> Next? in
            state.pending.removeAll { $0 === part }
            let number = state.streams.first { $0.value.parts[part.userID] === part }?.key
            guard let number else { return nil }
            // In place: a copy for each user who leaves would take long when a service ends.
            state.streams[number]?.remove(part)
            guard let stream = state.streams[number] else { return nil }
            if stream.parts.isEmpty { return .end(state.streams.removeValue(forKey: number)?.task) }
            if stream.isStale { return .gather }
            return stream.leftCount == 1 ? .renewLater(number) : nil
        }
        switch next {
        case .end(let task): task?.cancel()
        case .gather: gather()
        case .renewLater(let number): renewLater(number)
        case nil: break
        }
    }

    private func renewLater(_ number: Int) {
        Task { [weak self, leftTime, clock] in
            try? await clock.sleep(for: leftTime)
            guard let self else { return }
            let isOpen = state.withLock { state in
                state.streams[number]?.isOverdue = true
                return state.streams[number] != nil
            }
            if isOpen { gather() }
        }
    }

    private func gather() {
        let isFirst = state.withLock { state in
            defer { state.isGathering = true }
            return !state.isGathering
        }
        guard isFirst else { return }
        Task {
            try? await clock.sleep(for: Self.gatherTime)
            open()
        }
    }

    /// Opens streams for waiting users.
    private func open() {
        let isLeft = state.withLock { state in
            state.isGathering = false
            let pending = state.pending
            state.pending = []
            var batch = Stream()
            for part in pending {
                // A stream names each user once.
                if batch.parts[part.userID] != nil {
                    state.pending.append(part)
                } else {
                    if !batch.hasRoom(count: 1, size: part.size) {
                        start(batch, after: [], in: &state)
                        batch = Stream()
                    }
                    batch.add(part)
                    batch.newest = part
                }
            }
            var former: [Task<Void, Never>] = []
            for (number, other) in state.streams.sorted(by: {
                $0.value.parts.count < $1.value.parts.count
            })
            where (other.isStale || other.parts.count <= batch.parts.count)
                && batch.hasRoom(count: other.parts.count, size: other.size)
                && other.parts.keys.allSatisfy({ batch.parts[$0] == nil })
            {
                state.streams[number] = nil
                for part in other.parts.values { batch.add(part) }
                if let task = other.task { former.append(task) }
            }
            if !batch.parts.isEmpty { start(batch, after: former, in: &state) }
            return !state.pending.isEmpty || state.streams.values.contains(where: \.isStale)
        }
        if isLeft { gather() }
    }

    /// Starts a stream after the end of the streams whose users it takes over.
    private func start(_ stream: Stream, after former: [Task<Void, Never>], in state: inout State) {
        state.lastNumber += 1
        let number = state.lastNumber
        state.streams[number] = stream
        // Under the lock, so that it does not look for its users before they are added.
        state.streams[number]?.task = Task {
            for task in former { task.cancel() }
            for task in former { await task.value }
            await run(number)
        }
    }

    /// Runs one stream from its opening to its end, which ends it for all its users.
    private func run(_ number: Int) async {
        guard let stream = state.withLock({ $0.streams[number] }),
            let first = stream.newest ?? stream.parts.values.first
        else { return }
        let parts = Array(stream.parts.values)
        let body: SettingValue = .object(["users": .array(parts.map(\.request))])
        let connection = makeConnection(first.userID.string, body.jsonData())
        defer { connection.close() }
        do {
            var known = ConfigurationState()
            known.entityTag = first.entityTag
            _ = try await connection.document(lastKnown: known, wait: nil)
            try await connection.openEvents(lastEventID: nil)
            state.withLock { $0.unansweredCount = 0 }
            for part in parts { part.events.receive(()) }
            try await read(connection, number)
            end(number, .success(()))
        } catch {
            let status = (error as? NoEventStreamError)?.status
            if let status, [400, 413].contains(status), parts.count > 1 { return split(number) }
            if let status, ![400, 413].contains(status) {
                state.withLock { $0.unavailableUntil = .now + Self.retryTime }
            }
            end(number, .failure(status == nil ? unanswered(error) : error))
        }
    }

    /// The error for the users of a stream that did not open.
    ///
    /// A single slow answer must not make all users start long polls of their own.
    private func unanswered(_ error: any Error) -> any Error {
        guard error is NoEventStreamError else { return error }
        let count = state.withLock { state in
            state.unansweredCount += 1
            return state.unansweredCount
        }
        return count <= Self.toleratedCount ? DownloadError(.timedOut) : error
    }

    /// Splits a stream that the server does not accept, to find the users whom it refuses.
    private func split(_ number: Int) {
        state.withLock { state in
            guard let stream = state.streams.removeValue(forKey: number) else { return }
            let parts = Array(stream.parts.values)
            for half in [parts[..<(parts.count / 2)], parts[(parts.count / 2)...]]
            where !half.isEmpty {
                var new = Stream()
                for part in half { new.add(part) }
                start(new, after: [], in: &state)
            }
        }
    }

    private func read(_ connection: any ActiveConfigEventConnection, _ number: Int) async throws {
        var retry: EventStreamParser.Element?
        while let element = try await connection.nextEvent().map(\.element) {
            switch element {
            case nil: break
            case .comment:
                for part in parts(of: number) { part.receive(ActiveConfigEvent(element)) }
            // Applies to the user of the next event.
            case .retry: retry = element
            case .event(let event):
                pass(on: event, after: retry, from: number)
                retry = nil
            }
            try Task.checkCancellation()
        }
    }

    /// Delivers an event to its user, or to all users, after the delay that preceded it.
    private func pass(
        on event: ServerEvent, after retry: EventStreamParser.Element?, from number: Int
    ) {
        var receivers: [UserStreamPart] = []
        if event.name == "retry" {
            receivers = parts(of: number)
        } else if let userID = event.userID {
            receivers = state.withLock { $0.streams[number]?.parts[userID].map { [$0] } } ?? []
        }
        // The version in `hello` can be newer than the client's.
        let id = ["hello", "retry"].contains(event.name) ? nil : event.id
        for receiver in receivers {
            if let retry { receiver.receive(ActiveConfigEvent(retry)) }
            receiver.receive(ActiveConfigEvent(.event(event)), id: id)
        }
    }

    private func parts(of number: Int) -> [UserStreamPart] {
        state.withLock { Array(($0.streams[number]?.parts ?? [:]).values) }
    }

    /// Ends the stream for its remaining users.
    private func end(_ number: Int, _ result: Result<Void, any Error>) {
        let stream = state.withLock { $0.streams.removeValue(forKey: number) }
        for part in (stream?.parts ?? [:]).values { part.events.end(result) }
    }
}

extension UsersStreams.Stream {
    /// True when the server sends events for more users who have left than for others, or has done
    /// so for too long.
    fileprivate var isStale: Bool { isOverdue || leftCount > parts.count }

    fileprivate func hasRoom(count: Int, size: Int) -> Bool {
        parts.isEmpty
            || (parts.count + count <= UsersStreams.maximumCount
                && self.size + size <= UsersStreams.maximumSize)
    }

    fileprivate mutating func add(_ part: UserStreamPart) {
        parts[part.userID] = part
        size += part.size
    }

    fileprivate mutating func remove(_ part: UserStreamPart) {
        parts[part.userID] = nil
        size -= part.size
        leftCount += 1
        if newest === part { newest = nil }
    }
}
