import ClientAPI
import Foundation
import JSONTree
import TemplateStore
import Templates

/// What apps report on the percentage of a rollout that is published, and what follows for the next
/// step.
///
/// Problems count at the settings that have a value for the condition, at their sections, and of whole
/// versions that apps refuse. Apps may have reported such problems before, also those that the rollout
/// does not reach: new problems are those above the former share of clients, and above what chance makes
/// of it. They are compared with the number of clients that the percentage reaches.
struct RolloutReports: Sendable, Hashable {
    enum Result: String, Sendable {
        /// The next step can be taken.
        case good
        /// Too few clients have reported.
        case waiting
        /// More problems, or lost streams, than the plan allows.
        case worse
    }

    /// Number of clients that have the version of the step or a later one, or problems with it.
    let clients: Int

    /// Number of those with problems.
    let withProblems: Int

    /// Number of those whom the percentage reaches, an estimate.
    let reached: Double

    /// The new problems in percent of those reached; nil when none is.
    let problemPercent: Double?

    /// The open streams that have vanished since the step, in percent; nil when it is not known.
    let lostStreamPercent: Double?

    /// When the reports since a restart are as old as an interval, before which no step is taken; nil
    /// when no report was lost, or when it does not matter.
    let waitDate: Date?

    let result: Result

    /// The result as a sentence.
    let text: String

    /// Time after a step in which vanished streams are seen, in seconds: first, streams and waiting
    /// clients come back, and later people close their apps.
    private static let streamTimes = 60.0...600.0

    /// Number of clients with new problems that are no accident, however few have reported.
    private static let fewestProblems = 3.0

    /// Compares reports with the plan.
    ///
    /// - Parameters:
    ///   - rollout: The rollout, which has started.
    ///   - counts: What all replicas count.
    ///   - date: The current time.
    init(of rollout: Rollout, _ counts: RolloutCounts, date: Date) {
        let step = rollout.steps.last
        let now = counts.reports(from: step?.version ?? 0)
        (clients, withProblems) = (now.clients, now.withProblems)
        let plan = rollout.plan
        let share = Double((rollout.bound ?? 0) - plan.lowerBound) / 100_000_000
        // Streams whose document does not change report nothing, so all reporters may be reached.
        let known =
            [
                counts.counts.clients, rollout.reportsBefore?.clients, step?.streams,
                counts.streams?.reduce(0) { $0 + $1.count },
            ].compactMap(\.self).max() ?? 0
        reached = min(Double(clients), Double(known) * share)
        let new = now.newProblems(since: rollout.reportsBefore)
        problemPercent = reached > 0 ? min(100, new.clients / reached * 100) : nil
        lostStreamPercent = step.flatMap { step in
            guard let streams = counts.streams,
                Self.streamTimes.contains(date.timeIntervalSince(step.date))
            else { return nil }
            return step.lostStreamPercent(of: streams)
        }
        waitDate = counts.firstStart.flatMap { rollout.waitDate(after: $0) }
        let subject = "\(clients) clients report on version \(step?.version ?? 0) or later"
        let place = new.place.map { " at \($0)" } ?? ""
        let problems =
            "\(new.clients.oneDecimal) of them have new problems\(place), and the rollout reaches "
            + "about \(reached.oneDecimal)"
        let isEnough = clients >= plan.minimumClients
        if let most = plan.maximumProblemPercent, let problemPercent, problemPercent > most,
            isEnough && plan.minimumClients > 0 || new.clients >= Self.fewestProblems
        {
            result = .worse
            text =
                "\(subject), \(problems): \(problemPercent.oneDecimal) %, and the bound is "
                + "\(most.oneDecimal) %."
        } else if let most = plan.maximumLostStreamPercent, let lostStreamPercent,
            lostStreamPercent > most
        {
            result = .worse
            text =
                "\(lostStreamPercent.oneDecimal) % of the streams that were open before the step are "
                + "gone, and the bound is \(most.oneDecimal) %."
        } else if !isEnough {
            result = .waiting
            text = "\(subject), of \(plan.minimumClients) clients that are needed."
        } else if plan.maximumProblemPercent != nil, let name = counts.namesWithoutReports.first {
            result = .waiting
            text = "What apps report to the server \(name) is not known."
        } else if let waitDate, date < waitDate {
            result = .waiting
            text =
                "\(subject) since the servers were restarted after the step: the next one waits until "
                + "\(waitDate.timestamp), an interval after that."
        } else {
            result = .good
            text = "\(subject), \(problems)."
        }
    }

