import JSONTree

extension JSONNode {
    /// Template with a flag of each kind, for tests of OpenFeature's protocol.
    static let flags: JSONNode = [
        "conditions": [
            ["name": "beta", "expression": "app.version.>=(['2.0'])"],
            ["name": "gold", "expression": "app.customSignal['plan'].exactlyMatches(['gold'])"],
            ["name": "everyone", "expression": "percent <= 100"],
        ],
        "parameters": ["plain": ["defaultValue": ["value": "text"]]],
        "parameterGroups": [
            "Home": [
                "parameters": [
                    "title": parameter("STRING", "Hello ${user.id}", ["beta": "Beta ${user.id}"]),
                    "on": parameter("BOOLEAN", "false", ["gold": "true"]),
                    "split": parameter("BOOLEAN", "false", ["everyone": "true"]),
                    "whole": parameter("NUMBER", "1"),
                    "float": parameter("NUMBER", "1.0"),
                    "object": parameter("JSON", #"{"b": [1, 2.0], "a": null}"#),
                    "code": [
                        "valueType": "STRING", "defaultValue": ["useInAppDefault": true],
                        "conditionalValues": ["beta": ["value": "from the server"]],
                    ],
                ]
            ],
            "Odd": [
                "parameters": [
                    "list": parameter("JSON", "[1]"), "nothing": parameter("JSON", "null"),
                ]
            ],
            "A": ["parameters": ["b": parameter("STRING", "A, b")]],
            "A.b": ["parameters": ["c": parameter("STRING", "A.b, c")]],
            "S/t": ["parameters": ["u": parameter("STRING", "S/t, u")]],
        ],
    ]

    /// Parameter of a template.
    private static func parameter(
        _ type: String, _ value: String, _ conditionalValues: [String: String] = [:]
    ) -> JSONNode {
        var node: JSONNode = [
            "valueType": .string(type), "defaultValue": ["value": .string(value)],
        ]
        var values = JSONNode.emptyObject
        for (condition, value) in conditionalValues {
            values.setMember(condition, ["value": .string(value)])
        }
        node.setMember("conditionalValues", values)
        return node
    }
}
