public import JSONTree

extension TemplateDiff {
    /// The differences as the answer of the route `remoteConfig:diff` (API 3).
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
            "conditions": .array(conditions.map(\.json)),
            "groups": .array(groups.map(\.json)),
            "parameters": .array(parameters.map(\.json)),
        ]
    }

    /// The differences as ``json``, of which those are left out that do not fit; `"omitted": 3` says
    /// how many, and is missing when all are listed.
    ///
    /// - Parameters:
    ///   - maximumBytes: The most bytes of the text.
    ///   - unreadCount: The number of things of the new template that were not compared. With any,
    ///     what seems to be removed may be one of them, and is left out.
    /// - Returns: The differences.
    public func json(maximumBytes: Int, unreadCount: Int = 0) -> JSONNode {
        var list = DifferenceList(remainingBytes: maximumBytes, isComplete: unreadCount == 0)
        var node: JSONNode = [
            "conditions": list.json(of: conditions), "groups": list.json(of: groups),
            "parameters": list.json(of: parameters),
        ]
        let omitted = list.omittedCount + unreadCount
        if omitted > 0 { node.setMember("omitted", .number("\(omitted)")) }
        return node
    }
}

/// A difference in answers.
private protocol ListedDifference {
    var change: TemplateDiff.Change { get }

    /// The bytes of its names, which are less than those of its text.
    var nameBytes: Int { get }

    var json: JSONNode { get }
}

/// Lists differences as long as they fit.
private struct DifferenceList {
    var remainingBytes: Int

    /// False when what seems to be removed may be there.
    let isComplete: Bool

    private(set) var omittedCount = 0

    init(remainingBytes: Int, isComplete: Bool) {
        self.remainingBytes = remainingBytes
        self.isComplete = isComplete
    }

    mutating func json(of differences: [some ListedDifference]) -> JSONNode {
        var listed: [JSONNode] = []
        for difference in differences where isComplete || difference.change != .removed {
            // The name of a section is repeated for each of its parameters, and may have any length.
            if difference.nameBytes < remainingBytes {
                let node = difference.json
                let bytes = node.jsonData().count + 1
                if bytes <= remainingBytes {
                    remainingBytes -= bytes
                    listed.append(node)
                    continue
                }
            }
            omittedCount += 1
        }
        return .array(listed)
    }
}

extension TemplateDiff.ConditionDifference: ListedDifference {
    fileprivate var nameBytes: Int { name.utf8.count }

    fileprivate var json: JSONNode {
        [
            "name": .string(name), "change": .string(change.rawValue),
            "parts": .array(parts.map(\.json)),
        ]
    }
}

extension TemplateDiff.GroupDifference: ListedDifference {
    fileprivate var nameBytes: Int { name.utf8.count }

    fileprivate var json: JSONNode {
        [
            "name": .string(name), "change": .string(change.rawValue),
            "parts": .array(parts.map(\.json)),
        ]
    }
}

extension TemplateDiff.ParameterDifference: ListedDifference {
    fileprivate var nameBytes: Int { section.utf8.count + key.utf8.count }

    fileprivate var json: JSONNode {
        [
            "section": .string(section), "key": .string(key), "change": .string(change.rawValue),
            "parts": .array(parts.map(\.json)),
        ]
    }
}

extension TemplateDiff.Part {
    /// The part as an element of `parts`.
    fileprivate var json: JSONNode {
        var node: JSONNode = ["name": .string(name)]
        node.setMember("old", old)
        node.setMember("new", new)
        return node
    }
}
