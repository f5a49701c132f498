import NIOCore

/// A type that does what the lines of standard input say, and answers each with a ``Report``.
struct CommandRunner {
    /// How often is looked whether what is awaited has come true.
    private static let interval = TimeAmount.milliseconds(20)

    /// The clients.
    private let crowd: Crowd

    /// Makes a runner.
    ///
    /// - Parameter crowd: The clients.
    init(_ crowd: Crowd) { self.crowd = crowd }

    /// Does what a line says.
    ///
    /// - Parameter line: The line.
    /// - Returns: The answer, once it is known.
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

    /// Answers at once.
    private func done(_ report: Report) -> EventLoopFuture<Report> {
        crowd.eventLoop.makeSucceededFuture(report)
    }

    /// Sums up.
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

    /// Waits until something is true of all clients, or the time is over.
    private func wait(
        seconds: Int, for clients: [StreamClient],
        _ time: @escaping (StreamClient) -> NIODeadline?
    ) -> EventLoopFuture<Report> {
        let promise = crowd.eventLoop.makePromise(of: Report.self)
        look(until: .now() + .seconds(Int64(seconds)), at: clients, time, promise)
        return promise.futureResult
    }

    /// Looks whether something is true of all clients, now and again later.
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
