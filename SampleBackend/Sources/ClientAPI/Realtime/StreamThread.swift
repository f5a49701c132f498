import Foundation
import HTTPServing
import NIOCore

/// The streams of one thread by project; keeps them alive, and ends those that are too old.
final class StreamThread {
    /// The parts of the time between two heartbeats; in each, some streams have theirs.
    private static let heartbeatSlots = 15

    /// The parts of the maximum age that streams have.
    private static let ages = 0.75...1

    /// Ten years in seconds: a stream whose token ends later does not end with it.
    private static let longestTime = 315_360_000.0

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

    /// No stream has to end before.
    private var nextEnd = NIODeadline.distantFuture

    /// Makes a thread without streams.
    init(hub: RealtimeHub, eventLoop: any EventLoop) {
        self.hub = hub
        self.eventLoop = eventLoop
    }

    /// The streams of a project.
    func project(_ name: String) -> ProjectStreams? { projects[name] }

    /// Makes a stream, or returns nil when there is no such project.
    func makeStream(
        _ request: StreamRequest, place: StreamPlace, tokenEnd: Date?, connection: StreamConnection
    ) -> EventStream? {
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
        let end = end(ofTokenEnding: tokenEnd)
        if let end { nextEnd = min(nextEnd, end) }
        return EventStream(
            request, place: place, project: streams, hub: hub, connection: connection, end: end,
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
            for stream in project.streams { stream.endForShutdown() }
        }
    }

    /// When a stream that is opened now has to end; nil when it never does.
    ///
    /// The ages differ, so that streams that were opened at once do not come back at once.
    private func end(ofTokenEnding tokenEnd: Date?) -> NIODeadline? {
        let age = hub.limits.streamMaximumAge.map {
            ($0 / .seconds(1)) * Double.random(in: Self.ages)
        }
        let seconds = [age, tokenEnd?.timeIntervalSinceNow].compactMap { $0 }.min()
        // A deadline has 64 bits of nanoseconds.
        return seconds.map {
            .now() + .nanoseconds(Int64(min(max($0, 0), Self.longestTime) * 1_000_000_000))
        }
    }

    /// Ends the streams that are too old, or whose token ended.
    private func endOldStreams() {
        let now = NIODeadline.now()
        guard nextEnd <= now else { return }
        nextEnd = .distantFuture
        for stream in projects.values.flatMap(\.streams) {
            guard let end = stream.endDeadline else { continue }
            if end <= now {
                stream.end(after: hub.reconnectDelay())
            } else {
                nextEnd = min(nextEnd, end)
            }
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
        endOldStreams()
        slot = (slot + 1) % Self.heartbeatSlots
        for project in projects.values {
            for stream in project.streams where stream.heartbeatSlot == slot { stream.beat() }
        }
        if projects.values.contains(where: { !$0.streams.isEmpty }) { startHeartbeats() }
    }
}

@available(*, unavailable)
extension StreamThread: Sendable {}
