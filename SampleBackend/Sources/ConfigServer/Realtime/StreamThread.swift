import NIOCore

/// A type that holds the streams of one thread by project, and keeps them alive.
final class StreamThread {
    /// The parts of the time between two heartbeats; in each, some streams have theirs.
    private static let heartbeatSlots = 15

    /// What all threads share.
    private let hub: RealtimeHub

    /// The thread.
    private let eventLoop: any EventLoop

    /// The streams by project.
    private var projects: [String: ProjectStreams] = [:]

    /// What beats.
    private var heartbeats: Scheduled<Void>?

    /// The part of the time that begins with the next beat.
    private var slot = 0

    /// Makes a thread without streams.
    init(hub: RealtimeHub, eventLoop: any EventLoop) {
        self.hub = hub
        self.eventLoop = eventLoop
    }

    /// The streams of a project.
    func project(_ name: String) -> ProjectStreams? { projects[name] }

    /// Makes a stream, or returns nil when there is no such project.
    func makeStream(_ request: StreamRequest) -> EventStream? {
        let name = request.configuration.project
        let streams: ProjectStreams
        if let known = projects[name] {
            streams = known
        } else {
            guard let configuration = hub.library.project(name) else { return nil }
            streams = ProjectStreams(
                name: name, configuration: configuration, hub: hub, eventLoop: eventLoop)
            projects[name] = streams
        }
        startHeartbeats()
        // The slot that has just begun: so the first heartbeat comes after a whole interval.
        return EventStream(
            request, project: streams, limits: hub.limits, metrics: hub.metrics,
            heartbeatSlot: slot)
    }

    /// Tells the streams that something changed.
    func tell(_ change: LibraryChange) {
        switch change {
        case .project(let name): projects[name]?.lookAgain()
        case .overrides(let name, let userID, _): projects[name]?.lookAgain(atUser: userID)
        case .everything: for project in projects.values { project.lookAgain() }
        }
    }

    /// Ends all streams, and tells their clients when to come back.
    func endAll() {
        heartbeats?.cancel()
        heartbeats = nil
        for project in projects.values {
            for stream in project.streams { stream.end(after: hub.reconnectDelay()) }
        }
    }

    /// Beats in a while, unless that is planned already.
    private func startHeartbeats() {
        guard heartbeats == nil else { return }
        let interval = TimeAmount(hub.limits.heartbeatInterval)
        let part = max(1, interval.nanoseconds / Int64(Self.heartbeatSlots))
        heartbeats = eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(part)) {
            [weak self] in self?.beat()
        }
    }

    /// Sends the heartbeats of the current slot.
    private func beat() {
        heartbeats = nil
        slot = (slot + 1) % Self.heartbeatSlots
        for project in projects.values {
            for stream in project.streams where stream.heartbeatSlot == slot { stream.beat() }
        }
        if projects.values.contains(where: { !$0.streams.isEmpty }) { startHeartbeats() }
    }
}

@available(*, unavailable)
extension StreamThread: Sendable {}
