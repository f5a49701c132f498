import NIOCore

/// The deadlines of one connection, which share a timer.
struct ConnectionClock {
    enum Expiry {
        /// The unread or the shutdown deadline; the connection must be closed.
        case connection
        /// The deadline of the current phase.
        case phase
    }

    /// Deadline for a client that does not read; nil while nothing is unsent.
    var unreadDeadline: NIODeadline?

    /// End of the grace period of a shutdown; nil while the server runs.
    var shutdownDeadline: NIODeadline?

    private var phase: ConnectionStateMachine.Phase?
    private var phaseDeadline: NIODeadline?
    private var timer: (scheduled: Scheduled<Void>, deadline: NIODeadline)?

    /// Starts the deadline of a phase and returns true; returns false if the phase is unchanged.
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
    /// A timer that fires too early is rescheduled at that time, so most requests do not touch it.
    var needsTimer: Bool {
        guard let deadline = earliestDeadline else { return false }
        return timer.map { $0.deadline > deadline } ?? true
    }

    /// Schedules the timer for the earliest deadline and replaces a later one.
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

    /// Returns the deadline that has passed; nil when the timer fired too early.
    ///
    /// Call this when the timer fires.
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
