/// One thing that is wrong with a template, or worth knowing, and where.
public struct TemplateProblem: Sendable, Hashable, CustomStringConvertible {
    /// The place, such as `parameterGroups.Home.parameters.title.conditionalValues.beta` or
    /// `conditions[3].expression`; "" at the template itself.
    public let path: String

    /// What is wrong and what to do, without the place and without a full stop.
    public let message: String

    /// The column in the text at the path, from 1, of an expression that cannot be parsed.
    public let column: Int?

    /// Makes a problem.
    public init(path: String, message: String, column: Int? = nil) {
        self.path = path
        self.message = message
        self.column = column
    }

    /// One sentence with the place.
    public var description: String {
        let place = path.isEmpty ? "the template" : path
        return column.map { "In \(place), column \($0): \(message)." } ?? "In \(place): \(message)."
    }
}
