import Foundation
package import HTTPServing
import JSONTree
import Metrics
import NIOConcurrencyHelpers
import NIOCore
import Rendering
import Targeting
import TemplateStore

/// Distributes changes of the library to the open streams and long polls (PROTOCOL 2).
///
/// Each event loop thread owns its streams and processes them without a lock. The hub only notifies
/// the threads, which read the current state from the library.
package final class RealtimeHub: Sendable {
    /// Minimum period over which reconnects after a shutdown are spread, in milliseconds.
    private static let minimumSpread = 1_000

    /// Maximum period over which reconnects after a shutdown are spread, in milliseconds.
    private static let maximumSpread = 30_000

    private struct State: Sendable {
        /// The streams of each thread, by its event loop.
        var threads: [ObjectIdentifier: NIOLoopBound<StreamThread>] = [:]
        /// Changed pinned values by project.
        var traces: [String: OverrideTraces] = [:]  // names: names of projects are ASCII
        /// Number of open streams.
        var count = 0
        /// Maximum of `count` so far.
        var peak = 0
        /// Number of waiting long polls.
        var pollCount = 0
    }

    private let state = NIOLockedValueBox(State())
    package let library: TemplateLibrary
    let limits: ClientLimits

    /// Maximum time that a client may leave events unread once the socket's buffers are full.
    let unreadTime: Duration
    let places: StreamPlaces
    let metrics = RealtimeMetrics()
    let unknownVersions: UnknownVersions

    /// The share of clients asked to acknowledge versions; nil asks none.
    package let acknowledgedShare: AcknowledgedShare?

    /// The use of projects by the clients of all routes.
    package let usage: UsageTally

    /// Creates a hub that observes a library; a nil `maximumStreams` means no limit.
    package init(
        library: TemplateLibrary, limits: ClientLimits, unreadTime: Duration,
        maximumStreams: Int? = nil, acknowledgedShare: AcknowledgedShare? = nil,
        usage: UsageTally = UsageTally()
    ) {
        self.library = library
        self.limits = limits
        self.unreadTime = unreadTime
        self.acknowledgedShare = acknowledgedShare
        self.usage = usage
        unknownVersions = UnknownVersions(
            canBeRaised: library.store is any SharedStoring, logger: library.logger)
        places = StreamPlaces(
            maximum: maximumStreams, maximumPerAddress: limits.streamsPerAddress,
            maximumUsers: limits.streamUsers)
        library.observe { [weak self] in self?.forward($0) }
    }

    /// Creates a stream for one or more users on the current event loop; nil when the project does
    /// not exist.
    func makeStream(
        _ requests: [StreamRequest], place: StreamPlace, lifetime: StreamLifetime,
        connection: StreamConnection
    ) -> EventStream? {
        thread(of: connection.eventLoop).makeStream(
            requests, place: place, lifetime: lifetime, connection: connection)
    }

    /// The thread of the current event loop.
    private func thread(of eventLoop: any EventLoop) -> StreamThread {
        let thread = state.withLockedValue { state in
            let key = ObjectIdentifier(eventLoop)
            if let thread = state.threads[key] { return thread }
            let thread = NIOLoopBound(
                StreamThread(hub: self, eventLoop: eventLoop), eventLoop: eventLoop)
            state.threads[key] = thread
            return thread
        }
        return thread.value
    }

    /// Ends all streams with an event that contains the delay before reconnecting.
    package func endAll() async {
        for thread in threads {
            try? await thread.eventLoop.submit { thread.value.endAll() }.get()
        }
        // Breaks the reference cycle: the threads refer to the hub.
        state.withLockedValue { $0.threads = [:] }
    }

    /// Ends the streams whose credentials were revoked, before they receive any later change.
    package func endRevokedStreams() {
        for thread in threads {
            thread.eventLoop.execute { thread.value.endRevokedStreams() }
        }
    }

    /// Counts a new subscription.
    func opened(_ subscription: Subscription) { count(subscription, 1) }

    /// Stops counting a subscription.
    func closed(_ subscription: Subscription) { count(subscription, -1) }

    private func count(_ subscription: Subscription, _ change: Int) {
        if subscription is DocumentPoll {
            state.withLockedValue { state in
                state.pollCount += change
                // Set under the lock: if two threads set the gauge in another order, it would keep
                // an old count.
                metrics.setPolls(state.pollCount)
            }
        } else if subscription.ledStream != nil {
            countStreams(change)
        }
    }

    /// Changes the number of open streams.
    func countStreams(_ change: Int) {
        state.withLockedValue { state in
            state.count += change
            state.peak = max(state.peak, state.count)
            metrics.setConnections(state.count)
        }
    }

    /// A random delay in milliseconds before a client reconnects, so that not all clients reconnect
    /// at once.
    ///
    /// It is below 5,000 after a peak of 10,000 streams.
    func reconnectDelay() -> Int {
        let peak = state.withLockedValue { $0.peak }
        let spread = min(max(peak / 2, Self.minimumSpread), Self.maximumSpread)
        return Int.random(in: 0..<spread)
    }

    /// A random delay in seconds before a long poll may be repeated after a shutdown.
    func pollDelay() -> Int {
        let polls = state.withLockedValue { $0.pollCount }
        return Int.random(in: 1...min(max(polls / 2_000, 5), Self.maximumSpread / 1_000))
    }

    /// The sections in which the user's pinned values may have changed since a version was
    /// published; nil when that is unknown.
    func sectionsWithChangedOverrides(
        ofUser userID: String?, inProject project: String, since version: Int
    ) -> Set<ExactText>? {
        if let userID,
            library.earlierOverrides.mayInclude(userID, inProject: project, since: version)
        {
            return nil
        }
        let traces = state.withLockedValue { $0.traces[project] }
        return (traces ?? OverrideTraces()).sections(ofUser: userID)
    }

    var threads: [NIOLoopBound<StreamThread>] {
        state.withLockedValue { Array($0.threads.values) }
    }

    /// Forwards a change to all threads.
    private func forward(_ change: LibraryChange) {
        switch change {
        case .overrides(let project, let userID, let sections):
            state.withLockedValue {
                $0.traces[project, default: OverrideTraces()].add(sections, ofUser: userID)
            }
        case .deletion(let project):
            state.withLockedValue { $0.traces[project] = nil }
            usage.forget(project: project)
        case .project, .versionFloor, .everything: break
        }
        for thread in threads {
            thread.eventLoop.execute { thread.value.forward(change) }
        }
    }
}

