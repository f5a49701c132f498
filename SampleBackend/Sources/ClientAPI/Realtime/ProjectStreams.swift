import Foundation
import JSONTree
import NIOCore
import Rendering
import Targeting
import Templates

/// The open streams and long polls of one project on one thread, with the fan-out of changes.
///
/// A publish starts one pass over their users, in batches of a few hundred so that requests are
/// answered in between. Each user is evaluated once, unless the conditions are unchanged; users
/// with the same basis share one event; users whose document is unchanged receive none.
final class ProjectStreams {
    /// Maximum number of users per batch, after which the thread does other work.
    private static let usersAtATime = 256

    /// Maximum bytes of events per batch, unless a single event is larger.
    ///
    /// Between batches, connections that exceed the backlog's limit are closed.
    private static let bytesAtATime = 1 << 20

    let name: String
    let hub: RealtimeHub
    let eventLoop: any EventLoop

    /// The version that the clients have, or that the current pass announces.
    private(set) var published: PublishedProject {
        didSet { catchUpEvents = [:] }
    }

    private(set) var subscriptions: [Subscription] = []

    /// The version floor with which open streams were compared.
    var versionFloor: Int

    /// The effect of the last publish; nil before the first.
    private(set) var lastPublish: PublishEffect?

    /// The number of the last pass.
    private var pass = 0

    var isPassing = false

    /// True once the project was deleted; a new project of its name has another list.
    private var isDeleted = false

    /// True when another version arrived during a pass, so another pass follows.
    private var isStale = false

    /// The users whose pinned values changed during a pass.
    private var usersWithNewOverrides: [String] = []

    /// Fires at the next boundary of a time-based condition.
    private var dateTimer: Scheduled<Void>?

    let earlierVersions: EarlierVersions

    /// Clients with a later version than this server's; they receive nothing until the server has
    /// it.
    var aheadClients = AheadClients()

    /// Clients whose pinned values are being read; they receive nothing until then.
    var pinnedValueReads = PinnedValueReads()

    /// The values that determine the event for a reconnecting client.
    struct CatchUpKey: Hashable {
        /// The version that the client knows.
        let version: Int
        /// The basis of its document in that version.
        let old: DocumentBasis
        /// The current basis.
        let new: DocumentBasis
        /// Sections that may have changed for other reasons, such as pinned values.
        let touchedSections: Set<ExactText>
        let format: StreamRequest.Format
    }

    /// Maximum cached events for reconnecting clients.
    static let maximumCatchUpEvents = 256

    /// Cached events for reconnecting clients; a nil value means no change.
    var catchUpEvents: [CatchUpKey: EventChunk?] = [:]

    init(
        name: String, published: PublishedProject, hub: RealtimeHub,
        eventLoop: any EventLoop
    ) {
        self.name = name
        self.published = published
        self.hub = hub
        self.eventLoop = eventLoop
        versionFloor = hub.library.versionFloor
        earlierVersions = EarlierVersions(project: name, library: hub.library)
        scheduleDate()
    }

    /// Registers a subscription; its basis must be that of ``published``.
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
        if !isDeleted { hub.usage.recordDelivery(to: subscription) }
    }

    /// Adopts the library's version and starts a pass that announces the changes.
    func announceChanges() {
        // The change can be known before the notification of the raise below it.
        resetIfRaised()
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

    /// Announces a change of a user's pinned values to the user's clients.
    func announceOverrides(ofUser userID: String) {
        guard !isPassing else {
            usersWithNewOverrides.append(userID)
            return
        }
        // A newer version gets its own pass, which includes the pinned values.
        guard let current = hub.library.project(name),
            current.compiled.version.number == published.compiled.version.number
        else { return }
        let table = ChangeTable(from: published, to: current)
        published = current
        // Copies the list, because an answered long poll leaves it.
        let users = subscriptions.filter { $0.isOf(userID) }
        for user in users where !user.isClosed { _ = announce(to: user, by: table) }
    }

    /// Ends all streams and long polls because the project was deleted.
    ///
    /// Their clients ask again, and learn that there is no such project.
    func endAll() {
        isDeleted = true
        dateTimer?.cancel()
        dateTimer = nil
        // Copies the list, because a subscription that ends leaves it.
        let ending = subscriptions
        for subscription in ending {
            if let stream = subscription.ledStream {
                stream.end(after: hub.reconnectDelay())
            } else if let poll = subscription as? DocumentPoll {
                poll.endForDeletion()
            }
        }
        releaseAheadClients()
    }

    /// Processes one batch of a pass and schedules the rest.
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

    /// Sends a client the change of its document, if any, and returns the number of bytes sent.
    private func announce(to subscription: Subscription, by table: ChangeTable) -> Int {
        subscription.pass = pass
        let old = subscription.basis
        subscription.basis = table.basis(for: subscription)
        var bytes = 0
        let event = table.event(for: subscription, from: old)
        if table.isPublish { lastPublish?.count(isChanged: event != nil) }
        // A client that is catching up cannot apply a change to a version that it does not have
        // yet.
        if subscription.isCatchingUp { return 0 }
        if let event {
            hub.metrics.countUpdate()
            subscription.eventCount += 1
            bytes = subscription.tell(event)
        }
        subscription.advance(to: published.compiled.version.number)
        return bytes
    }

    /// Schedules a pass at the next boundary of a time-based condition.
    private func scheduleDate() {
        dateTimer?.cancel()
        dateTimer = nil
        let now = Date()
        guard let next = published.compiled.conditions.dates.first(where: { $0 >= now })
        else { return }
        // The timer is limited to an hour because the system clock may be changed.
        let seconds = min(next.timeIntervalSince(now) + 0.001, 3_600)
        dateTimer = eventLoop.assumeIsolated().scheduleTask(
            in: .milliseconds(Int64(seconds * 1_000) + 1)
        ) { [weak self] in self?.announceChanges() }
    }
}

extension Subscription {
    /// True when it belongs to the user; IDs are compared by bytes.
    fileprivate func isOf(_ userID: String) -> Bool {
        request.document.userID.map { $0.hasSameBytes(as: userID) } ?? false
    }
}

@available(*, unavailable)
extension ProjectStreams: Sendable {}
