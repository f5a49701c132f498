internal import ActiveConfig
internal import ActiveConfigRealtime

extension ScriptedBackend {
    /// Bytes on their way to a client.
    public struct Message: Sendable {
        /// Its number on all streams, from 1.
        public let number: Int
        /// The user of the stream.
        public let userID: String?
        /// The bytes.
        public let bytes: [UInt8]
    }

    /// The network's effect on a message.
    public struct Transmission: Sendable {
        let bytes: [UInt8]
        var delay = Duration.zero
        var cutsStream = false
        var comesBeforeLast = false

        /// It arrives unchanged.
        public static func intact(_ message: Message) -> Transmission {
            Transmission(bytes: message.bytes)
        }

        /// Other bytes arrive.
        public static func bytes(_ bytes: [UInt8]) -> Transmission { Transmission(bytes: bytes) }

        /// The first bytes arrive, then the connection breaks.
        public static func cut(_ message: Message, after count: Int) -> Transmission {
            Transmission(bytes: Array(message.bytes.prefix(count)), cutsStream: true)
        }

        /// It arrives before earlier unread bytes, which no real connection does.
        public static func early(_ message: Message) -> Transmission {
            Transmission(bytes: message.bytes, comesBeforeLast: true)
        }

        /// The same, followed by a broken connection.
        public var thenBroken: Transmission {
            var transmission = self
            transmission.cutsStream = true
            return transmission
        }

        /// The same, delayed on the backend's clock.
        public func after(_ delay: Duration) -> Transmission {
            var transmission = self
            transmission.delay = delay
            return transmission
        }
    }

    /// Replaces the network: what arrives, in order, for each message on a stream.
    ///
    /// An empty array loses the message, two transmissions duplicate it.
    public func setNetwork(_ network: @escaping @Sendable (Message) -> [Transmission]) {
        state.withLock { $0.network = network }
    }
}

/// One open stream of a ``ScriptedBackend``.
struct ScriptedStream: Sendable {
    let userID: String?
    /// The version that the backend assumes the client has.
    var version: Int
    /// The number of the last `update` or `reset`.
    var eventNumber = 0
    var pieces: [(bytes: [UInt8], due: Duration, cutsStream: Bool)] = []
    var hasEnded = false
}

extension ScriptedBackend.State {
    /// Sends text over the network.
    mutating func transmit(_ text: String, on id: Int, at now: Duration) {
        guard let stream = streams[id], !stream.hasEnded, service.streams != .heldBack else {
            return
        }
        messageCount += 1
        let message = ScriptedBackend.Message(
            number: messageCount, userID: stream.userID, bytes: Array(text.utf8))
        for transmission in network(message) {
            let piece = (
                bytes: transmission.bytes, due: now + transmission.delay,
                cutsStream: transmission.cutsStream
            )
            let pieces = streams[id]?.pieces ?? []
            let place =
                transmission.comesBeforeLast && !pieces.isEmpty
                ? pieces.count - 1 : pieces.count
            streams[id]?.pieces.insert(piece, at: place)
        }
    }
}

/// A client's connection to a ``ScriptedBackend``.
final class ScriptedConnection: ActiveConfigEventConnection {
    private struct State {
        var streamID: Int?
        var reader = EventReader()
        var isClosed = false
    }

    private let backend: ScriptedBackend
    private let userID: String?
    private let own = Locked(State())

    init(_ backend: ScriptedBackend, userID: String?) {
        self.backend = backend
        self.userID = userID
    }

    deinit { close() }

    private func arrive(_ kind: ScriptedBackend.Request.Kind) throws -> ScriptedBackend.State {
        if own.withLock({ $0.isClosed }) { throw CancellationError() }
        let state = backend.state.withLock { state in
            state.requests.append(
                ScriptedBackend.Request(
                    userID: userID, kind: kind, time: backend.clock.now.offset))
            return state
        }
        guard state.service.isReachable else { throw DownloadError(.cannotConnect) }
        if let status = state.service.refusal {
            throw DownloadError(
                .httpStatus, status: status, retryAfter: state.service.retryAfter)
        }
        return state
    }

    func document(
        lastKnown: ConfigurationState?, wait: Duration?
    ) async throws -> DocumentAnswer {
        try Task.checkCancellation()
        let tag = lastKnown?.entityTag
        let state = try arrive(.document(entityTag: tag, wait: wait))
        guard tag == state.tag else {
            return DocumentAnswer(state.document(forUserID: userID))
        }
        guard let wait, state.service.hasLongPolls else { return DocumentAnswer(nil) }
        // A version or the end of the wait, whichever comes first.
        let version = state.versions.count
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { [backend] in try await backend.clock.sleep(for: wait) }
            group.addTask { [backend] in
                try await backend.state.wait { $0.versions.count > version }
            }
            try await group.next()
        }
        let now = backend.state.value
        return DocumentAnswer(
            now.versions.count > version ? now.document(forUserID: userID) : nil, hasWaited: true)
    }

    func openEvents(lastEventID: String?) async throws {
        try Task.checkCancellation()
        let service = try arrive(.events(lastEventID: lastEventID)).service
        if service.streams == .none { throw NoEventStreamError("the script has none") }
        let userID = userID
        let now = backend.clock.now.offset
        let id = backend.state.withLock { state in
            state.nextStreamID += 1
            let (id, current) = (state.nextStreamID, state.versions.count)
            state.streams[id] = ScriptedStream(
                userID: userID, version: current,
                hasEnded: state.service.streams == .closedAtOnce)
            let resumed = lastEventID.map { max(Int($0) ?? 0, 0) }
            state.transmit(
                "event: hello\nid: \(resumed ?? current)\nretry: 2000\n"
                    + "data: {\"template_version\": \(current)}\n\n", on: id, at: now)
            if let version = lastEventID.flatMap({ Int($0) }) {
                if !(1...current).contains(version) {
                    state.streams[id]?.eventNumber = 1
                    state.transmit(
                        "event: reset\nid: \(current)\ndata: {\"template_version\": \(current)}\n\n",
                        on: id, at: now)
                } else {
                    state.tell(streamID: id, since: version, at: now)
                }
            }
            return id
        }
        let isClosed = own.withLock { own in
            own.streamID = id
            own.reader = EventReader()
            return own.isClosed
        }
        if isClosed { close() }
    }

    func nextEvent() async throws -> ActiveConfigEvent? {
        try await own.withLock { $0.reader }.next { try await nextBytes() }
    }

    private func nextBytes() async throws -> [UInt8]? {
        guard let id = own.withLock({ $0.streamID }) else { throw CancellationError() }
        let stream = try await backend.state.wait { state in
            state.streams[id].map { !$0.pieces.isEmpty || $0.hasEnded } ?? true
        }.streams[id]
        guard let stream else { throw CancellationError() }
        guard let first = stream.pieces.first else { return nil }
        if first.due > backend.clock.now.offset {
            try await backend.clock.sleep(until: .init(offset: first.due))
        }
        let piece = backend.state.withLock { state in
            state.streams[id]?.pieces.isEmpty == false
                ? state.streams[id]?.pieces.removeFirst() : nil
        }
        guard let piece else { throw CancellationError() }
        if piece.cutsStream {
            backend.state.withLock { state in
                state.streams[id]?.pieces = []
                state.streams[id]?.hasEnded = true
            }
        }
        return piece.bytes
    }

    func close() {
        let id = own.withLock { own in
            own.isClosed = true
            return own.streamID
        }
        if let id { backend.state.withLock { _ = $0.streams.removeValue(forKey: id) } }
    }
}
