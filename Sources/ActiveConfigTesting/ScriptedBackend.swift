public import ActiveConfig
public import ActiveConfigRealtime

/// A backend with streams, in memory and on a manual clock, with a network that a test can break.
///
/// ```swift
/// let backend = ScriptedBackend()
/// let updater = ActiveConfigUpdater.make(config, source: backend, clock: backend.clock)
/// updater.start()
/// try await backend.waitForStreams(1)
/// backend.publish(["Home": ["title": "New"]])
/// ```
///
/// Every user has the entity tag of the version, so that a tag sent for the wrong user matches.
public final class ScriptedBackend: ActiveConfigEventSource {
    /// Creates the sections of a user's document; nil is the generic user.
    public typealias Sections =
        @Sendable (_ userID: String?) -> [String: ActiveConfigSection]

    struct State: Sendable {
        /// The sections of each version; version 1 is the first.
        var versions: [Sections]
        var meta: [String: SettingValue] = [:]
        var requests: [Request] = []
        var streams: [Int: ScriptedStream] = [:]
        var nextStreamID = 0
        var service = Service()
        var network: @Sendable (Message) -> [Transmission] = { [.intact($0)] }
        var messageCount = 0
    }

    /// The backend's current service.
    public struct Service: Sendable {
        /// Whether streams open, and whether events get through.
        public enum Streams: Sendable, Hashable {
            /// They open, and events get through.
            case open
            /// The server has none.
            case none
            /// They open, but no events get through, as with a buffering proxy.
            case heldBack
            /// They open, and end at once.
            case closedAtOnce
        }

        /// The availability of streams.
        public var streams = Streams.open
        /// True when long polls are supported.
        public var hasLongPolls = true
        /// A status that refuses every request; nil answers normally.
        public var refusal: Int?
        /// The `Retry-After` of refusals.
        public var retryAfter: Duration?
        /// False while no connection can be made.
        public var isReachable = true

        /// Creates a service with everything available.
        public init() {}
    }

    /// A request that has arrived.
    public struct Request: Sendable {
        /// The kind of request.
        public enum Kind: Sendable, Hashable {
            /// A document request; conditional with an entity tag, a long poll with a wait.
            case document(entityTag: String?, wait: Duration?)
            /// A stream.
            case events(lastEventID: String?)
        }

        /// The user; nil is the generic user.
        public let userID: String?
        /// The kind of request.
        public let kind: Kind
        /// The clock's time at its arrival.
        public let time: Duration
    }

    /// The clock of long polls and delays.
    public let clock: ManualClock
    let state: AwaitableState<State>

    /// Creates a backend with version 1 published.
    ///
    /// - Parameters:
    ///   - clock: The clock.
    ///   - sections: The sections of every user's document.
    public convenience init(
        clock: ManualClock = ManualClock(),
        sections: [String: ActiveConfigSection] = ["Home": ["title": "Hello"]]
    ) {
        self.init(clock: clock) { _ in sections }
    }

    /// Creates a backend with version 1 published, whose documents depend on the user.
    public init(clock: ManualClock = ManualClock(), sections: @escaping Sections) {
        self.clock = clock
        state = AwaitableState(State(versions: [sections]))
    }

    /// All requests that have arrived, in order.
    public var requests: [Request] { state.value.requests }
    /// The current version.
    public var version: Int { state.value.versions.count }
    /// The number of open streams.
    public var streamCount: Int { state.value.streams.count }

    /// Changes the backend's service.
    public func setService(_ change: @Sendable (inout Service) -> Void) {
        state.withLock { change(&$0.service) }
    }

    /// Changes members of every document's `meta` from now on.
    public func setMeta(_ meta: [String: SettingValue]) {
        state.withLock { $0.meta = meta }
    }

    /// Publishes a version, and sends it on the open streams.
    ///
    /// - Returns: The version.
    @discardableResult
    public func publish(_ sections: [String: ActiveConfigSection]) -> Int {
        publish { _ in sections }
    }

    /// Publishes a version whose documents depend on the user, and sends it on the open streams.
    ///
    /// - Returns: The version.
    @discardableResult
    public func publish(_ sections: @escaping Sections) -> Int {
        state.withLock { state in
            state.versions.append(sections)
            for id in state.streams.keys.sorted() {
                guard let stream = state.streams[id] else { continue }
                state.streams[id]?.version = state.versions.count
                state.tell(streamID: id, since: stream.version, at: clock.now.offset)
            }
            return state.versions.count
        }
    }

    /// Sends bytes on every open stream.
    public func send(_ text: String) {
        state.withLock { state in
            for id in state.streams.keys.sorted() {
                state.transmit(text, on: id, at: clock.now.offset)
            }
        }
    }

    /// Ends every open stream, as a server does that closes its connections.
    public func endStreams() {
        state.withLock { state in
            for id in state.streams.keys { state.streams[id]?.hasEnded = true }
        }
    }

    /// Waits until a number of streams is open.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func waitForStreams(_ count: Int) async throws {
        try await state.wait { $0.streams.values.count { !$0.hasEnded } == count }
    }

    /// Waits until a number of requests has arrived.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    @discardableResult
    public func waitForRequests(_ count: Int) async throws -> [Request] {
        try await state.wait { $0.requests.count >= count }.requests
    }

    /// A new connection.
    public func connection(forUserID userID: String?) -> any ActiveConfigEventConnection {
        ScriptedConnection(self, userID: userID)
    }

    /// A user's document of the current version.
    public func document(ofUserID userID: String?) -> ConfigurationState {
        state.value.document(forUserID: userID)
    }
}

extension ScriptedBackend.State {
    func document(forUserID userID: String?) -> ConfigurationState {
        .make(
            meta: meta.merging([
                "format_version_string": "1.0", "template_version": .integer(versions.count),
            ]) { $1 },
            sections: versions[versions.count - 1](userID), entityTag: tag)
    }

    var tag: String { "\"v\(versions.count)\"" }

    /// Sends a stream the changes since a version.
    mutating func tell(streamID id: Int, since version: Int, at now: Duration) {
        guard let stream = streams[id],
            let event = update(
                forUserID: stream.userID, since: version, number: stream.eventNumber + 1)
        else { return }
        streams[id]?.eventNumber += 1
        transmit(event, on: id, at: now)
    }

    /// The event with the changes since a version; nil when there are none.
    private func update(forUserID userID: String?, since version: Int, number: Int) -> String? {
        let old = versions[version - 1](userID)
        let new = versions[versions.count - 1](userID)
        var sections: [String: SettingValue] = [:]
        for name in Set(old.keys).union(new.keys) where old[name] != new[name] {
            sections[name] =
                new[name].map { section in
                    .object([
                        "settings": .object(section.settings.mapValues { .object(["value": $0]) })
                    ])
                } ?? .null
        }
        if sections.isEmpty { return nil }
        let data: SettingValue = .object([
            "template_version": .integer(versions.count), "event_number": .integer(number),
            "etag": .string(tag), "sections": .object(sections),
            "meta": .object(document(forUserID: userID).meta),
        ])
        let text = String(decoding: data.jsonData(), as: UTF8.self)
        return "event: update\nid: \(versions.count)\ndata: \(text)\n\n"
    }
}
