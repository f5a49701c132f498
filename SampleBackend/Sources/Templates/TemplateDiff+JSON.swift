public import JSONTree

extension TemplateDiff {
    /// The differences as the response of the route `remoteConfig:diff` (API 3).
    ///
    /// ```json
    /// {"conditions": [{"name": "beta", "change": "ADDED", "parts": […]}],
    ///  "groups": [{"name": "Home", "change": "CHANGED", "parts": […]}],
    ///  "parameters": [{"section": "Home", "key": "title", "change": "CHANGED",
    ///    "parts": [{"name": "defaultValue", "old": {"value": "a"}, "new": {"value": "b"}}]}]}
    /// ```
    ///
    /// `change` is `ADDED`, `REMOVED` or `CHANGED`. A part without `old` was added, a part without
    /// `new` removed.
    public var json: JSONNode {
        [
            "conditions": .array(conditions.map(\.json)),
            "groups": .array(groups.map(\.json)),
            "parameters": .array(parameters.map(\.json)),
        ]
    }

    /// Returns the differences as ``json``, limited in size.
    ///
    /// `"omitted": 3` is the number of omitted differences; it is missing when all are listed.
    ///
    /// - Parameters:
    ///   - maximumBytes: Maximum size of the text, in bytes.
    ///   - unreadCount: Number of items in the new template that were not compared. If there are
    ///     any,
    ///     apparent removals are omitted, since the items can be among these.
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

/// A difference in a response.
private protocol ListedDifference {
    var change: TemplateDiff.Change { get }

    /// The bytes of its names, a lower bound of the size of its text.
    var nameBytes: Int { get }

    var json: JSONNode { get }
}

/// Lists differences while they fit.
private struct DifferenceList {
    var remainingBytes: Int

    /// False when apparently removed items can still exist.
    let isComplete: Bool

    private(set) var omittedCount = 0

    init(remainingBytes: Int, isComplete: Bool) {
        self.remainingBytes = remainingBytes
        self.isComplete = isComplete
    }

    mutating func json(of differences: [some ListedDifference]) -> JSONNode {
        var listed: [JSONNode] = []
        for difference in differences where isComplete || difference.change != .removed {
            // Each parameter repeats the name of its section, which can have any length.
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

    /// The difference as an element of `parameters`.
    package var json: JSONNode {
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
