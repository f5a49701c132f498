import NIOCore

/// A request that waits for a limited time.
protocol TimedWait: AnyObject {
    /// Where the clock has it; nil while it is not there.
    var clockEntry: PollClock.Entry? { get set }

    /// Responds, and removes it from the clock.
    func timeIsOver()
}

/// Ends the waiting requests of one event loop when their time is over.
///
/// A scheduled task for each would be searched for, one after the other, when a publish answers
/// thousands; here a poll is removed in constant time.
final class PollClock {
    /// Where a poll is in the clock.
    struct Entry {
        fileprivate let tick: UInt64
        fileprivate var index: Int
    }

    /// Resolution in nanoseconds.
    private static let tickLength: UInt64 = 50_000_000

    /// Maximum polls that are ended before the thread does other work.
    private static let pollsAtATime = 256

    private let eventLoop: any EventLoop

    /// The polls by the tick at which their time is over.
    private var polls: [UInt64: [any TimedWait]] = [:]

    /// The timer of the earliest tick, and its tick; nil when there is none.
    private var timer: (scheduled: Scheduled<Void>, tick: UInt64)?

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Adds a poll whose time is over at a deadline, rounded up.
    func add(_ poll: any TimedWait, until deadline: NIODeadline) {
        let tick = deadline.uptimeNanoseconds / Self.tickLength + 1
        poll.clockEntry = Entry(tick: tick, index: polls[tick]?.count ?? 0)
        polls[tick, default: []].append(poll)
        schedule(tick)
    }

    /// Removes a poll; idempotent.
    func remove(_ poll: any TimedWait) {
        guard let entry = poll.clockEntry else { return }
        poll.clockEntry = nil
        guard let last = polls[entry.tick]?.popLast() else { return }
        if last !== poll {
            polls[entry.tick]?[entry.index] = last
            last.clockEntry?.index = entry.index
        }
        if polls[entry.tick]?.isEmpty ?? false { polls[entry.tick] = nil }
    }

    private func schedule(_ tick: UInt64) {
        if let timer {
            guard tick < timer.tick else { return }
            timer.scheduled.cancel()
        }
        let scheduled = eventLoop.assumeIsolated().scheduleTask(
            deadline: .uptimeNanoseconds(tick * Self.tickLength)
        ) { [weak self] () -> Void in self?.fire() }
        timer = (scheduled, tick)
    }

    private func fire() {
        timer = nil
        let now = NIODeadline.now().uptimeNanoseconds / Self.tickLength
        var rest = Self.pollsAtATime
        for tick in polls.keys.sorted() where tick <= now {
            while rest > 0, let poll = polls[tick]?.last {
                rest -= 1
                poll.timeIsOver()
            }
        }
        guard let next = polls.keys.min() else { return }
        if next <= now {
            eventLoop.assumeIsolated().execute { self.fire() }
        } else {
            schedule(next)
        }
    }
}

@available(*, unavailable)
extension PollClock: Sendable {}
