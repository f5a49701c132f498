import Foundation
import JSONTree
import Targeting
import Testing

/// The reference vectors of Firebase's evaluator.
enum Vectors {
    /// The whole file.
    ///
    /// - Throws: What reading it throws.
    static func load() throws -> JSONNode {
        let url = try #require(
            Bundle.module.url(
                forResource: "conditions", withExtension: "json", subdirectory: "Fixtures"))
        return try JSONNode(jsonData: try Data(contentsOf: url))
    }

    /// The elements of a list.
    ///
    /// - Parameter path: The names that lead to it.
    /// - Returns: At least one element.
    /// - Throws: When there is none.
    static func list(_ path: String...) throws -> [JSONNode] {
        var node = try load()
        for name in path { node = try #require(node[name]) }
        let list = try #require(node.arrayValue)
        try #require(!list.isEmpty)
        return list
    }

    /// Wraps a condition as a vector says.
    ///
    /// - Parameters:
    ///   - condition: The condition.
    ///   - wrap: "or_and", or nothing.
    /// - Returns: The condition to evaluate.
    static func wrapped(_ condition: JSONNode, _ wrap: String?) -> JSONNode {
        guard wrap == "or_and" else { return condition }
        return ["orCondition": ["conditions": [["andCondition": ["conditions": [condition]]]]]]
    }

    /// The user's ID in a vector.
    ///
    /// - Parameter node: A text, or a character and how often it stands.
    /// - Returns: nil for nobody.
    static func id(_ node: JSONNode?) -> String? {
        if let character = node?["char"]?.stringValue, let count = node?["count"]?.integerValue {
            return String(repeating: character, count: count)
        }
        return node?.stringValue
    }

    /// A custom signal as JavaScript's `String()` prints it.
    ///
    /// - Parameter node: A text, a number or null.
    /// - Returns: nil for null.
    static func signal(_ node: JSONNode?) -> String? {
        switch node {
        case .string(let text), .number(let text): text
        default: nil
        }
    }
}
