import HTTPServing
import JSONTree
import Targeting
import TemplateStore

extension Rollout.Plan {
    /// The members of a body that make a plan.
    static let memberNames = [
        "condition", "percents", "intervalMinutes", "maximumProblemPercent",
        "maximumLostStreamPercent", "minimumClients", "onProblems",
    ]

    /// Number of steps of a rollout.
    private static let stepCounts = 2...20

    /// Time between two steps, in minutes: up to 30 days.
    private static let intervals = 1...30 * 24 * 60

    /// Reads a plan.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - lowerBound: The lower bound of the condition's `percent` rule.
    /// - Throws: A ``RequestError`` with status 400 that names the member.
    init(in body: JSONNode, above lowerBound: Int) throws(RequestError) {
        guard let minutes = body["intervalMinutes"]?.integerValue,
            Self.intervals.contains(minutes)
        else {
            throw .invalidArgument(
                "intervalMinutes is missing or invalid: send a whole number of minutes from "
                    + "\(Self.intervals.lowerBound) to \(Self.intervals.upperBound), such as 1440 "
                    + "for a day.")
        }
        let bounds = try Self.bounds(in: body)
        guard let first = bounds.first, first > lowerBound else {
            throw .invalidArgument(
                "percents begins below the lower bound of the condition: send percentages above "
                    + "\(Percentile.percentText(lowerBound)).")
        }
        let interval = Double(minutes) * 60
        guard interval * Double(bounds.count) <= TemplateStoreLimits.schedulingGap else {
            throw .invalidArgument(
                "The steps take more than 60 days: send fewer percents or a shorter interval.")
        }
        self.init(
            condition: try Self.condition(in: body), bounds: bounds, lowerBound: lowerBound,
            interval: interval,
            maximumProblemPercent: try Self.percent("maximumProblemPercent", in: body),
            maximumLostStreamPercent: try Self.percent("maximumLostStreamPercent", in: body),
            minimumClients: try Self.minimumClients(in: body),
            response: try Self.response(in: body))
    }

    /// The name of the condition.
    static func condition(in body: JSONNode) throws(RequestError) -> String {
        guard let name = body["condition"]?.stringValue, !name.isEmpty else {
            throw .invalidArgument("condition is missing: name the condition to roll out.")
        }
        return name
    }

    private static func bounds(in body: JSONNode) throws(RequestError) -> [Int] {
        var bounds: [Int] = []
        for node in body["percents"]?.arrayValue ?? [] {
            guard case .number(let number) = node, let bound = Percentile.micro(percent: number),
                bound > bounds.last ?? 0
            else {
                throw .invalidArgument(
                    "percents has to rise from above 0 to at most 100, with at most 6 decimals: send "
                        + "numbers such as [1, 5, 25, 50, 100].")
            }
            bounds.append(bound)
        }
        guard stepCounts.contains(bounds.count) else {
            throw .invalidArgument(
                "percents has \(bounds.count) numbers: send \(stepCounts.lowerBound) to "
                    + "\(stepCounts.upperBound).")
        }
        return bounds
    }

    private static func percent(
        _ name: String, in body: JSONNode
    ) throws(RequestError) -> Double? {
        guard let node = body[name], node != .null else { return nil }
        guard let number = node.doubleValue, (0...100).contains(number) else {
            throw .invalidArgument("\(name) is not a percentage: send a number from 0 to 100.")
        }
        return number
    }

    private static func minimumClients(in body: JSONNode) throws(RequestError) -> Int {
        guard let node = body["minimumClients"], node != .null else { return 0 }
        guard let number = node.integerValue, (0...1_000_000).contains(number) else {
            throw .invalidArgument(
                "minimumClients is not a number of clients: send a whole number up to 1000000.")
        }
        return number
    }

    private static func response(in body: JSONNode) throws(RequestError) -> Response {
        guard let node = body["onProblems"], node != .null else { return .hold }
        guard let response = node.stringValue.flatMap({ Response(rawValue: $0) }) else {
            throw .invalidArgument("onProblems is unknown: send \"hold\" or \"takeBack\".")
        }
        return response
    }
}
