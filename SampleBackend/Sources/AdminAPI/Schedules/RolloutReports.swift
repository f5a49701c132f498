import ClientAPI
import Foundation
import JSONTree
import TemplateStore

/// What apps report on the percentage of a rollout that is published, and what follows for the next
/// step.
///
/// Apps report problems that were there before, too, also those that the rollout does not reach. So
/// each setting with problems is compared with itself before the start: new problems are those above
/// the former share of clients, and above what chance makes of it. They are compared with the number of
/// clients that the percentage reaches.
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

    let result: Result

    /// The result as a sentence.
    let text: String

    /// Compares reports with the plan.
    ///
    /// - Parameters:
    ///   - rollout: The rollout, which has started.
    ///   - counts: The acknowledgements of all replicas.
    ///   - connections: The open streams of all replicas.
    init(
        of rollout: Rollout, _ counts: AcknowledgementCounts, _ connections: ConnectionCounts
    ) {
        let step = rollout.steps.last
        let now = counts.rolloutReports(from: step?.version ?? 0)
        (clients, withProblems) = (now.clients, now.withProblems)
        let plan = rollout.plan
        let publish = connections.lastPublish.flatMap { $0.version == step?.version ? $0 : nil }
        // Streams whose document does not change report nothing.
        reached = max(
            Double(clients) * Double((rollout.bound ?? 0) - plan.lowerBound) / 100_000_000,
            Double(min(clients, publish?.changed ?? 0)))
        let new = now.newProblems(since: rollout.reportsBefore)
        problemPercent = reached > 0 ? min(100, new.clients / reached * 100) : nil
        lostStreamPercent = publish.flatMap { publish in
            publish.users == 0
                ? nil
                : max(0, Double(publish.users - connections.count) / Double(publish.users) * 100)
        }
        let subject =
            "\(clients) clients report on version \(step?.version ?? 0) or later, \(withProblems) of "
            + "them problems"
        let place = new.place.map { " at \($0)" } ?? ""
        let problems =
            "\(new.clients.oneDecimal) new ones\(place), and the rollout reaches about "
            + reached.oneDecimal
        if let most = plan.maximumProblemPercent, let problemPercent, problemPercent > most {
            result = .worse
            text =
                "\(subject): \(problems): \(problemPercent.oneDecimal) %, and the bound is "
                + "\(most.oneDecimal) %."
        } else if let most = plan.maximumLostStreamPercent, let lostStreamPercent,
            lostStreamPercent > most
        {
            result = .worse
            text =
                "\(lostStreamPercent.oneDecimal) % of the streams that were open at the step are "
                + "gone, and the bound is \(most.oneDecimal) %."
        } else if clients < plan.minimumClients {
            result = .waiting
            text = "\(subject), of \(plan.minimumClients) clients that are needed."
        } else {
            result = .good
            text = "\(subject): \(problems)."
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

extension Administration {
    /// What apps report on a rollout that has started.
    func reports(of rollout: Rollout, inProject project: String) async -> RolloutReports {
        let others = await replicas?.others()
        return RolloutReports(
            of: rollout,
            acknowledgements(inProject: project, others: others) ?? AcknowledgementCounts(),
            await connections(inProject: project, others: others))
    }

    /// What apps report now, before a rollout.
    func reportsNow(inProject project: String) async -> Rollout.Reports {
        let counts = acknowledgements(inProject: project, others: await replicas?.others())
        return counts?.rolloutReports(from: 0) ?? Rollout.Reports(clients: 0, withProblems: 0)
    }
}

extension AcknowledgementCounts {
    /// The reports on a version and later ones.
    fileprivate func rolloutReports(from version: Int) -> Rollout.Reports {
        let versions = versions.filter { $0.number >= version }
        var places: [ProblemPlace: Int] = [:]
        for problem in versions.flatMap(\.problems) {
            places[problem.place, default: 0] += problem.clients
        }
        return Rollout.Reports(
            clients: versions.reduce(0) { $0 + max($1.inForce, $1.withProblems) },
            withProblems: versions.reduce(0) { $0 + $1.withProblems },
            places: places.map { place, clients in
                .init(section: place.section, key: place.key, clients: clients)
            })
    }
}

extension Rollout.Reports {
    /// The most clients with new problems at one place, or at any when problems name none.
    fileprivate func newProblems(since before: Self?) -> (clients: Double, place: String?) {
        var most = (excess(withProblems, over: before?.withProblems ?? 0, of: before), String?.none)
        for place in places {
            let new = excess(place.clients, over: before?.clients(at: place) ?? 0, of: before)
            if new > most.0 || new == most.0 && new > 0 && most.1 == nil {
                most = (new, place.name)
            }
        }
        return most
    }

    /// Standard deviations that count as chance: there are many places, and many looks.
    private static let chance = 4.0

    /// Number of clients above what the reports before the start and chance explain.
    private func excess(_ now: Int, over then: Int, of before: Self?) -> Double {
        guard let before, before.clients > 0 else { return Double(now) }
        let scale = Double(clients) / Double(before.clients)
        // Few reports say little about many clients.
        let then = scale > 4 ? max(0, Double(then) - 2 * Double(then).squareRoot()) : Double(then)
        // Both counts are samples, and none before may have been one by chance.
        let deviation = (scale * max(then, 1) * (1 + scale)).squareRoot()
        return max(0, Double(now) - scale * then - Self.chance * deviation)
    }

    /// The clients with a problem at a place; as many as at the last listed one when others are not
    /// listed.
    private func clients(at place: Place) -> Int {
        places.first { $0.isSamePlace(as: place) }?.clients
            ?? (places.count >= Self.listedPlaces ? places.last?.clients ?? 0 : 0)
    }

    /// Number of places that acknowledgements list for a version.
    private static let listedPlaces = 10
}

extension Rollout.Reports.Place {
    fileprivate var name: String { (key.map { "\(section).\($0)" } ?? section).shortened }

    fileprivate func isSamePlace(as other: Self) -> Bool {
        section.utf8.elementsEqual(other.section.utf8)
            && key.map { Array($0.utf8) } == other.key.map { Array($0.utf8) }
    }
}
