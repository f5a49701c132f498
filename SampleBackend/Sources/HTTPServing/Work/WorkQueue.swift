/// Decides which work of a ``WorkPool`` runs, waits or is refused; it has no side effects.
struct WorkQueue<Work: AnyObject> {
    enum Admission: Hashable {
        case run
        case wait
        case refuse
    }

    fileprivate struct Waiting {
        let work: Work
        /// Memory that the work holds.
        let bytes: Int
        let start: ContinuousClock.Instant
    }

    private let limits: WorkLimits

    private var runningCount = 0

    /// Waiting work by ticket; work with a ticket below ``oldest`` has started or was withdrawn.
    private var waiting: [Int: Waiting] = [:]

    /// Total memory that the waiting work holds.
    private var waitingBytes = 0

    private var tickets: [ObjectIdentifier: Int] = [:]

    private var oldest = 0

    private var nextTicket = 0

    init(limits: WorkLimits) { self.limits = limits }

    /// Admits new work that holds `bytes` of memory.
    ///
    /// The caller starts it immediately, or when ``finish()`` returns it.
    mutating func admit(
        _ work: Work, holding bytes: Int, at time: ContinuousClock.Instant
    ) -> Admission {
        if runningCount < limits.running {
            runningCount += 1
            return .run
        }
        guard waiting.count < limits.waiting,
            waiting.isEmpty || waitingBytes + bytes <= limits.waitingBytes
        else { return .refuse }
        waiting[nextTicket] = Waiting(work: work, bytes: bytes, start: time)
        waitingBytes += bytes
        tickets[ObjectIdentifier(work)] = nextTicket
        nextTicket += 1
        return .wait
    }

    /// Records that running work has ended, and returns the work to start in its place.
    mutating func finish() -> Work? {
        guard let next = removeOldest() else {
            runningCount -= 1
            return nil
        }
        return next
    }

    /// Removes and returns the work that has waited longer than the limit, oldest first.
    mutating func removeLate(at time: ContinuousClock.Instant) -> [Work] {
        var late: [Work] = []
        while true {
            skipWithdrawn()
            guard let start = waiting[oldest]?.start, start.duration(to: time) > limits.wait,
                let work = removeOldest()
            else { return late }
            late.append(work)
        }
    }

    private mutating func removeOldest() -> Work? {
        skipWithdrawn()
        guard let work = waiting[oldest]?.work else { return nil }
        _ = withdraw(work)
        return work
    }

    /// Removes waiting work; returns false when it has started.
    mutating func withdraw(_ work: Work) -> Bool {
        guard let ticket = tickets.removeValue(forKey: ObjectIdentifier(work)) else {
            return false
        }
        waitingBytes -= waiting.removeValue(forKey: ticket)?.bytes ?? 0
        return true
    }

    /// Advances ``oldest`` past started and withdrawn work to the oldest waiting work.
    private mutating func skipWithdrawn() {
        while oldest < nextTicket, waiting[oldest] == nil { oldest += 1 }
    }
}

extension WorkQueue: Sendable where Work: Sendable {}
extension WorkQueue.Waiting: Sendable where Work: Sendable {}

/// Limits on the work of a ``WorkPool``.
struct WorkLimits: Sendable, Hashable {
    /// Maximum amount of concurrent work.
    let running: Int

    /// Maximum amount of waiting work.
    let waiting: Int

    /// Maximum total memory of waiting work; a single larger piece is allowed when nothing else
    /// waits.
    var waitingBytes = 32 << 20

    /// Maximum time that work waits.
    let wait: Duration
}
