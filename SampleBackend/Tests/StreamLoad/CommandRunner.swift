import NIOCore

/// Executes commands, and responds to each with a ``Report``.
struct CommandRunner {
    /// Interval at which awaited conditions are polled.
    private static let interval = TimeAmount.milliseconds(20)

    private let crowd: Crowd

    init(_ crowd: Crowd) { self.crowd = crowd }

    /// Executes a line; the future completes with the report.
    func run(_ line: String) -> EventLoopFuture<Report> {
        guard let command = Command(line) else {
            return done(Report(error: "not understood: \(line)"))
        }
        switch command {
        case .connect(let count):
            crowd.mark()
            crowd.connect(count)
            return done(Report())
        case .mark:
            crowd.mark()
            return done(Report())
        case .opened(let seconds):
            let mark = crowd.markTime
            return wait(seconds: seconds, for: crowd.clients) {
                $0.isOpen && $0.openTime > mark ? $0.openTime : nil
            }
        case .told(let version, let cohorts, let seconds):
            let clients = crowd.clients.filter { $0.cohort < cohorts }
            return wait(seconds: seconds, for: clients) {
                $0.version ?? 0 >= version ? $0.arrival : nil
            }
        case .report(let cohorts):
            return done(report(cohorts: cohorts))
        }
    }

    /// Future that is already completed.
    private func done(_ report: Report) -> EventLoopFuture<Report> {
        crowd.eventLoop.makeSucceededFuture(report)
    }

    /// Report of the current state and the counts since the mark.
    private func report(cohorts: Int) -> Report {
        var named: [Int: Int] = [:]
        var others: [Int: Int] = [:]
        var versions: [Int: Int] = [:]
        for client in crowd.clients {
            versions[client.version ?? 0, default: 0] += 1
            if client.cohort < cohorts {
                named[client.updates, default: 0] += 1
            } else {
                others[client.updates, default: 0] += 1
            }
        }
        return Report(
            open: crowd.clients.count(where: \.isOpen), updatesOfNamed: named,
            updatesOfOthers: others, heartbeats: crowd.clients.count(where: \.hasHeartbeat),
            versions: versions, counts: crowd.checkedCounts())
    }

    /// Waits until `time` is known for all clients, or the time limit has passed.
    private func wait(
        seconds: Int, for clients: [StreamClient],
        _ time: @escaping (StreamClient) -> NIODeadline?
    ) -> EventLoopFuture<Report> {
        let promise = crowd.eventLoop.makePromise(of: Report.self)
        look(until: .now() + .seconds(Int64(seconds)), at: clients, time, promise)
        return promise.futureResult
    }

    /// Polls the clients until the deadline.
    private func look(
        until deadline: NIODeadline, at clients: [StreamClient],
        _ time: @escaping (StreamClient) -> NIODeadline?, _ promise: EventLoopPromise<Report>
    ) {
        guard clients.contains(where: { time($0) == nil }), NIODeadline.now() < deadline else {
            let times = clients.compactMap { time($0)?.uptimeNanoseconds }
            promise.succeed(
                Report(reached: times.count, awaited: clients.count, times: Report.Times(times)))
            return
        }
        crowd.eventLoop.assumeIsolated().scheduleTask(in: Self.interval) {
            look(until: deadline, at: clients, time, promise)
        }
    }
}

@available(*, unavailable)
extension CommandRunner: Sendable {}
