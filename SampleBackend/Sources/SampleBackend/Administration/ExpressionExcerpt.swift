import JSONTree
import Templates

/// A type that shows the place of a problem: the condition's expression, and a caret below it.
struct ExpressionExcerpt: CustomStringConvertible {
    /// The most characters of an expression that are shown.
    private static let width = 76

    /// Two lines.
    let description: String

    /// Shows the place of a problem; nil when it has no column in an expression.
    ///
    /// - Parameters:
    ///   - problem: The problem.
    ///   - template: The template that has it.
    init?(_ problem: TemplateProblem, in template: JSONNode) {
        let parts = problem.path.split(whereSeparator: { "[]".contains($0) })
        guard let column = problem.column, parts.count == 3, parts[0] == "conditions",
            parts[2] == ".expression", let index = Int(parts[1]),
            let conditions = template["conditions"]?.arrayValue, conditions.indices.contains(index),
            let expression = conditions[index]["expression"]?.stringValue
        else { return nil }
        // A line feed or a tab in it would move the caret.
        let characters = expression.map { $0.isWhitespace ? " " : $0 }
        let place = min(max(column - 1, 0), characters.count)
        let start = max(0, min(place - Self.width / 2, characters.count - Self.width))
        let shown = String(characters[start..<min(start + Self.width, characters.count)])
        description = shown + "\n" + String(repeating: " ", count: place - start) + "^"
    }
}
