/// Decides which work of a ``WorkPool`` runs, waits, or is refused; it has no side effects.
struct WorkQueue<Work: AnyObject> {
    enum Admission: Hashable {
        case run
        case wait
        case refuse
    }

    private let limits: WorkLimits

    private var runningCount = 0

    /// Oldest first.
    private var waiting: [(work: Work, start: ContinuousClock.Instant)] = []

    init(limits: WorkLimits) { self.limits = limits }

    /// Admits new work, which the caller starts at once, or when ``finish()`` returns it.
    mutating func admit(_ work: Work, at time: ContinuousClock.Instant) -> Admission {
        if runningCount < limits.running {
            runningCount += 1
            return .run
        }
        let isLate = waiting.first.map { $0.start.duration(to: time) > limits.wait } ?? false
        guard waiting.count < limits.waiting, !isLate else { return .refuse }
        waiting.append((work, time))
        return .wait
    }

    /// Records that running work has ended, and returns the work to start in its place.
    mutating func finish() -> Work? {
        guard !waiting.isEmpty else {
            runningCount -= 1
            return nil
        }
        return waiting.removeFirst().work
    }

    /// Removes waiting work; false when it has begun.
    mutating func withdraw(_ work: Work) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.work === work }) else { return false }
        waiting.remove(at: index)
        return true
    }
}

extension WorkQueue: Sendable where Work: Sendable {}

/// Limits on the work of a ``WorkPool``.
struct WorkLimits: Sendable, Hashable {
    /// Maximum work at once.
    let running: Int

    /// Maximum work that waits for its turn.
    let waiting: Int

    /// Time that the oldest work may have waited when other work is added.
    let wait: Duration
}