    var json: JSONNode {
        var node: JSONNode = [
            "clients": .number("\(clients)"), "withProblems": .number("\(withProblems)"),
            "reached": .number(reached.oneDecimal), "result": .string(result.rawValue),
            "text": .string(text),
        ]
        node.setMember("problemPercent", problemPercent.map { .number($0.oneDecimal) })
        node.setMember("lostStreamPercent", lostStreamPercent.map { .number($0.oneDecimal) })
        return node
    }
}

extension Double {
    /// The number with at most one decimal.
    fileprivate var oneDecimal: String {
        let tenths = (self * 10).rounded()
        guard tenths.truncatingRemainder(dividingBy: 10) != 0 else { return "\(Int(tenths / 10))" }
        return "\(tenths / 10)"
    }
}

/// What all replicas count that matters for a rollout.
struct RolloutCounts: Sendable {
    /// The number of clients per version; the problems are in ``replicas``.
    let counts: AcknowledgementCounts

    /// The acknowledgements at each replica.
    let replicas: [ReplicaAcknowledgements]

    /// The places at which problems count.
    let places: Set<ProblemPlace>

    /// The open streams and long polls at each replica; nil when they are not known.
    var streams: [Rollout.ServerStreams]?

    /// When the first of the replicas that run now began to count; nil when apps report nothing.
    var firstStart: Date?

    /// Names of replicas of which it is not known what their apps report.
    var namesWithoutReports: [String] = []

    init(of replicas: [ReplicaAcknowledgements], at places: Set<ProblemPlace>) {
        counts = AcknowledgementCounts(ofReplicas: replicas)
        self.replicas = replicas
        self.places = places
    }

    /// The reports on a version and later ones.
    func reports(from version: Int) -> Rollout.Reports {
        let versions = counts.versions.filter { $0.number >= version }
        let withProblems = versions.reduce(0) { $0 + $1.withProblems }
        let clients = replicas.clientsWithProblems(from: version)
        return Rollout.Reports(
            // Who uses a version in spite of problems is in both.
            clients: min(counts.clients, versions.reduce(withProblems) { $0 + $1.inForce }),
            withProblems: withProblems,
            places: places.compactMap { place in
                clients[place.identifier].map {
                    .init(section: place.section, key: place.key, clients: $0)
                }
            })
    }
}

extension Administration {
    /// What apps report on a rollout that has started.
    func reports(of started: StartedRollout) async throws -> RolloutReports {
        let others = await replicas?.others()
        return RolloutReports(
            of: started.rollout, try await rolloutCounts(of: started.stored, others), date: now())
    }

    /// What apps report before a step of a rollout.
    func reportsNow(of stored: StoredChangeRequest) async throws -> Rollout.Reports {
        let others = await replicas?.others()
        let counts = try await rolloutCounts(of: stored, others)
        var reports = counts.reports(from: 0)
        reports.streams = await connections(inProject: stored.project, others: others).count
        reports.streamsByServer = counts.streams
        return reports
    }

    /// Counts the places of a rollout at this server from now on, for all servers.
    func watch(_ stored: StoredChangeRequest) throws {
        // Those of a published one are always the same.
        guard let acknowledgements,
            stored.state == .open
                || !acknowledgements.isWatching(rollout: stored.id, inProject: stored.project)
        else { return }
        acknowledgements.watch(
            try stored.rolloutPlaces, ofRollout: stored.id, inProject: stored.project)
    }

    /// True when the other servers count the places of a rollout, so that all reports are known.
    func isWatchedByOthers(_ stored: StoredChangeRequest) async -> Bool {
        if acknowledgements == nil { return true }
        let others = await replicas?.others()
        return others?.allWatch(rollout: stored.id, ofProject: stored.project) ?? true
    }

    private func rolloutCounts(
        of stored: StoredChangeRequest, _ others: OtherReplicas?
    ) async throws -> RolloutCounts {
        let project = stored.project
        let places = try stored.rolloutPlaces
        var replicas = others?.rolloutReports(inProject: project) ?? []
        if let acknowledgements {
            replicas.insert(
                acknowledgements.replicaAcknowledgements(
                    inProject: project, at: places,
                    words: others?.usersWithProblems(inProject: project) ?? []), at: 0)
        }
        var counts = RolloutCounts(of: replicas, at: places)
        counts.namesWithoutReports =
            others?.namesWithoutReports(ofRollout: stored.id, inProject: project) ?? []
        if others?.hasAllConnections != false {
            let own = await connections(inProject: project, others: nil).count
            counts.streams =
                [Rollout.ServerStreams(server: process.id, count: own)]
                + (others?.streams(inProject: project) ?? [])
        }
        if acknowledgements != nil {
            counts.firstStart = [process.startDate, others?.firstStart].compactMap(\.self).min()
        }
        return counts
    }
}

