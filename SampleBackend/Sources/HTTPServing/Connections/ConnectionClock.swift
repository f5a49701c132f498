import NIOCore

/// The deadlines of one connection, with one timer for all of them.
struct ConnectionClock {
    /// What has had its time.
    enum Expiry {
        /// The connection as a whole.
        case connection
        /// The current phase.
        case phase
    }

    /// When a client that does not read has had its time.
    var unreadDeadline: NIODeadline?

    /// When a server that shuts down waits no longer.
    var shutdownDeadline: NIODeadline?

    private var phase: ConnectionStateMachine.Phase?
    private var phaseDeadline: NIODeadline?
    private var timer: (scheduled: Scheduled<Void>, deadline: NIODeadline)?

    /// Starts the time of a phase, if it has just begun.
    ///
    /// - Parameters:
    ///   - newPhase: The phase that the connection is in.
    ///   - limits: How long it may take.
    /// - Returns: Whether it has just begun.
    mutating func enter(_ newPhase: ConnectionStateMachine.Phase, limits: ServerLimits) -> Bool {
        guard newPhase != phase else { return false }
        phase = newPhase
        let time: Duration? =
            switch newPhase {
            case .awaitingRequest: limits.idleTime
            case .readingBody: limits.bodyTime
            // `unreadDeadline` counts while something is unsent.
            case .answering, .sending: nil
            case .lingering: limits.lingerTime
            }
        phaseDeadline = time.map { .now() + TimeAmount($0) }
        return true
    }

    /// Sets the timer to the deadline that comes first.
    mutating func schedule(on eventLoop: any EventLoop, _ body: @escaping () -> Void) {
        let deadlines = [phaseDeadline, unreadDeadline, shutdownDeadline]
        guard let deadline = deadlines.compactMap({ $0 }).min() else { return }
        // A timer that fires too early looks again; so most requests do not touch it.
        if let timer, timer.deadline <= deadline { return }
        timer?.scheduled.cancel()
        timer = (
            eventLoop.assumeIsolated().scheduleTask(deadline: deadline, body), deadline
        )
    }

    /// What has had its time, now that the timer fired; nil when it fired too early.
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

    /// Stops the timer.
    mutating func cancel() {
        timer?.scheduled.cancel()
        timer = nil
    }
}
