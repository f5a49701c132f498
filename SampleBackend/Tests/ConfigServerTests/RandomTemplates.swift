import JSONTree
import SeededRandomness

/// Random templates as JSON, in an order of members that the server does not write itself.
struct RandomTemplates {
    private var generator: SeededGenerator

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    private static let expressions = [
        "device.os == 'ios'", "percent <= 50", "percent('s') <= 30", "percent <= 70",
        "app.customSignal['plan'].exactlyMatches(['gold'])", "user.id in ['1', '2']",
    ]

    /// Signals that fulfil some of the expressions.
    static let signals = [
        "", "device.os=ios", "signal.plan=gold", "device.os=ios&signal.plan=gold",
    ]

    private mutating func one(of count: Int) -> Bool {
        Int.random(in: 0..<count, using: &generator) == 0
    }

    private mutating func condition(_ index: Int) -> JSONNode {
        [
            "tagColor": "CYAN", "name": .string("c\(index)"),
            "expression": .string(Self.expressions.randomElement(using: &generator) ?? "true"),
        ]
    }

    private mutating func value() -> JSONNode {
        ["value": .string("v\(Int.random(in: 0..<9, using: &generator))")]
    }

    private mutating func parameter(_ conditions: [JSONNode]) -> JSONNode {
        var values = JSONNode.emptyObject
        for condition in conditions where one(of: 2) {
            values.setMember(condition["name"]?.stringValue ?? "", value())
        }
        var parameter: JSONNode = [
            "valueType": "STRING", "conditionalValues": values, "defaultValue": value(),
        ]
        if one(of: 8) { parameter.setMember("archived", true) }
        return parameter
    }

    private mutating func parameters(_ conditions: [JSONNode]) -> JSONNode {
        var parameters = JSONNode.emptyObject
        for index in (0..<4).shuffled(using: &generator) where !one(of: 4) {
            parameters.setMember("k\(index)", parameter(conditions))
        }
        return parameters
    }

    /// A valid template with settings in the sections `Default`, `A` and `B`.
    mutating func template() -> JSONNode {
        var conditions: [JSONNode] = []
        for index in (0..<4).shuffled(using: &generator) where !one(of: 4) {
            conditions.append(condition(index))
        }
        return [
            "unknown": .number("1.50"), "parameters": parameters(conditions),
            "parameterGroups": [
                "B": ["parameters": parameters(conditions), "description": "b"],
                "A": ["more": [1], "parameters": parameters(conditions)],
            ],
            "conditions": .array(conditions),
        ]
    }

    /// A template in which one section is new.
    mutating func variant(of template: JSONNode) -> JSONNode {
        let conditions = template["conditions"]?.arrayValue ?? []
        var variant = template
        if one(of: 3) {
            variant.setMember("parameters", parameters(conditions))
        } else {
            var groups = template["parameterGroups"] ?? .emptyObject
            groups.setMember(one(of: 2) ? "A" : "B", ["parameters": parameters(conditions)])
            variant.setMember("parameterGroups", groups)
        }
        return variant
    }
}
