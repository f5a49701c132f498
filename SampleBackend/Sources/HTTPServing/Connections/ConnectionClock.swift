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

    /// Schedules the timer for the earliest deadline.
    mutating func schedule(on eventLoop: any EventLoop, _ body: @escaping () -> Void) {
        let deadlines = [phaseDeadline, unreadDeadline, shutdownDeadline]
        guard let deadline = deadlines.compactMap({ $0 }).min() else { return }
        // A timer that fires early is rescheduled then, so most requests leave it untouched.
        if let timer, timer.deadline <= deadline { return }
        timer?.scheduled.cancel()
        timer = (
            eventLoop.assumeIsolated().scheduleTask(deadline: deadline, body), deadline
        )
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
