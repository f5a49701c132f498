import Foundation
import HTTPServing
import NIOCore

/// The streams and long polls of one event loop by project.
///
/// Sends heartbeats and ends expired streams.
final class StreamThread {
    /// Number of slots per heartbeat interval, over which the heartbeats of the streams are spread.
    private static let heartbeatSlots = 15

    /// The range of stream lifetimes, as fractions of the maximum age.
    private static let ages = 0.75...1

    /// The upper bound of a stream's lifetime: ten years, in seconds.
    private static let longestTime = 315_360_000.0

    private let hub: RealtimeHub
    private let eventLoop: any EventLoop
    private var projects: [String: ProjectStreams] = [:]  // names: names of projects are ASCII

    /// The timer for the next slot; nil when none is scheduled.
    private var heartbeats: Scheduled<Void>?

    /// The current slot.
    private var slot = 0

    /// A lower bound of the streams' deadlines; streams are not checked before it.
    private var nextEnd = NIODeadline.distantFuture

    private let pollClock: PollClock

    init(hub: RealtimeHub, eventLoop: any EventLoop) {
        self.hub = hub
        self.eventLoop = eventLoop
        pollClock = PollClock(eventLoop: eventLoop)
    }

    func project(_ name: String) -> ProjectStreams? { projects[name] }

    var allProjects: [String: ProjectStreams] { projects }  // names: names of projects are ASCII

    /// Creates a stream for users of one project; nil when the project does not exist.
    func makeStream(
        _ requests: [StreamRequest], place: StreamPlace, lifetime: StreamLifetime,
        connection: StreamConnection
    ) -> EventStream? {
        guard let name = requests.first?.document.project, let streams = openProject(name) else {
            return nil
        }
        startHeartbeats()
        var lifetime = lifetime
        lifetime.end = end(ofTokenEnding: lifetime.tokenEnd)
        if let end = lifetime.end { nextEnd = min(nextEnd, end) }
        return EventStream(
            requests, place: place, project: streams, hub: hub, connection: connection,
            // The current slot, so the first heartbeat follows after a full interval.
            lifetime: lifetime, heartbeatSlot: slot)
    }

    /// Starts a long poll; nil when the project does not exist.
    func makePoll(
        _ request: PollRequest, place: StreamPlace, completion: @escaping WaitOpening.Completion
    ) -> DocumentPoll? {
        guard let streams = openProject(request.document.project) else {
            completion(request.ordinaryAnswer)
            return nil
        }
        let poll = DocumentPoll(
            request, place: place, project: streams, clock: pollClock, hub: hub,
            completion: completion)
        poll.begin()
        return poll
    }

    /// Makes a request wait for a version; nil when the project does not exist.
    func makeAheadRequest(
        _ seenVersion: SeenVersion, inProject name: String, place: StreamPlace,
        on threads: WorkThreads?, handler: @escaping AheadRequest.Handler,
        completion: @escaping WaitOpening.Completion
    ) -> AheadRequest? {
        guard let streams = openProject(name) else {
            completion(.failure(hub.library.refusal(ofProject: name)))
            return nil
        }
        let request = AheadRequest(
            seenVersion, place: place, streams: streams, clock: pollClock, on: threads,
            handler: handler, completion: completion)
        request.begin()
        return request
    }

    /// The streams of a project, which follow its changes from then on; nil when the project does
    /// not exist.
    private func openProject(_ name: String) -> ProjectStreams? {
        if let known = projects[name] { return known }
        guard let published = hub.library.project(name) else { return nil }
        let streams = ProjectStreams(
            name: name, published: published, hub: hub, eventLoop: eventLoop)
        projects[name] = streams
        return streams
    }

    /// Forwards a change to the streams that it affects.
    func forward(_ change: LibraryChange) {
        switch change {
        case .project(let name): projects[name]?.announceChanges()
        // Its clients reconnect, also if a new project already has the name.
        case .deletion(let name): projects.removeValue(forKey: name)?.endAll()
        case .overrides(let name, let userID, _): projects[name]?.announceOverrides(ofUser: userID)
        case .versionFloor: for project in projects.values { project.resetIfRaised() }
        case .everything: for project in projects.values { project.announceChanges() }
        }
    }

    /// Ends all streams and long polls, and sends their clients the delay before reconnecting.
    func endAll() {
        heartbeats?.cancel()
        heartbeats = nil
        for project in projects.values {
            // Copies the list, because a subscription that ends leaves it.
            let subscriptions = project.subscriptions
            for subscription in subscriptions { subscription.endForShutdown() }
        }
    }

    /// The deadline of a new stream; nil means never.
    ///
    /// Lifetimes are random, so streams opened together do not reconnect together.
    private func end(ofTokenEnding tokenEnd: Date?) -> NIODeadline? {
        let age = hub.limits.streamMaximumAge.map {
            ($0 / .seconds(1)) * Double.random(in: Self.ages)
        }
        let seconds = [age, tokenEnd?.timeIntervalSinceNow].compactMap { $0 }.min()
        // Clamped, since a deadline is a 64-bit number of nanoseconds.
        return seconds.map {
            .now() + .nanoseconds(Int64(min(max($0, 0), Self.longestTime) * 1_000_000_000))
        }
    }

    /// Ends the streams whose credentials were revoked.
    func endRevokedStreams() {
        for stream in projects.values.flatMap(\.subscriptions).compactMap(\.ledStream)
        where !stream.lifetime.isAllowed() {
            stream.end(after: hub.reconnectDelay())
        }
    }

    /// Ends the streams that have reached their maximum age or whose token has expired.
    private func endOldStreams() {
        let now = NIODeadline.now()
        guard nextEnd <= now else { return }
        nextEnd = .distantFuture
        for stream in projects.values.flatMap(\.subscriptions).compactMap(\.ledStream) {
            guard let end = stream.endDeadline else { continue }
            if end <= now {
                stream.end(after: hub.reconnectDelay())
            } else {
                nextEnd = min(nextEnd, end)
            }
        }
    }

    /// Schedules the next slot unless it is already scheduled.
    private func startHeartbeats() {
        guard heartbeats == nil else { return }
        let interval = TimeAmount(hub.limits.heartbeatInterval)
        let part = max(1, interval.nanoseconds / Int64(Self.heartbeatSlots))
        heartbeats = eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(part)) {
            [weak self] in self?.beat()
        }
    }

    /// Starts the next slot: sends its heartbeats and ends expired streams.
    private func beat() {
        heartbeats = nil
        endOldStreams()
        slot = (slot + 1) % Self.heartbeatSlots
        for project in projects.values {
            // Copies the list, because a stream that ends leaves it.
            let subscriptions = project.subscriptions
            for subscription in subscriptions {
                guard let stream = subscription.ledStream, stream.heartbeatSlot == slot else {
                    continue
                }
                stream.beat()
            }
        }
        if projects.values.contains(where: { !$0.subscriptions.isEmpty }) { startHeartbeats() }
    }
}

@available(*, unavailable)
extension StreamThread: Sendable {}
