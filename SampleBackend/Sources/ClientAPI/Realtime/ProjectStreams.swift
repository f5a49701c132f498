import Foundation
import JSONTree
import NIOCore
import Rendering
import Targeting
import Templates

/// The open streams and long polls of one project on one thread, and the fan-out of changes to them.
///
/// A publish starts one pass through their users, in batches of a few hundred so that requests are
/// answered in between: each user is evaluated once, unless the conditions stay, users with the same
/// basis share one event, and users whose document is unchanged get none.
final class ProjectStreams {
    /// Maximum users of a batch, before the thread does other work.
    private static let usersAtATime = 256

    /// Maximum bytes of events per batch, unless a single event is larger.
    ///
    /// Between batches, connections over the backlog's limit are closed.
    private static let bytesAtATime = 1 << 20

    let name: String
    let hub: RealtimeHub
    let eventLoop: any EventLoop

    /// The version that the clients have, or that the current pass announces.
    private(set) var published: PublishedProject {
        didSet { catchUpEvents = [:] }
    }

    private(set) var subscriptions: [Subscription] = []

    /// The users of the last publish; nil before there is one.
    private(set) var lastPublish: PublishEffect?

    /// The number of the last pass.
    private var pass = 0

    var isPassing = false

    /// True when another version came during a pass, so that another one follows.
    private var isStale = false

    /// The users whose overrides changed during a pass.
    private var usersWithNewOverrides: [String] = []

    /// Fires at the next boundary of a time-based condition.
    private var dateTimer: Scheduled<Void>?

    let earlierVersions: EarlierVersions

    /// Clients with a later version than this server has, which hear of nothing until it has theirs.
    var aheadClients = AheadClients()

    /// Clients whose pinned values are being read, which hear of nothing until then.
    var pinnedValueReads = PinnedValueReads()

    /// The values that determine the event for a reconnecting client.
    struct CatchUpKey: Hashable {
        /// The version that the client knows.
        let version: Int
        /// The basis of its document in that version.
        let old: DocumentBasis
        /// The current basis.
        let new: DocumentBasis
        /// Sections that may have changed for other reasons, such as overrides.
        let touchedSections: Set<String>
        let format: StreamRequest.Format
    }

    /// Maximum cached events for reconnecting clients.
    static let maximumCatchUpEvents = 256

    /// Cached events for reconnecting clients; a nil value means that nothing changed.
    var catchUpEvents: [CatchUpKey: EventChunk?] = [:]

    init(
        name: String, published: PublishedProject, hub: RealtimeHub,
        eventLoop: any EventLoop
    ) {
        self.name = name
        self.published = published
        self.hub = hub
        self.eventLoop = eventLoop
        earlierVersions = EarlierVersions(project: name, library: hub.library)
        scheduleDate()
    }

    /// Registers a subscription, whose basis is that of ``published``.
    func add(_ subscription: Subscription) {
        subscription.place = subscriptions.count
        subscription.pass = pass
        subscriptions.append(subscription)
        hub.opened(subscription)
    }

    /// Unregisters a subscription; idempotent.
    func remove(_ subscription: Subscription) {
        let place = subscription.place
        guard place < subscriptions.count, subscriptions[place] === subscription else { return }
        let last = subscriptions.removeLast()
        if last !== subscription {
            subscriptions[place] = last
            last.place = place
        }
        hub.closed(subscription)
    }

    /// Adopts the library's version, and starts a pass that announces the changes.
    func announceChanges() {
        settleAheadClients()
        guard !isPassing else {
            isStale = true
            return
        }
        guard let current = hub.library.project(name) else { return }
        let table = ChangeTable(from: published, to: current)
        published = current
        if table.isPublish {
            lastPublish = PublishEffect(version: current.compiled.version.number)
        }
        pass += 1
        isPassing = true
        scheduleDate()
        continuePass(through: subscriptions[...], with: table)
    }

    /// Announces a change of a user's overrides to the user's clients.
    func announceOverrides(ofUser userID: String) {
        guard !isPassing else {
            usersWithNewOverrides.append(userID)
            return
        }
        // A newer version gets its own pass, which includes the overrides.
        guard let current = hub.library.project(name),
            current.compiled.version.number == published.compiled.version.number
        else { return }
        let table = ChangeTable(from: published, to: current)
        published = current
        // A copy, because a long poll that is answered leaves the list.
        let users = subscriptions.filter { $0.isOf(userID) }
        for user in users where !user.isClosed { _ = announce(to: user, by: table) }
    }

    /// Continues a pass with a batch now, and schedules the remaining streams.
    private func continuePass(through rest: ArraySlice<Subscription>, with table: ChangeTable) {
        var bytes = 0
        var others = rest
        for user in rest.prefix(Self.usersAtATime) where bytes < Self.bytesAtATime {
            others.removeFirst()
            if user.pass < pass, !user.isClosed { bytes += announce(to: user, by: table) }
        }
        guard others.isEmpty else {
            eventLoop.assumeIsolated().execute { self.continuePass(through: others, with: table) }
            return
        }
        isPassing = false
        let users = usersWithNewOverrides
        usersWithNewOverrides = []
        if isStale {
            isStale = false
            announceChanges()
        } else {
            for user in users { announceOverrides(ofUser: user) }
            settleAheadClients()
        }
    }

    /// Tells a client the change of its document, if any, and returns the bytes sent.
    private func announce(to subscription: Subscription, by table: ChangeTable) -> Int {
        subscription.pass = pass
        let old = subscription.basis
        subscription.basis = table.basis(for: subscription)
        var bytes = 0
        let event = table.event(for: subscription, from: old)
        if table.isPublish { lastPublish?.count(isChanged: event != nil) }
        // The client cannot apply a change to a version that it does not have yet.
        if subscription.isCatchingUp { return 0 }
        if let event {
            hub.metrics.countUpdate()
            subscription.eventCount += 1
            bytes = subscription.tell(event)
        }
        subscription.advance(to: published.compiled.version.number)
        return bytes
    }

    /// Schedules a pass for the next time with which a condition compares.
    private func scheduleDate() {
        dateTimer?.cancel()
        dateTimer = nil
        let now = Date()
        guard let next = published.compiled.conditions.dates.first(where: { $0 >= now })
        else { return }
        // The system clock may be changed, so the timer is short.
        let seconds = min(next.timeIntervalSince(now) + 0.001, 3_600)
        dateTimer = eventLoop.assumeIsolated().scheduleTask(
            in: .milliseconds(Int64(seconds * 1_000) + 1)
        ) { [weak self] in self?.announceChanges() }
    }
}

extension Subscription {
    /// True when it is the user's; IDs are compared byte by byte.
    fileprivate func isOf(_ userID: String) -> Bool {
        request.document.userID.map { $0.hasSameBytes(as: userID) } ?? false
    }
}

@available(*, unavailable)
extension ProjectStreams: Sendable {}