extension Rollout.Step {
    /// The share of the streams before the step that are gone, in percent; nil when no server of that
    /// time runs on.
    ///
    /// The streams of a server that has ended since are not lost: they come back at other servers. Those
    /// at new servers count as theirs first, and otherwise as moved from servers that run on.
    fileprivate func lostStreamPercent(of now: [Rollout.ServerStreams]) -> Double? {
        guard let streamsByServer else { return nil }
        let left = streamsByServer.filter { then in
            now.contains { $0.server.hasSameBytes(as: then.server) }
        }.reduce(0) { $0 + $1.count }
        guard left > 0 else { return nil }
        let new = now.filter { now in
            !streamsByServer.contains { $0.server.hasSameBytes(as: now.server) }
        }.reduce(0) { $0 + $1.count }
        let returned = min(new, streams - left)
        let open = now.reduce(0) { $0 + $1.count } - returned
        return max(0, Double(left - open) / Double(left) * 100)
    }
}

extension Rollout {
    /// When the servers have seen what apps report for an interval.
    ///
    /// A step is delayed by one interval at most, however often servers are restarted.
    ///
    /// - Parameter firstStart: When the first of the servers that run now has started.
    /// - Returns: The time; nil when no report of the step is lost, when the plan has another measure,
    ///   and when no server has run for so long that the rollout is held.
    fileprivate func waitDate(after firstStart: Date) -> Date? {
        guard let step = steps.last, let nextDate, plan.maximumProblemPercent != nil,
            plan.minimumClients == 0, !ignoresReports, firstStart > step.date,
            // Servers can be restarted during the delay, too.
            firstStart.timeIntervalSince(nextDate)
                <= max(plan.interval, TemplateStoreLimits.schedulingGrace)
        else { return nil }
        return min(firstStart, nextDate) + plan.interval
    }
}

extension StoredChangeRequest {
    /// The settings of the edited template that have a value for the condition of its rollout, their
    /// sections, and the whole version, which apps may refuse.
    fileprivate var rolloutPlaces: Set<ProblemPlace> {
        get throws {
            guard let condition = request.schedule?.rollout?.plan.condition, let contents else {
                return []
            }
            var places: Set<ProblemPlace> = [.wholeVersion]
            for (section, parameters) in try RemoteConfigTemplate(stored: contents.edited).sections
            {
                for (key, parameter) in parameters
                where parameter.conditionalValues[condition] != nil {
                    places.insert(ProblemPlace(section: section, key: key))
                    places.insert(ProblemPlace(section: section, key: nil))
                }
            }
            return places
        }
    }
}

extension Rollout.Reports {
    /// The most clients with new problems at one place.
    fileprivate func newProblems(since before: Self?) -> (clients: Double, place: String?) {
        // A full list lacks places with fewer clients than its last one.
        let unlisted =
            before.flatMap {
                $0.places.count < Self.mostPlaces ? nil : $0.places.last?.clients
            } ?? 0
        var most = (0.0, String?.none)
        for place in places {
            let then = before?.places.first { $0.isSamePlace(as: place) }?.clients ?? unlisted
            let new = excess(place.clients, over: then, of: before)
            if new > most.0 { most = (new, place.name) }
        }
        return most
    }

    /// Standard deviations that count as chance, since there are many looks.
    private static let chance = 3.0

    /// Number of clients above what the reports before the start and chance explain; all of them where
    /// there was no problem before.
    private func excess(_ now: Int, over then: Int, of before: Self?) -> Double {
        guard let before, before.clients > 0, then > 0 else { return Double(now) }
        let scale = Double(clients) / Double(before.clients)
        // Few reports say little about many clients.
        let then = scale > 4 ? max(0, Double(then) - 2 * Double(then).squareRoot()) : Double(then)
        // Both counts are samples.
        let deviation = (scale * then * (1 + scale)).squareRoot()
        return max(0, Double(now) - scale * then - Self.chance * deviation)
    }
}

extension Rollout.Reports.Place {
    /// `Section.setting`, the section, or the whole configuration.
    fileprivate var name: String {
        if let key { return "\(section).\(key)".shortened }
        return section.isEmpty ? "the whole configuration" : section.shortened
    }

    fileprivate func isSamePlace(as other: Self) -> Bool {
        section.utf8.elementsEqual(other.section.utf8)
            && key.map { Array($0.utf8) } == other.key.map { Array($0.utf8) }
    }
}
