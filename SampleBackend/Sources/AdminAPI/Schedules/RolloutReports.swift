import ClientAPI
import Foundation
import JSONTree
import TemplateStore

/// What apps report on the percentage of a rollout that is published, and what follows for the next
/// step.
///
/// Those whom the rollout does not reach report, too, and some report problems that were there before
/// it. So the new problems are what exceeds the former share of clients with problems, and are
/// compared with the number of clients that the percentage reaches.
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
        let versions = counts.versions.filter { $0.number >= step?.version ?? 0 }
        clients = versions.reduce(0) { $0 + max($1.inForce, $1.withProblems) }
        withProblems = versions.reduce(0) { $0 + $1.withProblems }
        let plan = rollout.plan
        reached = Double(clients) * Double((rollout.bound ?? 0) - plan.lowerBound) / 100_000_000
        let before = rollout.reportsBefore.map { before in
            before.clients == 0 ? 0 : Double(before.withProblems) / Double(before.clients)
        }
        let new = max(0, Double(withProblems) - Double(clients) * (before ?? 0))
        problemPercent = reached > 0 ? min(100, new / reached * 100) : nil
        lostStreamPercent = connections.lastPublish.flatMap { publish in
            guard publish.version == step?.version, publish.users > 0 else { return nil }
            return max(0, Double(publish.users - connections.count) / Double(publish.users) * 100)
        }
        let subject = "\(clients) clients report on version \(step?.version ?? 0) or later"
        let problems =
            "\(withProblems) of them problems, \(new.oneDecimal) more than before the rollout, which "
            + "reaches about \(reached.oneDecimal)"
        if clients < plan.minimumClients {
            result = .waiting
            text = "\(subject), of \(plan.minimumClients) that are needed; \(problems)."
        } else if let most = plan.maximumProblemPercent, let problemPercent,
            problemPercent > most
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
                "\(lostStreamPercent.oneDecimal) % of the streams that were open at the step are "
                + "gone, and the bound is \(most.oneDecimal) %."
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
        let counts =
            acknowledgements(inProject: project, others: await replicas?.others())
            ?? AcknowledgementCounts()
        return Rollout.Reports(
            clients: counts.clients,
            withProblems: counts.versions.reduce(0) { $0 + $1.withProblems })
    }
}
