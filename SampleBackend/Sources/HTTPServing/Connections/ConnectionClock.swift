import NIOCore

/// The deadlines of one connection, with one timer for all of them.
struct ConnectionClock {
    enum Expiry {
        /// The unread or the shutdown deadline, after which the connection is closed.
        case connection
        /// The deadline of the current phase.
        case phase
    }

    /// Deadline of a client that does not read; nil while nothing is unsent.
    var unreadDeadline: NIODeadline?

    /// End of the grace period of a shutdown; nil while the server runs.
    var shutdownDeadline: NIODeadline?

    private var phase: ConnectionStateMachine.Phase?
    private var phaseDeadline: NIODeadline?
    private var timer: (scheduled: Scheduled<Void>, deadline: NIODeadline)?

    /// Starts the deadline of a phase unless it is running already, and returns whether it was
    /// started.
    mutating func enter(_ newPhase: ConnectionStateMachine.Phase, limits: ServerLimits) -> Bool {
        guard newPhase != phase else { return false }
        phase = newPhase
        let time: Duration? =
            switch newPhase {
            case .awaitingRequest: limits.idleTime
            case .readingBody: limits.bodyTime
            // No limit here: `unreadDeadline` applies while something is unsent.
            case .answering, .sending: nil
            case .lingering: limits.lingerTime
            }
        phaseDeadline = time.map { .now() + TimeAmount($0) }
        return true
    }

    /// True when no timer is scheduled for the earliest deadline or before it.
    ///
    /// A timer that fires early is scheduled again then, so most requests leave it untouched.
    var needsTimer: Bool {
        guard let deadline = earliestDeadline else { return false }
        return timer.map { $0.deadline > deadline } ?? true
    }

    /// Schedules the timer for the earliest deadline, in place of a later one.
    mutating func schedule(on eventLoop: any EventLoop, _ body: @escaping () -> Void) {
        guard let deadline = earliestDeadline else { return }
        timer?.scheduled.cancel()
        timer = (
            eventLoop.assumeIsolated().scheduleTask(deadline: deadline, body), deadline
        )
    }

    private var earliestDeadline: NIODeadline? {
        var earliest = phaseDeadline
        if let unreadDeadline { earliest = min(earliest ?? unreadDeadline, unreadDeadline) }
        if let shutdownDeadline { earliest = min(earliest ?? shutdownDeadline, shutdownDeadline) }
        return earliest
    }

    /// The deadline that has passed, called when the timer fires; nil when it fired early.
    mutating func expired() -> Expiry? {
        timer = nil
        let now = NIODeadline.now()
        if [unreadDeadline, shutdownDeadline].contains(where: { $0.map { $0 <= now } ?? false }) {
            return .connection
        }
        guard let phaseDeadline, phaseDeadline <= now else { return nil }
        self.phaseDeadline = nil
        return .phase
    }

    mutating func cancel() {
        timer?.scheduled.cancel()
        timer = nil
    }
}
