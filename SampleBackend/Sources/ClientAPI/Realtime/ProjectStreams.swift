import Foundation
import NIOCore
import Rendering
import Targeting
import Templates

/// A type that holds the streams of one project on one thread, and tells them what changes.
///
/// After a publish it goes through its streams once, a few hundred at a time so that requests are
/// answered in between: each user is evaluated once, users with the same basis share one event, and
/// those whose document stays hear nothing.
final class ProjectStreams {
    /// How many streams are looked at before the thread does something else.
    private static let streamsAtATime = 256

    /// How many bytes they are sent at once at most, unless one event is larger.
    ///
    /// In between, connections are closed for which there is no more memory.
    private static let bytesAtATime = 1 << 20

    /// The project's name.
    let name: String

    /// What all threads share.
    private let hub: RealtimeHub

    /// The thread.
    private let eventLoop: any EventLoop

    /// The configuration that the streams know, or are being told of.
    private(set) var configuration: ProjectConfiguration {
        didSet { catchUpEvents = [:] }
    }

    /// The streams that are open.
    private(set) var streams: [EventStream] = []

    /// The number of the last pass through the streams.
    private var pass = 0

    /// Whether a pass is under way.
    private var isPassing = false

    /// Whether another pass has to follow.
    private var isStale = false

    /// The users whose pinned values changed during the pass.
    private var usersToLookAt: [String] = []

    /// When conditions on the time may come out otherwise.
    private var dateTimer: Scheduled<Void>?

    /// Earlier versions that clients have come back with.
    private let earlierVersions: EarlierVersions

    /// What a client that comes back has missed.
    private struct CatchUpKey: Hashable {
        /// The version that the client knows.
        let version: Int
        /// What its document depended on there.
        let old: DocumentBasis
        /// What it depends on now.
        let new: DocumentBasis
        /// The sections that may have changed besides.
        let touchedSections: Set<String>
        /// In what terms it is told.
        let format: StreamRequest.Format
    }

    /// The most events that are kept for clients that come back.
    private static let maximumCatchUpEvents = 256

    /// Events for clients that come back, once for all that share one; nil says nothing changed.
    private var catchUpEvents: [CatchUpKey: ByteBuffer?] = [:]

    /// Makes an empty list.
    ///
    /// - Parameters:
    ///   - name: The project's name.
    ///   - configuration: The current one.
    ///   - hub: What all threads share.
    ///   - eventLoop: The thread.
    init(
        name: String, configuration: ProjectConfiguration, hub: RealtimeHub,
        eventLoop: any EventLoop
    ) {
        self.name = name
        self.configuration = configuration
        self.hub = hub
        self.eventLoop = eventLoop
        earlierVersions = EarlierVersions(project: name, library: hub.library)
        scheduleDate()
    }

    /// Registers a stream; its basis is that of ``configuration``.
    func add(_ stream: EventStream) {
        stream.place = streams.count
        stream.pass = pass
        streams.append(stream)
        hub.streamOpened()
    }

    /// Forgets a stream.
    func remove(_ stream: EventStream) {
        guard stream.place < streams.count, streams[stream.place] === stream else { return }
        let last = streams.removeLast()
        if last !== stream {
            streams[stream.place] = last
            last.place = stream.place
        }
        hub.streamClosed()
    }

    /// Takes over what the library holds now, and tells the streams.
    func lookAgain() {
        guard !isPassing else {
            isStale = true
            return
        }
        guard let current = hub.library.project(name) else { return }
        let table = ChangeTable(from: configuration, to: current)
        configuration = current
        pass += 1
        isPassing = true
        scheduleDate()
        go(through: streams[...], with: table)
    }

    /// Tells the streams of a user what changed in the values pinned for them.
    func lookAgain(atUser userID: String) {
        guard !isPassing else {
            usersToLookAt.append(userID)
            return
        }
        // A newer version has its own pass, which sees the pinned values too.
        guard let current = hub.library.project(name),
            current.compiled.version.number == configuration.compiled.version.number
        else { return }
        let table = ChangeTable(from: configuration, to: current)
        configuration = current
        for stream in streams where stream.isOf(userID) { _ = tell(stream, by: table) }
    }

    /// Goes through the rest of the streams, a part now and the others soon.
    private func go(through rest: ArraySlice<EventStream>, with table: ChangeTable) {
        var bytes = 0
        var others = rest
        for stream in rest.prefix(Self.streamsAtATime) where bytes < Self.bytesAtATime {
            others.removeFirst()
            if stream.pass < pass, !stream.isClosed { bytes += tell(stream, by: table) }
        }
        guard others.isEmpty else {
            eventLoop.assumeIsolated().execute { self.go(through: others, with: table) }
            return
        }
        isPassing = false
        let users = usersToLookAt
        usersToLookAt = []
        if isStale {
            isStale = false
            lookAgain()
        } else {
            for user in users { lookAgain(atUser: user) }
        }
    }

