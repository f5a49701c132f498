import NIOCore

/// A request that waits until a deadline.
protocol TimedWait: AnyObject {
    /// The position in the clock; nil while it is not in the clock.
    var clockEntry: PollClock.Entry? { get set }

    /// Responds and removes itself from the clock.
    func timeIsOver()
}

/// Ends the waiting requests of one event loop at their deadlines.
///
/// It replaces a scheduled task per request: when a publish answers thousands of polls, cancelling
/// each task takes a search, whereas this clock removes a poll in constant time.
final class PollClock {
    /// The position of a poll in the clock.
    struct Entry {
        fileprivate let tick: UInt64
        fileprivate var index: Int
    }

    /// Resolution in nanoseconds.
    private static let tickLength: UInt64 = 50_000_000

    /// Maximum number of polls to end before the thread does other work.
    private static let pollsAtATime = 256

    private let eventLoop: any EventLoop

    /// The polls by the tick of their deadline.
    private var polls: [UInt64: [any TimedWait]] = [:]

    /// The timer for the earliest tick, and that tick; nil when there is none.
    private var timer: (scheduled: Scheduled<Void>, tick: UInt64)?

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Adds a poll with a deadline, which is rounded up to a tick.
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
