import Foundation
import Targeting

/// Measures the time that a template's conditions take for one user.
///
/// Also measures the heaviest conditions that a template may have, with signals of maximum length.
/// `--json` prints JSON. `--check` exits with 1 if a set of 100 conditions takes over 4 µs, or a
/// set of the heaviest ones over 50 ms.
@main
struct TargetingBenchmark {
    /// Maximum time for 100 conditions, in nanoseconds.
    static let limit = 4000.0

    /// Maximum time for the heaviest conditions, in nanoseconds.
    static let heaviestLimit = 50_000_000.0

    /// Number of rounds, whose median is reported.
    static let rounds = 9

    static func main() throws {
        let contexts = Mix.contexts(count: 10_000)
        var figures: [(name: String, nanoseconds: Double)] = []
        for (name, expressions) in Mix.all() {
            let set = ConditionSet(try expressions.map { try TargetingCondition(expression: $0) })
            figures.append((name, median(of: set, contexts)))
        }
        var heaviest = 0.0
        for (name, conditions, contexts) in HeaviestConditions.all() {
            let nanoseconds = median(of: ConditionSet(conditions), contexts)
            heaviest = max(heaviest, nanoseconds)
            figures.append(("heaviest \(name), \(conditions.count) conditions", nanoseconds))
        }
        if CommandLine.arguments.contains("--json") {
            let members = figures.map { "\"\($0.name)\": \(Int($0.nanoseconds.rounded()))" }
            print("{\(members.joined(separator: ", "))}")
        } else {
            for (name, nanoseconds) in figures {
                print("\(name): \(Int(nanoseconds.rounded())) ns per user")
            }
        }
        guard CommandLine.arguments.contains("--check") else { return }
        if heaviest > heaviestLimit {
            print("the heaviest conditions are over the limit of \(Int(heaviestLimit)) ns")
            exit(1)
        }
        if let mixed = figures.first(where: { $0.name == "mixed" }), mixed.nanoseconds > limit {
            print("over the limit of \(Int(limit)) ns")
            exit(1)
        }
    }

    /// Median over the rounds of the mean time per user, in nanoseconds.
    static func median(of set: ConditionSet, _ contexts: [TargetingContext]) -> Double {
        let clock = ContinuousClock()
        var sum = 0
        var times: [Double] = []
        for _ in 0..<rounds {
            let time = clock.measure {
                for context in contexts {
                    let results = set.evaluate(context)
                    sum &+= results[0] ? 1 : 0
                    sum &+= results[results.count - 1] ? 1 : 0
                }
            }
            times.append(time / .nanoseconds(1) / Double(contexts.count))
        }
        // Uses the results, so that the compiler cannot remove the work.
        precondition(sum >= 0)
        return times.sorted()[rounds / 2]
    }
}