    /// Tells one stream what changed for it.
    ///
    /// - Returns: The bytes that it is sent.
    private func tell(_ stream: EventStream, by table: ChangeTable) -> Int {
        stream.pass = pass
        let old = stream.basis
        stream.basis = configuration.basis(for: stream.request.targetingContext)
        let event = table.event(for: stream, from: old)
        if let event {
            hub.metrics.countUpdate()
            stream.send(event, publication: table.publication)
        }
        stream.advance(to: configuration.compiled.version.number)
        return event?.readableBytes ?? 0
    }

    /// Waits for the next time that a condition compares with.
    private func scheduleDate() {
        dateTimer?.cancel()
        dateTimer = nil
        let now = Date()
        guard let next = configuration.compiled.conditions.dates.first(where: { $0 >= now })
        else { return }
        // A clock may be set; so no wait is long.
        let seconds = min(next.timeIntervalSince(now) + 0.001, 3_600)
        dateTimer = eventLoop.assumeIsolated().scheduleTask(
            in: .milliseconds(Int64(seconds * 1_000) + 1)
        ) { [weak self] in self?.lookAgain() }
    }
}

extension ProjectStreams {
    /// Sends a client that comes back what it has missed.
    ///
    /// - Parameter stream: A stream that has said which version its client knows.
    func catchUp(_ stream: EventStream) {
        guard let lastEventID = stream.request.lastEventID else { return }
        let current = configuration.compiled.version.number
        guard let version = Int(lastEventID), version <= current else {
            reset(stream)
            return
        }
        guard version < current else {
            sendChange(to: stream, since: configuration.compiled)
            return
        }
        guard let earlier = earlierVersions.version(version, on: eventLoop) else {
            reset(stream)
            return
        }
        earlier.assumeIsolated().whenComplete { result in
            guard !stream.isClosed else { return }
            if case .success(let earlier?) = result {
                self.sendChange(to: stream, since: earlier)
            } else {
                self.reset(stream)
            }
        }
    }

    /// Sends what has changed since a version, if anything has.
    private func sendChange(to stream: EventStream, since earlier: CompiledTemplate) {
        let context = stream.request.targetingContext
        let touched = hub.overrideTraces(inProject: name).sections(ofUser: context.userID)
        let dates = [earlier.conditions.dates, configuration.compiled.conditions.dates].joined()
        guard let touched,
            !dates.contains(where: { $0 > earlier.version.updateTime && $0 <= context.date })
        else {
            // What the client saw of that version depends on when it saw it.
            reset(stream)
            return
        }
        let pinned = configuration.overrides(for: context)
        let earlierBasis = DocumentBasis(
            results: earlier.conditions.evaluate(context), overrides: pinned)
        let key = CatchUpKey(
            version: earlier.version.number, old: earlierBasis, new: stream.basis,
            touchedSections: touched.union(pinned?.sections.keys ?? [:].keys),
            format: stream.request.format)
        if let event = catchUpEvents[key] {
            if let event { stream.send(event) }
            return
        }
        let change = DocumentChange(
            from: earlier, earlierBasis, to: configuration.compiled, stream.basis,
            touchedSections: key.touchedSections)
        let event = change.isEmpty ? nil : event(of: change, for: stream)
        let isShared = change.isEmpty || !configuration.compiled.showsUserID
        if isShared, catchUpEvents.count < Self.maximumCatchUpEvents {
            catchUpEvents[key] = .some(event)
        }
        if let event { stream.send(event) }
    }

    /// Tells a client to fetch.
    private func reset(_ stream: EventStream) {
        let version = configuration.compiled.version
        stream.send(
            stream.request.format == .openFeature
                ? StreamEvents.refetch(version) : StreamEvents.reset(version: version.number))
    }

    /// The event of a change.
    private func event(of change: DocumentChange, for stream: EventStream) -> ByteBuffer {
        switch stream.request.format {
        case .openFeature: StreamEvents.refetch(configuration.compiled.version)
        case .activeConfig:
            StreamEvents.update(
                change, forUserID: stream.request.configuration.userID, basis: stream.basis,
                in: configuration)
        }
    }
}

extension EventStream {
    /// Whether it is a user's, compared byte by byte.
    fileprivate func isOf(_ userID: String) -> Bool {
        request.configuration.userID.map { $0.utf8.elementsEqual(userID.utf8) } ?? false
    }
}

@available(*, unavailable)
extension ProjectStreams: Sendable {}
