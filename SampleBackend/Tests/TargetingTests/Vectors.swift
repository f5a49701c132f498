import Foundation
import JSONTree
import Targeting
import Testing

/// Reference vectors of Firebase's evaluator.
enum Vectors {
    /// Content of the file.
    static func load() throws -> JSONNode {
        let url = try #require(
            Bundle.module.url(
                forResource: "conditions", withExtension: "json", subdirectory: "Fixtures"))
        return try JSONNode(jsonData: try Data(contentsOf: url))
    }

    /// Elements of the list at a path of names; fails if there are none.
    static func list(_ path: String...) throws -> [JSONNode] {
        var node = try load()
        for name in path { node = try #require(node[name]) }
        let list = try #require(node.arrayValue)
        try #require(!list.isEmpty)
        return list
    }

    /// Wraps a condition as the vector's member "wrap" demands: "or_and", or not at all.
    static func wrapped(_ condition: JSONNode, _ wrap: String?) -> JSONNode {
        guard wrap == "or_and" else { return condition }
        return ["orCondition": ["conditions": [["andCondition": ["conditions": [condition]]]]]]
    }

    /// User ID of a vector: a text, or a character with its number of repetitions; nil for no user.
    static func id(_ node: JSONNode?) -> String? {
        if let character = node?["char"]?.stringValue, let count = node?["count"]?.integerValue {
            return String(repeating: character, count: count)
        }
        return node?.stringValue
    }

    /// Custom signal as JavaScript's `String()` prints a text or a number; nil for null.
    static func signal(_ node: JSONNode?) -> String? {
        switch node {
        case .string(let text), .number(let text): text
        default: nil
        }
    }
}