extension RealtimeHub: DocumentWaiting {
    package func answer(
        _ poll: PollRequest, from address: ClientAddress?
    ) throws(RequestError) -> Answer {
        let place = try places.take(address)
        return .waiting(
            WaitOpening { eventLoop, completion in
                self.thread(of: eventLoop).makePoll(poll, place: place, completion: completion)
            })
    }

    package func catchUp(
        beforeRefusing error: RequestError, project: String
    ) -> (@Sendable () async throws(RequestError) -> Void)? {
        library.catchUp(beforeRefusing: error, project: project)
    }

    package func isBehind(_ seenVersion: SeenVersion, inProject project: String) -> Bool {
        library.project(project).map { !seenVersion.isReached(by: $0.compiled.version) } ?? false
    }

    package func answer(
        after seenVersion: SeenVersion, inProject project: String, from address: ClientAddress?,
        on threads: WorkThreads?,
        _ handler: @escaping @Sendable (_ isUnknown: Bool) async throws(RequestError) -> Answer
    ) throws(RequestError) -> Answer {
        let place = try places.take(address)
        return .waiting(
            WaitOpening { eventLoop, completion in
                self.thread(of: eventLoop).makeAheadRequest(
                    seenVersion, inProject: project, place: place, on: threads, handler: handler,
                    completion: completion)
            })
    }
}

/// The users whose pinned values changed, with the changed sections.
///
/// Reconnecting clients need them, because an event's ID does not cover pinned values.
struct OverrideTraces: Sendable {
    /// Maximum number of tracked users.
    private static let maximumUsers = 10_000

    /// The changed sections by user; nil once there are too many users.
    private var sections: [ExactText: Set<ExactText>]? = [:]

    mutating func add(_ names: some Sequence<ExactText>, ofUser userID: String) {
        sections?[ExactText(userID), default: []].formUnion(names)
        if let sections, sections.count > Self.maximumUsers { self.sections = nil }
    }

    /// The user's sections that may have changed; nil when that is unknown.
    func sections(ofUser userID: String?) -> Set<ExactText>? {
        guard let userID else { return [] }
        return sections.map { $0[ExactText(userID)] ?? [] }
    }
}

/// The metrics of streams.
struct RealtimeMetrics: Sendable {
    private let connections = Gauge(label: "activeconfig_stream_connections")
    private let polls = Gauge(label: "activeconfig_long_polls")
    private let updates = Counter(label: "activeconfig_stream_updates")
    private let slowReaders = Counter(label: "activeconfig_stream_slow_readers")
    private let delivery = Metrics.Timer(label: "activeconfig_delivery_duration")

    func setConnections(_ count: Int) { connections.record(count) }

    func setPolls(_ count: Int) { polls.record(count) }

    /// Counts a change sent to a client.
    func countUpdate() { updates.increment() }

    /// Counts a client that was disconnected because it did not read.
    func countSlowReader() { slowReaders.increment() }

    /// Records the time from a publication until a client's socket accepts the change.
    func recordDelivery(since publication: Date) {
        let seconds = max(0, Date().timeIntervalSince(publication))
        delivery.recordNanoseconds(Int64(seconds * 1_000_000_000))
    }
}
