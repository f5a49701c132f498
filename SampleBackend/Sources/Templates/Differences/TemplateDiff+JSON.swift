public import JSONTree

extension TemplateDiff {
    /// The differences as the route `remoteConfig:diff` answers (HTTP 3).
    ///
    /// ```json
    /// {"conditions": [{"name": "beta", "change": "ADDED", "parts": […]}],
    ///  "groups": [{"name": "Home", "change": "CHANGED", "parts": […]}],
    ///  "parameters": [{"section": "Home", "key": "title", "change": "CHANGED",
    ///    "parts": [{"name": "defaultValue", "old": {"value": "a"}, "new": {"value": "b"}}]}]}
    /// ```
    ///
    /// `change` is `ADDED`, `REMOVED` or `CHANGED`; a part without `old` was added, one without
    /// `new` removed.
    public var json: JSONNode {
        [
            "conditions": .array(
                conditions.map { condition in
                    [
                        "name": .string(condition.name),
                        "change": .string(condition.change.rawValue),
                        "parts": .array(condition.parts.map(\.json)),
                    ]
                }),
            "groups": .array(
                groups.map { group in
                    [
                        "name": .string(group.name), "change": .string(group.change.rawValue),
                        "parts": .array(group.parts.map(\.json)),
                    ]
                }),
            "parameters": .array(
                parameters.map { parameter in
                    [
                        "section": .string(parameter.section), "key": .string(parameter.key),
                        "change": .string(parameter.change.rawValue),
                        "parts": .array(parameter.parts.map(\.json)),
                    ]
                }),
        ]
    }
}

extension TemplateDiff.Part {
    /// The part as it stands in `parts`.
    fileprivate var json: JSONNode {
        var node: JSONNode = ["name": .string(name)]
        node.setMember("old", old)
        node.setMember("new", new)
        return node
    }
}
