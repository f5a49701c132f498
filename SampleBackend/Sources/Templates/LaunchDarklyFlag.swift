import JSONTree

/// A feature flag of LaunchDarkly in one environment.
struct LaunchDarklyFlag {
    let key: String

    let path: TemplatePath

    let members: NamedValues<JSONNode>

    /// The members that the environment decides, such as `rules`; in data of SDKs the flag itself.
    let targeting: NamedValues<JSONNode>

    let targetingPath: TemplatePath

    /// True in an answer of the REST API.
    let isAnswered: Bool

    /// The name of a condition of the flag, or the start of one.
    var conditionName: String { key.nearestConditionName }
}

/// A segment of LaunchDarkly.
struct LaunchDarklySegment {
    let key: String

    let path: TemplatePath

    let members: NamedValues<JSONNode>

    var conditionName: String { "segment \(key.nearestConditionName)" }
}

extension String {
    /// The text as a part of a condition's name, which has room for more.
    fileprivate var nearestConditionName: String {
        let maximumLength = 200
        let isPlain = utf8.allSatisfy { (0x20...0x7E).contains($0) } && utf8.count <= maximumLength
        return isPlain ? self : ParameterKey(nearest: self, maximumLength: maximumLength).text
    }
}

/// The variations of a flag, as texts of one type.
struct LaunchDarklyVariations {
    let nodes: [JSONNode]

    let type: ParameterValueType

    /// The value of each variation, whose text all conditions share.
    private let values: [ParameterValue]

    init(_ nodes: [JSONNode]) {
        self.nodes = nodes
        let type: ParameterValueType =
            if nodes.allSatisfy({ $0.boolValue != nil }) {
                .boolean
            } else if nodes.allSatisfy({ $0.doubleValue != nil }) {
                .number
            } else if nodes.allSatisfy({ $0.stringValue != nil }) {
                .string
            } else {
                .json
            }
        self.type = type
        values = nodes.map { node in
            if type == .string, let text = node.stringValue { return .value(text) }
            return .value(node.description)
        }
    }

    /// The value of a variation; nil, as where LaunchDarkly serves none, is the app's own default.
    func value(_ index: Int?) -> ParameterValue {
        index.map { values[$0] } ?? ParameterValue(.useInAppDefault)
    }

    /// The value of a variation for a remark.
    func description(_ index: Int?) -> String {
        index.map { nodes[$0].description.shortened } ?? "the app's own default"
    }
}

/// What a rule or the default rule of a flag serves.
enum LaunchDarklyServing {
    /// One variation; nil is the app's own default.
    case variation(Int?)

    /// Shares of the users, in thousandths of a percent.
    case shares([LaunchDarklyShare], seed: String)
}

/// The users between two percentiles, who get a variation.
struct LaunchDarklyShare {
    static let count = 100_000

    let variation: Int

    let lower: Int

    let upper: Int

    /// The rule of the share, with a seed.
    func expression(seed: String) -> TargetingExpression {
        let percent = "percent('\(seed)')"
        let rule =
            if lower == 0 {
                "\(percent) <= \(Self.text(upper))"
            } else if upper == Self.count {
                "\(percent) > \(Self.text(lower))"
            } else {
                "\(percent) between \(Self.text(lower)) and \(Self.text(upper))"
            }
        return TargetingExpression(rule, isAlwaysKnown: true)
    }

    /// Thousandths of a percent as a percentage.
    private static func text(_ share: Int) -> String {
        let fraction = share % 1_000
        guard fraction != 0 else { return "\(share / 1_000)" }
        var decimals = "\(1_000 + fraction)".dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        return "\(share / 1_000).\(decimals)"
    }
}
