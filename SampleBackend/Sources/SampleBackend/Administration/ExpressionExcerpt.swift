import JSONTree
import Templates

/// The faulty expression of a condition, with a caret below the position of the problem.
struct ExpressionExcerpt: CustomStringConvertible {
    /// Maximum number of characters of the expression that are shown.
    private static let width = 76

    /// Two lines: the expression and the caret.
    let description: String

    /// nil when the problem has no column in an expression.
    init?(_ problem: TemplateProblem, in template: JSONNode) {
        let parts = problem.path.split(whereSeparator: { "[]".contains($0) })
        guard let column = problem.column, parts.count == 3, parts[0] == "conditions",
            parts[2] == ".expression", let index = Int(parts[1]),
            let conditions = template["conditions"]?.arrayValue, conditions.indices.contains(index),
            let expression = conditions[index]["expression"]?.stringValue
        else { return nil }
        // A line feed or a tab would shift the caret.
        let characters = expression.map { $0.isWhitespace ? " " : $0 }
        let place = min(max(column - 1, 0), characters.count)
        let start = max(0, min(place - Self.width / 2, characters.count - Self.width))
        let shown = String(characters[start..<min(start + Self.width, characters.count)])
        description = shown + "\n" + String(repeating: " ", count: place - start) + "^"
    }
}
