import ActiveConfig

/// A template that cannot be published: all that is wrong with it, each with its place.
public struct TemplateValidationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The problems in the order of the template; never empty.
    public let problems: [TemplateProblem]

    /// Makes an error.
    public init(problems: [TemplateProblem]) {
        self.problems = problems
    }

    /// Makes an error of text that is no JSON.
    init(_ error: ConfigurationFormatError) {
        problems = [
            TemplateProblem(
                path: error.path,
                message: "the text is not valid JSON at line \(error.line ?? 1), column "
                    + "\(error.column ?? 1): \(error.reason)")
        ]
    }

    /// A sentence for each problem, a line each.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
