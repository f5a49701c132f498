import JSONTree

extension JSONNode {
    /// Template with a section of its own and three conditions, one of them on a percentage.
    static let sample: JSONNode = [
        "conditions": [
            ["name": "third", "expression": "user.id == '3'", "tagColor": "CYAN"],
            ["name": "tokyo", "expression": "app.customSignal['city'].contains(['Tokyo'])"],
            ["name": "half", "expression": "percent <= 50"],
        ],
        "parameters": [
            "isNew": [
                "defaultValue": ["value": "false"],
                "conditionalValues": ["third": ["value": "true"]], "valueType": "BOOLEAN",
            ]
        ],
        "parameterGroups": [
            "Home": [
                "description": "The first page",
                "parameters": [
                    "title": [
                        "defaultValue": ["value": "Hello ${user.id}"],
                        "conditionalValues": [
                            "third": ["value": "You are ${user.id}"],
                            "tokyo": ["value": "Konnichiwa"],
                        ],
                        "valueType": "STRING",
                    ],
                    "size": ["defaultValue": ["value": "1.0"], "valueType": "NUMBER"],
                ],
            ]
        ],
        "unknown": ["kept": [1, true]],
    ]

    /// Value of a setting in a document.
    func setting(_ key: String, in section: String) -> JSONNode? {
        self["config_sections"]?[section]?["settings"]?[key]?["value"]
    }
}
